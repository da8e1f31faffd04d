#!/bin/sh
# lttng.sh HOME PROGRAM: runs PROGRAM with its events recorded by LTTng-UST, in a session that is like
# ours: in memory, overwriting, one set of buffers for all of the user's processes, the thread in each
# event. Everything it starts is its own and ends with it.
set -eu
home=$1
program=$2
export LTTNG_HOME="$home" HOME="$home"
# Time for the program to be registered before its main: else it would record nothing at first.
export LTTNG_UST_REGISTER_TIMEOUT=10000

# For root the sockets and the word that says that there is a daemon have a fixed place, which may be
# another daemon's. Our caller gives us a mount namespace of our own.
if [ "$(id -u)" = 0 ]; then
	mount -t tmpfs none /dev/shm
	mount -t tmpfs none /run
	mkdir -m 755 /run/lttng
fi

lttng-sessiond --no-kernel --quiet --daemonize --pidfile="$home/pid" >&2
daemon=$(cat "$home/pid")
trap 'kill "$daemon" 2>/dev/null || true' EXIT
trap 'exit 1' HUP INT TERM

{
	lttng --no-sessiond create bench --snapshot --output="$home/snapshots"
	lttng --no-sessiond enable-channel --userspace --buffers-uid --overwrite \
		--subbuf-size=256K --num-subbuf=4 channel
	lttng --no-sessiond add-context --userspace --channel=channel --type=vtid
	lttng --no-sessiond enable-event --userspace --channel=channel 'bench:*'
	lttng --no-sessiond start
} >"$home/log" 2>&1 || { tail -n 1 "$home/log" >&2; exit 5; }

status=0
"$program" || status=$?
lttng --no-sessiond destroy bench >>"$home/log" 2>&1 || true
exit "$status"
