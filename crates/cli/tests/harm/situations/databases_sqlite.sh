# Locks, mappings and a journal.
sqlite3 data 'pragma journal_mode=wal; create table t(a integer primary key, b text);'
for part in 1 2 3 4; do
    sqlite3 -cmd '.timeout 20000' data "
        with recursive n(x) as (select 1 union all select x+1 from n limit 5000)
        insert into t(b) select $part || '-' || x from n;" &
done
wait
sqlite3 data 'select count(*), count(distinct b) from t; pragma integrity_check;'
sqlite3 data 'select * from missing' 2>&1
echo "status $?"
echo ok
