# A server that reloads its workers, and replaces its own executable while it serves.
. "$SERVICES/nginx.sh"
configure 2
await() { tries=0; until "$@" || [ $tries = 300 ]; do sleep 0.02; tries=$((tries + 1)); done; }
"$(command -v nginx)" -p "$PWD" -c "$PWD/nginx.conf" -e "$PWD/logs/error.log"; echo "status $?"
await test -s nginx.pid; get
echo changed > html/index.html
kill -HUP "$(cat nginx.pid)"; sleep 0.2; get
first=$(cat nginx.pid)
kill -USR2 "$first"; await test -s nginx.pid.oldbin; await test -s nginx.pid; get
kill -WINCH "$first"; sleep 0.1; kill -QUIT "$first"; await test ! -e nginx.pid.oldbin; get
second=$(cat nginx.pid); [ "$first" != "$second" ] && echo "upgraded"
kill -QUIT "$second"; await test ! -e nginx.pid; get; echo "status $?"
grep -cE 'alert|emerg|crit' logs/error.log
echo ok
