// All registers are as they were where a traced function begins, and where it has returned.
#include "law.h"
#include "registers.h"

struct Registers inside;

// A traced function that notes them, and another that calls it with those of `before`.
#define DEFINE(kind) \
	__attribute__((naked, noinline)) void traced_##kind(void) \
	{ \
		__asm__(INTEGERS(STORE, inside) VECTORS(STORE_VECTOR, kind, inside) "ret"); \
	} \
	__attribute__((naked, noinline, patchable_function_entry(0))) void calls_##kind(void) \
	{ \
		WITH_BEFORE(kind, "call traced_" #kind "\n" \
			INTEGERS(STORE, after) VECTORS(STORE_VECTOR, kind, after)); \
	}
DEFINE(xmm)
DEFINE(ymm)

static void check_function(void (*calls)(void), size_t vector)
{
	// Of more events than a page has, so that each way to write one is taken.
	for (int round = 0; round < 20000; round++) {
		randomize();
		calls();
		CHECK(!memcmp(before.integers, inside.integers, sizeof(before.integers)));
		CHECK(!memcmp(before.integers, after.integers, sizeof(before.integers)));
		for (int number = 0; number < 16; number++) {
			CHECK(!memcmp(before.vectors[number], inside.vectors[number], vector));
			CHECK(!memcmp(before.vectors[number], after.vectors[number], vector));
		}
	}
}

int main(void)
{
	check_function(calls_xmm, 16);
	if (__builtin_cpu_supports("avx"))
		check_function(calls_ymm, 32);
	puts("ok");
	return 0;
}
