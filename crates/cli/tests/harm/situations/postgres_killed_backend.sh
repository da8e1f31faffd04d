# A database whose backend is killed: it ends all others, recovers, and goes on.
[ "$(id -u)" != 0 ] || exec setpriv --reuid="$NOBODY" --regid="$NOBODY" --clear-groups sh "$0"
. "$SERVICES/postgres.sh"
sql 'create table t as select generate_series(1, 10000) as x; create index on t(x)'
sql 'select count(*), sum(x) from t'
sql 'set max_parallel_workers_per_gather=2; set parallel_setup_cost=0; set parallel_tuple_cost=0;
     set min_parallel_table_scan_size=0; select sum(x) from t where x % 2 = 0' | tail -1
(sql 'select pg_sleep(30)' | head -3) &
sleeping="query like '%pg_sleep(30)%' and pid <> pg_backend_pid()"
backend() { sql "select pid from pg_stat_activity where $sleeping"; }
tries=0; until [ -n "$(backend)" ] || [ $tries = 100 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -9 "$(backend)"
wait
tries=0; until sql 'select 1' | grep -q '^1$' || [ $tries = 300 ]; do sleep 0.05; tries=$((tries + 1)); done
sql 'select count(*) from t'; sql 'select * from missing' | head -1
pg_ctl -D data -m fast -w stop >/dev/null; echo "stop $?"
grep -cE 'terminated by signal' log
echo ok
