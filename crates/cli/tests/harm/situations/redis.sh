# A server that forks to save, whose child is killed.
redis-server --port 0 --unixsocket "$PWD/socket" --save '' --dir "$PWD" --rdb-key-save-delay 20000 >log 2>&1 &
server=$!
cli() { redis-cli -s socket "$@"; }
await() { tries=0; until "$@" || [ $tries = 300 ]; do sleep 0.02; tries=$((tries + 1)); done; }
answers() { cli ping 2>/dev/null | grep -q PONG; }
has_saved() { cli info persistence | grep -q 'rdb_bgsave_in_progress:0'; }
await answers
seq 1 1000 | sed 's/.*/set key& value&/' | cli | sort | uniq -c | sed 's/^ *//'
cli bgsave
child=$(ps -o pid= --ppid $server | head -1); kill -9 $child
await has_saved
cli info persistence | grep -c 'rdb_last_bgsave_status:err'
cli config set rdb-key-save-delay 0; cli save; cli get key77; cli eval 'return #redis.call("keys", "key*")' 0
cli shutdown nosave; wait $server; echo "status $?"
echo ok
