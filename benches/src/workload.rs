//! Real programs, as people run them.

use crate::program::is_installed;
use std::path::Path;
use std::process::Command;

/// A program with something to do.
#[derive(Debug)]
pub struct Workload {
    /// The row's name.
    pub name: &'static str,
    /// The program that it needs.
    needs: &'static str,
    /// Run once, by the shell, in an empty directory.
    prepare: &'static str,
    /// Run in each round, by the shell, in the same directory.
    work: &'static str,
}

/// All of them. Each round takes a few tenths of a second.
pub const ALL: [Workload; 6] = [
    Workload {
        name: "make_factor",
        needs: "make",
        prepare: "for i in 1 2 3 4 5 6; do echo \"#include <stdio.h>
int f$i(int x) { return printf(\\\"%d\\\", x); }\" > f$i.c; done
printf 'all: f1.o f2.o f3.o f4.o f5.o f6.o\\n' > Makefile",
        work: "rm -f *.o; make -s -j2",
    },
    Workload {
        name: "python_factor",
        needs: "python3",
        prepare: "",
        work: "python3 -c 'import json, http.client, unittest, asyncio, sqlite3'",
    },
    Workload {
        name: "shell_factor",
        needs: "bash",
        prepare: "",
        work: "bash -c 'for i in $(seq 100); do /bin/true; done'",
    },
    Workload {
        name: "sqlite_factor",
        needs: "sqlite3",
        prepare: "(echo 'create table t(a integer primary key, b text);'
for i in $(seq 300); do echo \"insert into t values($i, 'row $i');\"; done) > inserts.sql",
        work: "rm -f test.db; sqlite3 test.db < inserts.sql",
    },
    Workload {
        name: "git_factor",
        needs: "git",
        prepare: "git init -q . && git config user.name n && git config user.email e
for i in $(seq 300); do echo $i > file$i; done; git add . && git commit -q -m all",
        work: "for i in 1 2 3 4 5; do git status >/dev/null; git log -p >/dev/null; done",
    },
    Workload {
        name: "redis_factor",
        needs: "redis-benchmark",
        prepare: "",
        work: "redis-server --port 0 --unixsocket $PWD/s --save '' --daemonize no >/dev/null & server=$!
until [ -S s ]; do sleep 0.01; done
redis-benchmark -s $PWD/s -q -n 20000 -t get,set >/dev/null; kill $server; wait $server; rm -f s",
    },
];

impl Workload {
    /// Prepares it in `directory`; why it can't be run, if it can't.
    pub fn prepare(&self, directory: &Path) -> Result<(), String> {
        if !is_installed(self.needs) {
            return Err(format!("{} is not installed", self.needs));
        }
        run(&mut shell(self.prepare, directory))
    }

    /// What does its work.
    pub fn command(&self, directory: &Path) -> Command {
        shell(self.work, directory)
    }
}

fn shell(script: &str, directory: &Path) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(script).current_dir(directory);
    shell
}

/// Runs a command that has to succeed.
pub fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => {
            Err(String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("it failed").to_string())
        }
    }
}
