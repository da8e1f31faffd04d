# A database in the directory where it is run: makes it, starts it, and asks it.
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
initdb -D data -A trust -U me --no-sync >/dev/null 2>&1; echo "initdb $?"
cat >> data/postgresql.conf <<CONF
listen_addresses = ''
unix_socket_directories = '$PWD'
restart_after_crash = on
fsync = off
CONF
pg_ctl -D data -l log -w start >/dev/null; echo "start $?"
sql() { psql -h "$PWD" -U me -At postgres -c "$1" 2>&1; }
