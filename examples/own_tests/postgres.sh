#!/bin/sh
# PostgreSQL's own regression tests against Debian's server, which is traced as options of `lookback start`
# say, or not at all where there are none. Not as root, in a directory that the user may write to:
#
#   apt-get source postgresql-15                   with a line deb-src in apt's sources
#   apt-get install postgresql-15 postgresql-server-dev-15
#   postgres.sh postgresql-15-15.*/src/test/regress
#   postgres.sh postgresql-15-15.*/src/test/regress -p function -l ':mod:*'
#
# CPPFLAGS may say where the server's headers are, SCHEDULE which file there lists the tests.
set -eu
tests=$(realpath "$1")
shift
PATH=/usr/lib/postgresql/15/bin:$PATH
library=/usr/lib/postgresql/15/lib
place=$(mktemp -d "$PWD/postgres.XXXXXX")
cd "$place"
export LC_ALL=C
cp -r "$tests" tests
cp "$library/refint.so" "$library/autoinc.so" tests
cc -O2 -fPIC -shared -w -DDLSUFFIX='".so"' ${CPPFLAGS:-} -I/usr/include/postgresql/15/server \
    -I/usr/include/postgresql -I/usr/include/postgresql/internal -o tests/regress.so tests/regress.c
initdb -D data -A trust -U postgres --no-locale -E UTF8 --no-sync >/dev/null
printf "listen_addresses = ''\nunix_socket_directories = '%s'\nfsync = off\n" "$place" >>data/postgresql.conf
if [ $# = 0 ]; then
    postgres -D data >log 2>&1 &
else
    lookback start -q --session session -b 1024 "$@"
    lookback run -q --session session -- postgres -D data >log 2>&1 &
fi
until pg_isready -q -h "$place"; do sleep 0.2; done
status=0
(cd tests && "$library/pgxs/src/test/regress/pg_regress" --inputdir=. --bindir= --dlpath=. --host="$place" \
    --user=postgres --max-concurrent-tests=20 --schedule="${SCHEDULE:-parallel_schedule}") || status=$?
kill -INT "$(head -1 data/postmaster.pid)"
wait
grep -E 'PANIC|terminated by signal' log || true
[ $# = 0 ] || lookback delete -q --session session
[ $status != 0 ] || rm -r "$place"
exit $status
