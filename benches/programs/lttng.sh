#!/bin/sh
# lttng.sh HOME KIND EVENTS PROGRAM [ARGUMENT]...: runs PROGRAM with EVENTS recorded by LTTng-UST. With KIND
# "memory" in a session that is like ours: in memory, overwriting, one set of buffers for all of the user's
# processes, the thread in each event. With KIND "file" the same events go to HOME/trace. Everything it starts
# is its own and ends with it.
set -eu
home=$1
kind=$2
events=$3
shift 3
case $kind in
memory) create="--snapshot --output=$home/snapshots" channel="--overwrite --subbuf-size=256K" ;;
file) create="--output=$home/trace" channel="--discard --subbuf-size=1M" ;;
esac
mkdir -p "$home"
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
	# shellcheck disable=SC2086 # Words.
	lttng --no-sessiond create bench $create
	# shellcheck disable=SC2086 # Words.
	lttng --no-sessiond enable-channel --userspace --buffers-uid $channel --num-subbuf=4 channel
	lttng --no-sessiond add-context --userspace --channel=channel --type=vtid
	lttng --no-sessiond enable-event --userspace --channel=channel "$events"
	lttng --no-sessiond start
} >"$home/log" 2>&1 || { tail -n 1 "$home/log" >&2; exit 5; }

status=0
"$@" || status=$?
lttng --no-sessiond destroy bench >>"$home/log" 2>&1 || true
exit "$status"
