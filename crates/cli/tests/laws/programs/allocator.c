/* An allocator of the program's own: in the program, or as a shared object that is put before libc. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static char *next, *end;

void *malloc(size_t size)
{
	size_t needed = (size + 31) / 16 * 16;
	if (size > (size_t)-1 / 4) {
		errno = ENOMEM;
		return NULL;
	}
	char *taken, *from = __atomic_load_n(&next, __ATOMIC_ACQUIRE);
	if (!from) {
		size_t space = (size_t)1 << 32;
		from = mmap(NULL, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		end = from + space;
		char *none = NULL;
		__atomic_compare_exchange_n(&next, &none, from, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	}
	taken = __atomic_fetch_add(&next, needed, __ATOMIC_ACQ_REL);
	*(size_t *)taken = size;
	return taken + 16;
}

void free(void *memory)
{
}

void *calloc(size_t count, size_t size)
{
	if (size && count > (size_t)-1 / 4 / size) {
		errno = ENOMEM;
		return NULL;
	}
	/* Fresh from the kernel. */
	return malloc(count * size);
}

void *realloc(void *memory, size_t size)
{
	void *other = malloc(size);
	if (memory && other) {
		size_t before = ((size_t *)memory)[-2];
		memcpy(other, memory, before < size ? before : size);
	}
	return other;
}

void *memalign(size_t alignment, size_t size)
{
	uintptr_t memory = (uintptr_t)malloc(size + alignment + 16);
	uintptr_t aligned = (memory + alignment + 15) / alignment * alignment;
	((size_t *)aligned)[-2] = size;
	return (void *)aligned;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	if (alignment % sizeof(void *) || alignment & (alignment - 1))
		return EINVAL;
	*memory = memalign(alignment, size);
	return 0;
}
