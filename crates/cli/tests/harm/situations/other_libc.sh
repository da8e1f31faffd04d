# A program of another C library, below traced ones, and traced ones below it.
cat > hello.c <<'C'
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *thread(void *x) { printf("in a thread\n"); return x; }
int main(int argc, char **argv) {
	pthread_t other;
	setvbuf(stdout, NULL, _IOLBF, 0);
	int file = open("missing", O_RDONLY);
	printf("open: %d %d\n", file, errno == ENOENT);
	int created = pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	printf("created: %d\n", created);
	int status, child = fork();
	if (child == 0)
		execlp("sh", "sh", "-c", "echo below it; exit 5", NULL);
	waitpid(child, &status, 0);
	printf("child: %d, system: %d\n", WEXITSTATUS(status), system("exit 6") >> 8);
	return 7;
}
C
musl-gcc -o hello hello.c && ./hello
echo "status $?"
musl-gcc -static -o hello-static hello.c && ./hello-static
echo "status $?"
echo ok
