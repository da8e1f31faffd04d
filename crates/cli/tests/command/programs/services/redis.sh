# redis-server under load, which a signal ends.
. "${0%/*}/common.sh"
# Without its test of memory: that writes where stacks of threads were that it has just ended, and may fault.
options='--crash-memcheck-enabled no'
redis-server --port 0 --unixsocket "$PWD/socket" --save '' --dir "$PWD" $options >log 2>&1 &
server=$!
answers() { redis-cli -s socket ping 2>/dev/null | grep -q PONG; }
commands() { redis-cli -s socket info stats | sed -n 's/total_commands_processed:\([0-9]*\).*/\1/p'; }
is_loaded() { [ "$(commands)" -gt 1000 ]; }
await answers
redis-benchmark -s "$PWD/socket" -n 100000000 -c 4 -t set,get >/dev/null 2>&1 &
load=$!
await is_loaded
kill -s "$1" $server
wait $server; echo "status $?"
kill $load 2>/dev/null; wait
grep -o 'crashed by signal: [0-9]*' log
