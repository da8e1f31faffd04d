# A server with most kinds of values, scripts, threads that write, and all ways of saving.
redis-server --port 0 --unixsocket "$PWD/socket" --save '' --dir "$PWD" --io-threads 4 --appendonly yes \
    --enable-debug-command yes >log 2>&1 &
server=$!
cli() { env -u LD_PRELOAD redis-cli -s socket "$@"; }
await() { tries=0; until "$@" || [ $tries = 6000 ]; do sleep 0.02; tries=$((tries + 1)); done; }
answers() { cli ping 2>/dev/null | grep -q PONG; }
is_done() { cli info persistence | grep -q "$1_in_progress:0"; }
await answers
env -u LD_PRELOAD redis-benchmark -s "$PWD/socket" -n 5000 -c 20 -P 8 -r 1000 -q 2>&1 | tr '\r' '\n' |
    sed -n 's/: .*requests per.*//p'
cli flushall
for i in $(seq 1 400); do
    printf 'set k%d v%d\nrpush l %d\nzadd z %d m%d\nhset h f%d %d\nsadd s %d\nxadd x %d-1 a b\n' \
        $i $i $i $i $i $i $i $i $i
    printf 'pfadd p %d\nsetbit b %d 1\ngeoadd g %d.5 10 p%d\nexpire k%d 10000\n' $i $i $((i % 180)) $i $i
done | cli | sort | uniq -c | sed 's/^ *//'
for command in 'zrange z 0 -1 withscores' 'sort s' 'xrange x - +' 'pfcount p' 'bitcount b' 'lrange l 0 -1' \
    'geosearch g fromlonlat 10 10 byradius 100000 km asc count 5' 'object encoding z' 'sintercard 1 s' \
    'lpos l 100' 'debug digest' 'dbsize' 'dump k7' 'restore k7 0 x' 'bad command' 'lcs k1 k2'; do
    echo "$command: $(cli $command | cksum)"
done
cli eval 'local r = {} for i = 1, 2000 do r[i] = redis.call("get", "k" .. (i % 400 + 1)) end table.sort(r)
    return cjson.encode({r[1], r[2000], string.format("%.3f", math.sqrt(2))})' 0
cli eval 'error("x")' 0
cli eval 'return tostring(pcall(function() redis.call("nothing") end))' 0
cli debug reload; cli debug digest
cli bgrewriteaof; await is_done aof_rewrite
cli bgsave; await is_done rdb_bgsave
cli debug loadaof; cli debug digest; cli flushall async; cli dbsize
cli shutdown nosave; wait $server; echo "status $?"
redis-check-aof appendonlydir/*.manifest 2>&1 | tail -1
redis-check-rdb dump.rdb 2>&1 | tail -1 | sed 's/^[^]]*]//'
redis-server --nonsense >/dev/null 2>&1; echo "nonsense $?"
echo ok
