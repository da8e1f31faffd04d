/*
 * Does what it reads, a letter each, and says so: o and c open and close the library that is its argument, t
 * traces, l has the library trace, f forks a child that lives until w waits for it, k ends by SIGKILL.
 */
#include <lookback.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PLUGIN

void plugin_work(void)
{
	DO_TRACE(of_library, "library %s", "works");
	DO_TRACE(of_both, "both %d", 2);
}

#else

int main(int count, char **arguments)
{
	void *library = 0;
	int letter, ends[2];

	if (count < 2 || pipe(ends))
		return 2;
	while ((letter = getchar()) != EOF) {
		if (letter == 'o')
			library = dlopen(arguments[1], RTLD_NOW);
		if (letter == 'c')
			dlclose(library);
		if (letter == 't') {
			DO_TRACE(of_program, "program %u", 1u);
			DO_TRACE(of_both, "both %d", 2);
		}
		if (letter == 'l') {
			void (*work)(void);
			void *found = dlsym(library, "plugin_work");

			memcpy(&work, &found, sizeof work);
			work();
		}
		if (letter == 'f' && !fork())
			return read(ends[0], &letter, 1) != 1;
		if (letter == 'w' && write(ends[1], "", 1) == 1)
			wait(0);
		if (letter == 'k')
			raise(SIGKILL);
		if (letter != '\n') {
			printf("done %c\n", letter);
			fflush(stdout);
		}
	}
	return 0;
}

#endif
