/*
 * Traces, so many times, texts of all lengths and what else formats have; prints what a reader shows.
 */
#include <lookback.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An event has 4064 bytes: of which the text gets these, with its zero byte. */
enum { MOST = 4048 };

int main(int count, char **arguments)
{
	static const int lens[] = {0, 1, 239, 240, 255, 256, 1000, MOST - 1, MOST, 5000};
	unsigned char dump[3] = {1, 0xab, 0};
	char text[5001];

	for (int time = 0; time < (count > 1 ? atoi(arguments[1]) : 1); time++) {
		for (size_t index = 0; index < sizeof lens / sizeof *lens; index++) {
			int len = lens[index];

			memset(text, 'a' + (int)index, len);
			text[len] = 0;
			DO_TRACE(texts, "%d: %s.", len, text);
			if (len < MOST)
				printf("%d: %s.\n", len, text);
			else
				printf("%d: %.*s....\n", len, MOST - 4, text);
		}
		DO_TRACE(all, "%hhd %hu %lx %c %p %*ph %2phN %.*s %-5d|%%%s", (signed char)-1, (unsigned short)65535,
			0x123456789abcUL, 'x', (void *)dump, 3, (void *)dump, (void *)dump, 2, "hello", -7, "");
		printf("%hhd %hu %lx %c %p %s %s %.*s %-5d|%%%s\n", (signed char)-1, (unsigned short)65535,
			0x123456789abcUL, 'x', (void *)dump, "01 ab 00", "01ab", 2, "hello", -7, "");
		DO_TRACE(nothing, "nothing");
		puts("nothing");
	}
	return 0;
}
