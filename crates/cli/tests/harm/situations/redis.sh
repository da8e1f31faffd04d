# A server that forks to save, whose child is killed.
redis-server --port 0 --unixsocket "$PWD/socket" --save '' --dir "$PWD" --rdb-key-save-delay 2000 >log 2>&1 &
server=$!
cli() { redis-cli -s socket "$@"; }
tries=0
until cli ping 2>/dev/null | grep -q PONG || [ $tries = 300 ]; do sleep 0.02; tries=$((tries + 1)); done
seq 1 1000 | sed 's/.*/set key& value&/' | cli | sort | uniq -c | sed 's/^ *//'
cli bgsave; sleep 0.2
child=$(ps -o pid= --ppid $server | head -1); kill -9 $child; sleep 0.3
cli info persistence | grep -c 'rdb_last_bgsave_status:err'
cli config set rdb-key-save-delay 0; cli save; cli get key77; cli eval 'return #redis.call("keys", "key*")' 0
cli shutdown nosave; wait $server; echo "status $?"
echo ok
