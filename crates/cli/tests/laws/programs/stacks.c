/* Calls from stacks of all kinds. Directly after some of them nothing can be read. */
#include "law.h"
#include <ucontext.h>

#define PAGE 4096
#define KEPT __attribute__((noinline))
/* After a call: so it is one, and no jump. */
#define RETURNS __asm__ volatile("" ::: "memory")

KEPT static void mark(const char *place)
{
	access(place, F_OK);
	RETURNS;
}

KEPT static int inner(const char *place)
{
	mark(place);
	RETURNS;
	return 1;
}

KEPT static int outer(const char *place)
{
	/* Larger than the frame that alignment needs, and aligned: its own frame is found by memory. */
	char space[200] __attribute__((aligned(64)));
	memset(space, 1, sizeof space);
	__asm__ volatile("" : : "r"(space) : "memory");
	int result = inner(place) + space[7];
	RETURNS;
	return result;
}

KEPT static int deep(int left, const char *place)
{
	char space[100];
	memset(space, left, sizeof space);
	__asm__ volatile("" : : "r"(space) : "memory");
	int result = left > 0 ? deep(left - 1, place) : inner(place);
	__asm__ volatile("" : : "r"(space) : "memory");
	return result + 1;
}

static const char *signal_place;

static void handler(int number)
{
	(void)number;
	inner(signal_place);
	RETURNS;
}

KEPT static void raise_in(const char *place, int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	signal_place = place;
	raise(SIGUSR1);
	RETURNS;
}

/* Memory with nothing that can be read before and after it. */
static char *fenced(size_t size)
{
	char *memory = mmap(NULL, size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(memory != MAP_FAILED);
	NEED(mprotect(memory + PAGE, size, PROT_READ | PROT_WRITE) == 0);
	return memory + PAGE;
}

static void *thread(void *place)
{
	outer(place);
	deep(5, "/thread-deep");
	return NULL;
}

static void *forking_thread(void *place)
{
	(void)place;
	pid_t child = fork();
	if (child == 0) {
		outer("/child-of-thread");
		_exit(0);
	}
	CHECK(reap(child) == 0);
	return NULL;
}

static void run(void *(*start)(void *), void *argument, pthread_attr_t *attributes)
{
	pthread_t made;
	NEED(pthread_create(&made, attributes, start, argument) == 0);
	CHECK(pthread_join(made, NULL) == 0);
}

static ucontext_t back, there;

static void coroutine(void)
{
	outer("/coroutine");
	swapcontext(&there, &back);
	deep(3, "/coroutine-deep");
	RETURNS;
}

static void coroutines(char *stack, size_t size)
{
	CHECK(getcontext(&there) == 0);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &back;
	makecontext(&there, coroutine, 0);
	swapcontext(&back, &there);
	swapcontext(&back, &there);
}

static void *thread_of_coroutines(void *stack)
{
	coroutines(stack, 4 * PAGE);
	return NULL;
}

int main(void)
{
	CHECK(outer("/main") == 2);
	deep(3, "/deep");
	deep(500, "/deeper");
	raise_in("/handler", 0);
	stack_t alternate = { .ss_sp = fenced(8 * PAGE), .ss_size = 8 * PAGE };
	NEED(sigaltstack(&alternate, NULL) == 0);
	raise_in("/alternate", SA_ONSTACK);

	run(thread, "/thread", NULL);
	pthread_attr_t attributes;
	NEED(pthread_attr_init(&attributes) == 0);
	NEED(pthread_attr_setstack(&attributes, fenced(16 * PAGE), 16 * PAGE) == 0);
	run(thread, "/thread-own-stack", &attributes);
	NEED(pthread_attr_setstack(&attributes, fenced(17 * PAGE) + 48, 16 * PAGE) == 0);
	run(thread, "/thread-odd-stack", &attributes);
	NEED(pthread_attr_init(&attributes) == 0);
	NEED(pthread_attr_setguardsize(&attributes, 0) == 0);
	run(thread, "/thread-without-guard", &attributes);
	run(forking_thread, NULL, NULL);

	/* From one that ends with its page on: each step less lies on it when the call is made. */
	for (int less = 0; less < PAGE; less += 48)
		coroutines(fenced(4 * PAGE), 4 * PAGE - less);
	run(thread_of_coroutines, fenced(4 * PAGE), NULL);
	return done();
}
