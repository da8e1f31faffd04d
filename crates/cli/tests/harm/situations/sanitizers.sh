# Runtimes that take the same calls, watch all of memory, or want to be first.
cat > good.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void *add(void *unused) {
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}
int main(void) {
	pthread_t threads[4];
	for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
	char *text = strdup("total"); printf("%s %d\n", text, total); free(text);
	return 0;
}
C
cat > bad.c <<'C'
#include <stdlib.h>
int main(int argc, char **argv) { char *x = malloc(10); free(x); return x[argc]; }
C
cat > overflow.c <<'C'
#include <limits.h>
int main(int argc, char **argv) { int x = INT_MAX; return (x + argc) == 7; }
C
# Each is linked into the program, so that none is in the object's way; what clang and gcc do by default
# with a shared runtime is in the tests of the laws.
build() { cc -g -O1 -w -fsanitize="$1" "-static-lib$2" -o "$3" "$3.c" -pthread; }
for kind in address:asan thread:tsan undefined:ubsan; do
    build "${kind%:*}" "${kind#*:}" good && setarch -R ./good
    echo "status $?"
done
build address asan bad && ./bad 2>&1 | grep -o 'ERROR: AddressSanitizer: [a-z-]*'
build undefined ubsan overflow && ./overflow 2>&1 | grep -o 'signed integer overflow'
echo ok
