# A program that looks at its own code: it alone sees that a function is traced.
env -u LD_PRELOAD cc -O1 -o own_code "$PROGRAMS/own_code.c"
./own_code
echo ok
