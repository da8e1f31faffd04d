# A worker of nginx under load, which a signal ends: the master says so, and starts another.
. "${0%/*}/common.sh"
. ./nginx.sh
configure 1
worker() { ps -o pid= --ppid "$(cat nginx.pid)"; }
is_another() { now=$(worker) && [ -n "$now" ] && [ "$now" != "$1" ]; }
nginx -p "$PWD" -c "$PWD/nginx.conf" -e "$PWD/logs/error.log"; echo "status $?"
await test -s nginx.pid; await is_another ''
(while [ ! -e stop ]; do get; done) >/dev/null &
serves() { [ "$(get)" = hello ]; }
await serves
first=$(worker)
kill -s "$1" $first
await is_another "$first"
await serves; get
touch stop; wait
kill -QUIT "$(cat nginx.pid)"; await test ! -e nginx.pid; echo "status $?"
grep -o 'exited on signal [0-9]*.*' logs/error.log
