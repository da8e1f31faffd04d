# A debugger with breakpoints, a watchpoint and a call; its program is stepped and signalled.
cat > program.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int value;
static void handler(int number) { value = number; }
int twice(int x) { value += x; return 2 * x; }
int main(void) {
	signal(SIGUSR1, handler);
	for (int i = 1; i < 4; i++) { printf("%d\n", twice(i)); fflush(stdout); }
	raise(SIGUSR1);
	return value;
}
C
cc -g -O0 -o program program.c
cat > commands <<'GDB'
set debuginfod enabled off
set disable-randomization off
break twice
run
print x
continue
finish
watch value
continue
delete
print twice(7)
handle SIGUSR1 nostop noprint pass
continue
GDB
gdb -q -nx -batch -x commands ./program 2>&1 | grep -vE '0x[0-9a-f]{6}|process [0-9]+|libthread_db|^$'
echo ok
