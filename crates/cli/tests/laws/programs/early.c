/* What is called before anything has started: before libc's own constructors. */
#include "law.h"

static char *kept;

static void before_all(int argc, char **argv, char **environment)
{
	kept = malloc(100);
	strcpy(kept, "kept");
	access("/before-all", F_OK);
}

typedef void (*Start)(int, char **, char **);
__attribute__((section(".preinit_array"), used)) static const Start preinit = before_all;

int main(void)
{
	CHECK(!strcmp(kept, "kept"));
	free(kept);
	CHECK(access("/after-all", F_OK) == -1 && errno == ENOENT);
	return done();
}
