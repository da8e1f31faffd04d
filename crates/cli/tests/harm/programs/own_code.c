// Prints the bytes of a function of its own, which are others while that is traced.
#include <stdio.h>

#define FUNCTION(name) __attribute__((noipa)) int name(int number) { return number * 3 + (number >> 2); }

FUNCTION(first)
FUNCTION(second)
FUNCTION(watched)
FUNCTION(last)

int main(void)
{
	const unsigned char *code = (const unsigned char *)watched;
	for (int i = 0; i < 16; i++)
		printf("%02x ", code[i]);
	printf("\n%d\n", first(1) + second(2) + watched(3) + last(4));
	return 0;
}
