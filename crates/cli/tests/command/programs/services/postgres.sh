# A backend of postgres in a query, which a signal ends: the others are ended, the database recovers.
. "${0%/*}/common.sh"
. ./postgres.sh
is_up() { sql 'select 1' | grep -q '^1$'; }
sql 'create table t as select generate_series(1, 10000) as x'
(sql 'select count(*) from t a, t b where a.x % 7 = b.x % 11' >/dev/null) &
counting="query like '%b.x % 11%' and pid <> pg_backend_pid()"
backend() { sql "select pid from pg_stat_activity where $counting"; }
is_loaded() { [ -n "$(backend)" ]; }
await is_loaded
kill -s "$1" "$(backend)"
wait
await is_up
sql 'select count(*) from t'
pg_ctl -D data -m fast -w stop >/dev/null; echo "stop $?"
grep -o 'was terminated by signal.*' log
