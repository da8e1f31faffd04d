/*
 * Comes to a place for USDT once for each byte of its input, in a thread of its own, while signals arrive all
 * the time. Prints how often the counter of whoever traces there was not 0.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

volatile unsigned short counter __attribute__((section(".probes")));
__asm__(".section .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n.weak _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n.previous\n");

static sem_t wanted, done;
static volatile int sold, handled;

/* Begins with an instruction as long as a jump. */
__attribute__((noinline)) int price(int count)
{
	__asm__ volatile("nopl 0x1000000(%rax)");
	return count * 3;
}

static void handle(int signal) { handled = price(1); }

static void *sell(void *unused)
{
	for (int count = 1;; count++) {
		sem_wait(&wanted);
		if (counter) {
			sold++;
			__asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n"
				".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
				"993: .8byte 990b, _.stapsdt.base, counter\n.asciz \"shop\"\n.asciz \"sold\"\n"
				".asciz \"-4@%%eax 8@%%rdi\"\n994: .balign 4\n.popsection\n"
				".byte 0x48, 0x8d, 0x80, 0, 0, 0, 0\n .byte 0x48, 0x8d, 0x80, 0, 0, 0, 0"
				:: "a"(count), "D"("hat"));
		}
		sem_post(&done);
	}
	return unused;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
	pthread_t thread;
	char byte;
	sigaction(SIGALRM, &action, 0);
	setitimer(ITIMER_REAL, &often, 0);
	pthread_create(&thread, 0, sell, 0);
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) == 1) {
		sem_post(&wanted);
		while (sem_wait(&done))
			;
		printf("sold %d\n", sold);
		fflush(stdout);
	}
	return 9;
}
