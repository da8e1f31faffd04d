# Python, which ends itself, or takes more memory than its group has.
. "${0%/*}/common.sh"
python() { /usr/bin/python3 "$@" 2>&1; echo "status $?"; }
case $1 in
    abort) python -c 'import os; os.abort()' ;;
    fault) python -c 'import ctypes; ctypes.string_at(0)' ;;
    # Its own handler writes where it is, and lets the signal end it.
    faulthandler)
        python -X faulthandler -c 'import ctypes; ctypes.string_at(0)' | sed 's/0x[0-9a-f]*/ADDRESS/'
        ;;
    memory)
        group=/sys/fs/cgroup/memory/lookback-$$ limit=memory.limit_in_bytes
        [ -d /sys/fs/cgroup/memory ] || { group=/sys/fs/cgroup/lookback-$$ limit=memory.max; }
        mkdir "$group" && echo 64M > "$group/$limit"
        sh -c 'echo $$ > "$1/cgroup.procs"; exec /usr/bin/python3 -c "$2"' sh "$group" 'b"x" * (1 << 30)'
        echo "status $?"
        await rmdir "$group" 2>/dev/null
        ;;
esac
