/*
 * Calls functions for each byte that it reads, and prints what comes of it.
 */
#include <stdio.h>
#include <unistd.h>
__attribute__((noipa)) int leaf(int n) { volatile int kept[20]; kept[n & 7] = n; return kept[n & 7] + 1; }
__attribute__((noipa)) int middle(int n) { return leaf(n) * 2; }
__attribute__((noipa)) int outer(int n) { return middle(n) + middle(n + 1); }
int main(void)
{
	char byte;
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) == 1) {
		printf("%c: %d\n", byte, outer(byte));
		fflush(stdout);
	}
	return 0;
}
