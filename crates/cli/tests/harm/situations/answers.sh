# What the system says of a process and of those that it makes.
cc -O1 -o answers "$PROGRAMS/answers.c" -pthread && ./answers && sh -c 'exec ./answers'
ulimit -a
(trap '' INT PIPE; grep -E '^Sig(Ign|Blk)' /proc/self/status)
# docs/recording.md: what a program that looks can see.
env | grep -v '^\(PWD\|HOME\|CARGO_[A-Z_]*\|LD_PRELOAD\|LOOKBACK_SESSION\)=' | sort
./missing; echo "status $?"
sh -c 'kill -TERM $$; echo "not reached"'; echo "status $?"
echo ok
