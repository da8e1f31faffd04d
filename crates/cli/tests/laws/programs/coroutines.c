/* Stacks inside of stacks: coroutines whose stacks are carved out of a thread's, with pages between them that
 * can't be read. */
#include "law.h"
#include <sys/prctl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <ucontext.h>

#define PAGE 4096
#define KEPT __attribute__((noinline))

enum { STACKS = 6, PAGES = 6, EACH = (PAGES + 1) * PAGE };

static ucontext_t back, there;
static int protect_by_number;

KEPT static int protect(void *page, int protection)
{
	return protect_by_number ? syscall(SYS_mprotect, page, PAGE, protection) : mprotect(page, PAGE, protection);
}

KEPT static void mark(const char *place)
{
	access(place, F_OK);
	/* What fails is looked at, too. */
	open(place, O_RDONLY | O_DIRECTORY);
	__asm__ volatile("" ::: "memory");
}

/* Calls from many places, up to a few pages away from the stack's end. */
KEPT static void deep(int left)
{
	char space[150];
	char path[16] = "/coroutine";
	memset(space, left, sizeof space);
	__asm__ volatile("" : : "r"(space) : "memory");
	mark(path);
	if (left > 0)
		deep(left - 1);
	mark(path);
	__asm__ volatile("" : : "r"(space) : "memory");
}

static void coroutine(void)
{
	deep(60);
	swapcontext(&there, &back);
	deep(20);
}

static void run_on(char *stack, size_t size)
{
	NEED(getcontext(&there) == 0);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &back;
	makecontext(&there, coroutine, 0);
	swapcontext(&back, &there);
	mark("/between");
	swapcontext(&back, &there);
}

static void handler(int number)
{
	deep(10);
}

/* A function on another stack, which it is called on as the first: nothing is above it. */
KEPT static void call_on(char *top, void (*function)(int), int argument)
{
	__asm__ volatile("mov %%rsp, %%rbx\n mov %0, %%rsp\n call *%1\n mov %%rbx, %%rsp"
			 : : "r"(top), "r"(function), "D"(argument)
			 : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

/* access(2) called by hand at the very end of a stack. */
KEPT static void access_on(char *top)
{
	__asm__ volatile("mov %%rsp, %%rbx\n mov %0, %%rsp\n call access@PLT\n mov %%rbx, %%rsp"
			 : : "r"(top), "D"("/top"), "S"(F_OK)
			 : "rbx", "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc");
}

static void use(char *stacks)
{
	for (int i = 0; i < STACKS; i++) {
		char *stack = stacks + i * EACH;
		run_on(stack, PAGES * PAGE - 16 * i);
		call_on(stack + PAGES * PAGE, deep, 40);
		access_on(stack + PAGES * PAGE);
		stack_t alternate = { .ss_sp = stack, .ss_size = PAGES * PAGE };
		CHECK(sigaltstack(&alternate, NULL) == 0);
		raise(SIGUSR1);
		alternate.ss_flags = SS_DISABLE;
		CHECK(sigaltstack(&alternate, NULL) == 0);
	}
	deep(50);
}

/* Stacks on the stack, each with a page after it that can't be read. */
KEPT static void carve(void)
{
	char space[STACKS * EACH + PAGE];
	char *stacks = (char *)(((uintptr_t)space + PAGE - 1) & -PAGE);
	for (int round = 0; round < 2; round++) {
		/* All of it was used, as an ordinary stack. */
		for (int i = 0; i < STACKS; i++)
			call_on(stacks + (i + 1) * EACH, deep, 40);
		for (int i = 0; i < STACKS; i++)
			NEED(protect(stacks + i * EACH + PAGES * PAGE, PROT_NONE) == 0);
		use(stacks);
		for (int i = 0; i < STACKS; i++)
			NEED(protect(stacks + i * EACH + PAGES * PAGE, PROT_READ | PROT_WRITE) == 0);
		/* And is again. */
		deep(60);
	}
	/* Without even a mapping. */
	NEED(munmap(stacks + PAGES * PAGE, PAGE) == 0);
	run_on(stacks, PAGES * PAGE);
	NEED(mmap(stacks + PAGES * PAGE, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
	     MAP_FAILED);
	run_on(stacks, PAGES * PAGE);
	NEED(protect(stacks + PAGES * PAGE, PROT_READ | PROT_WRITE) == 0);
	deep(60);
}

static void *carving(void *unused)
{
	deep(60);
	carve();
	deep(60);
	return unused;
}

static char *carved;

static void *using(void *unused)
{
	use(carved);
	return unused;
}

static void join(void *(*start)(void *), pthread_attr_t *attributes)
{
	pthread_t thread;
	NEED(pthread_create(&thread, attributes, start, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

/* A thread on a stack that its maker has carved before. */
static void carved_before(void)
{
	enum { SIZE = STACKS * EACH + 64 * PAGE };
	pthread_attr_t attributes;
	carved = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(carved != MAP_FAILED);
	for (int i = 0; i < STACKS; i++)
		NEED(protect(carved + i * EACH + PAGES * PAGE, PROT_NONE) == 0);
	NEED(pthread_attr_init(&attributes) == 0);
	NEED(pthread_attr_setstack(&attributes, carved, SIZE) == 0);
	join(using, &attributes);
}

static void allow_all(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = { 1, &allow };
	NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	NEED(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		allow_all();
	handle(SIGUSR1, handler, SA_ONSTACK);
	for (protect_by_number = 0; protect_by_number < 2; protect_by_number++) {
		carving(NULL);
		join(carving, NULL);
		carved_before();
	}
	return done();
}
