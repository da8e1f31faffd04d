# Stacks that a program cuts out of others, with pages between them that nobody may read.
cc -O1 -D_GNU_SOURCE -w -o coroutines "$LAWS/coroutines.c" -pthread && ./coroutines
echo "status $?"
echo ok
