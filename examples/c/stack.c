/*
 * A program with events of its own: it sorts with a stack and says how. Nothing is linked to it.
 *
 *     cc -I../../crates/tracepoint/include -o stack stack.c
 *     lookback record -e stack: -e ftrace:print -- ./stack && lookback report
 */
#include <lookback.h>
#include <stdint.h>
#include <stdio.h>

enum order { ASCENDING = 1, DESCENDING = -1 };

static void sort(int32_t *numbers, uint32_t count, enum order order)
{
	LB_EVENT(stack, sort_begins, LB_ARRAY(numbers, numbers, count),
		 LB_SYMBOLIC(order, order, {ASCENDING, "ascending"}, {DESCENDING, "descending"}));
	for (uint32_t i = 1; i < count; i++) {
		int32_t moved = numbers[i];
		uint32_t to = i;

		for (; to > 0 && (numbers[to - 1] - moved) * order > 0; to--)
			numbers[to] = numbers[to - 1];
		numbers[to] = moved;
		if (to != i)
			LB_EVENT(stack, moved, LB_I32(number, moved), LB_U8(from, i), LB_U8(to, to), LB_BOOL(first, !to));
	}
	LB_EVENT(stack, sort_ends);
}

int main(void)
{
	int32_t numbers[] = {3, 1, 2};
	uint16_t ports[2] = {80, 443};
	const char *name = "Ada";

	sort(numbers, 3, ASCENDING);
	LB_EVENT(stack, everything, LB_U16(u16, 65535), LB_U32(u32, UINT32_MAX), LB_U64(u64, UINT64_MAX),
		 LB_I8(i8, -1), LB_I16(i16, -2), LB_I64(i64, INT64_MIN), LB_HEX(hex, 0xbeef), LB_PTR(null, NULL),
		 LB_STR(name, name), LB_STR(nothing, NULL), LB_FIXED(ports, ports), LB_ARRAY(bytes, "\1\2", 2),
		 LB_FLAGS(flags, 5, {1, "GIFT"}, {2, "EXPRESS"}, {4, "FRAGILE"}));
	LB_PRINTK("the smallest is %d", numbers[0]);
	printf("%d %d %d\n", numbers[0], numbers[1], numbers[2]);
	return 0;
}
