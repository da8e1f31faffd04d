# A 32-bit program below a traced one.
cat > narrow.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
	printf("%d bits\n", (int)sizeof(void *) * 8);
	fflush(stdout);
	return system("echo below it; exit 4") >> 8;
}
C
cc -m32 -o narrow narrow.c && ./narrow
echo "status $?"
sh -c 'exec ./narrow'
echo "status $?"
ldd ./narrow | sed 's/ (0x.*//' | grep -v linux-gate
ldd /bin/true | sed 's/ (0x.*//'
echo ok
