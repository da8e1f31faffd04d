/* An object that programs open while they run. */
#include "law.h"

int in_library(const char *path)
{
	int result = access(path, F_OK);
	__asm__ volatile("");
	return result;
}

int stat_in_library(const char *path)
{
	struct stat found;
	int result = stat(path, &found);
	__asm__ volatile("");
	return result;
}
