//! Functions of libraries that a program loads while it is traced.

use crate::common::*;
use crate::functions::{HOST, LIBRARY, NOPS, calls, path};

/// Loads the library, and calls it elsewhere: `deep` in functions that the loading one calls, `other` in
/// another thread while the loading one goes on without a call, `ended` after the loading thread has ended.
const LOADER: &str = "
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static const char *path;
static int (*volatile run)(int);
static volatile int done;
__attribute__((noinline)) static int deeper(int n)
{
	volatile char space[512];
	memset((char *)space, n, sizeof space);
	return n ? deeper(n - 1) + space[0] * 0 : usleep(1) + run(1);
}
static void load(void)
{
	void *library = dlopen(path, RTLD_NOW);
	run = (int (*)(int))dlsym(library, \"plugin_run\");
}
static void *loads(void *unused) { load(); return 0; }
static void *loads_and_spins(void *unused)
{
	load();
	while (!done)
		;
	return 0;
}
int main(int count, char **words)
{
	pthread_t thread;
	int result = 0;
	path = words[1];
	if (!strcmp(words[2], \"deep\")) {
		void *library = dlopen(path, RTLD_NOW);
		run = (int (*)(int))dlsym(library, \"plugin_run\");
		result = deeper(3);
	} else if (!strcmp(words[2], \"other\")) {
		pthread_create(&thread, 0, loads_and_spins, 0);
		while (!run)
			usleep(1);
		usleep(1);
		result = run(1);
		done = 1;
		pthread_join(thread, 0);
	} else {
		pthread_create(&thread, 0, loads, 0);
		pthread_join(thread, 0);
		usleep(1);
		result = run(1);
	}
	printf(\"%d\\n\", result);
	return 0;
}
";

#[test]
fn libraries_that_come_and_go_are_traced() {
    let scratch = Scratch::new();
    let library = compile(&scratch, "libplugin.so", LIBRARY, &["-O2", "-fPIC", "-shared", NOPS]);
    let host = compile(&scratch, "host", HOST, &["-O2", "-ldl"]);
    run(&mut scratch.record(&["-p", "function"], &[path(&host), path(&library)])).success();
    let found = calls(&run(&mut scratch.report(&[])).success().stdout);
    let round = ["plugin_run <-main", "plugin_step <-plugin_run", "plugin_step <-plugin_run"];
    assert_eq!(found, [round; 3].concat());
}

#[test]
fn libraries_are_traced_wherever_they_are_used() {
    let scratch = Scratch::new();
    let library = compile(&scratch, "libplugin.so", LIBRARY, &["-O2", "-fPIC", "-shared", NOPS]);
    let loader = compile(&scratch, "loader", LOADER, &["-O2", "-ldl"]);
    for place in ["deep", "other", "ended"] {
        let program = [path(&loader), path(&library), place];
        let outcome = run(&mut scratch.record(&["-p", "function", "-l", "plugin_*"], &program)).success();
        assert_eq!(outcome.stdout, "6\n");
        let found = calls(&run(&mut scratch.report(&[])).success().stdout);
        let names: Vec<&str> = found.iter().map(|call| call.split(' ').next().unwrap()).collect();
        assert_eq!(names, ["plugin_run", "plugin_step", "plugin_step"], "{place}");
    }
}
