/*
 * Opens libraries, has them trace, and closes them, by turns: so often, and the libraries. Where one was the
 * next one is loaded. Says how many records that were.
 */
#include <lookback.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLUGIN

/* The name and the format are in the library's memory, and so is the text. */
unsigned plugin_work(unsigned number)
{
#if PLUGIN == 1
	DO_TRACE(of_first, "first %u of %s", number, "the first library");
	return 1;
#else
	DO_TRACE(of_second, "%s has %u in the second", "another text", number);
	DO_TRACE(of_second_too, "second %#x", number);
	return 2;
#endif
}

#else

int main(int count, char **arguments)
{
	unsigned produced = 0, times = atoi(arguments[1]);

	for (unsigned number = 0; number < times; number++) {
		void *library = dlopen(arguments[2 + number % (count - 2)], RTLD_NOW), *found;
		unsigned (*work)(unsigned);

		if (!library || !(found = dlsym(library, "plugin_work")))
			return 1;
		memcpy(&work, &found, sizeof work);
		produced += work(number);
		if (dlclose(library) || dlopen(arguments[2 + number % (count - 2)], RTLD_NOW | RTLD_NOLOAD))
			return 1;
	}
	printf("produced %u\n", produced);
	return 0;
}

#endif
