/* Options: all that the library has a number for. */
#include "check.h"

static void check_one(struct tracefs_instance *instance, enum tracefs_option_id id)
{
	const struct tracefs_options_mask *supported = tracefs_options_get_supported(instance);
	const char *name = tracefs_option_name(id);
	bool is_supported = tracefs_option_mask_is_set(supported, id), is_on;
	char file[64];

	CHECK(name && tracefs_option_id(name) == id);
	snprintf(file, sizeof(file), "options/%s", name);
	CHECK(is_supported == is_there(instance, file));
	CHECK(is_elsewhere || tracefs_option_is_supported(instance, id) == is_supported);
	/* Whether threads sleep isn't seen: a call's time has its sleep in it. */
	if (id == TRACEFS_OPTION_SLEEP_TIME) {
		CHECK(tracefs_option_is_enabled(instance, id) && tracefs_option_disable(instance, id));
		return;
	}
	is_on = tracefs_option_is_enabled(instance, id);
	CHECK(tracefs_option_mask_is_set(tracefs_options_get_enabled(instance), id) == is_on);
	if (!is_supported) {
		CHECK(!is_on && tracefs_option_enable(instance, id));
		return;
	}
	for (int round = 0; round < 2; round++) {
		is_on = !is_on;
		CHECK(!(is_on ? tracefs_option_enable : tracefs_option_disable)(instance, id));
		CHECK(tracefs_option_is_enabled(instance, id) == is_on);
		CHECK(tracefs_option_mask_is_set(tracefs_options_get_enabled(instance), id) == is_on);
	}
}

static int check_each(struct tracefs_instance *instance)
{
	int there = 0;

	for (int id = TRACEFS_OPTION_INVALID + 1; id < TRACEFS_OPTION_MAX; id++) {
		check_one(instance, id);
		there += tracefs_option_mask_is_set(tracefs_options_get_supported(instance), id);
	}
	return there;
}

void check_options(void)
{
	struct tracefs_instance *instance = tracefs_instance_create("options");
	int here, there;

	CHECK(instance);
	here = check_each(NULL);
	there = check_each(instance);
	CHECK(there > 10 && here > there);
	CHECK(tracefs_option_id("nothing") == TRACEFS_OPTION_INVALID);
	/* Those of an instance are its own. */
	CHECK(!tracefs_option_disable(instance, TRACEFS_OPTION_OVERWRITE));
	CHECK(tracefs_option_is_enabled(NULL, TRACEFS_OPTION_OVERWRITE));
	CHECK(!tracefs_instance_destroy(instance));
	tracefs_instance_free(instance);
}
