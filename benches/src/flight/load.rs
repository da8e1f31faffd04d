//! The loads: file system calls, calls on sockets, and a build.

use super::cpu_group::CpuGroup;
use super::way::Way;
use crate::program::is_installed;
use crate::workload;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A load.
#[derive(Debug)]
pub(super) struct BenchLoad {
    pub(super) name: &'static str,
    /// What its rows are called: CPU time of a unit, noise, what is added by us, the kernel, LTTng, strace,
    /// how many times as much the kernel adds.
    pub(super) rows: [&'static str; 7],
    /// What says how much of a budget recording it takes, where that is measured.
    pub(super) budget_row: Option<&'static str>,
    needs: &'static str,
    prepare: &'static str,
    /// Run by the shell in an empty directory in memory.
    work: &'static str,
    /// How much was done, by what it prints.
    units: fn(&str) -> Option<f64>,
    /// Rounds under what takes many times as long.
    pub(super) slow_rounds: usize,
}

/// All of them.
pub(super) const ALL: [BenchLoad; 3] = [
    BenchLoad {
        name: "dbench",
        rows: [
            "dbench_us",
            "dbench_noise_percent",
            "dbench_added_percent",
            "dbench_kernel_percent",
            "dbench_lttng_percent",
            "dbench_strace_percent",
            "dbench_kernel_vs_ours",
        ],
        budget_row: None,
        needs: "dbench",
        prepare: "",
        work: "dbench -D . -t 3 2",
        units: operations,
        slow_rounds: 2,
    },
    BenchLoad {
        name: "tbench",
        rows: [
            "tbench_us",
            "tbench_noise_percent",
            "tbench_added_percent",
            "tbench_kernel_percent",
            "tbench_lttng_percent",
            "tbench_strace_percent",
            "tbench_kernel_vs_ours",
        ],
        budget_row: Some("governor_holds_budget"),
        needs: "tbench",
        prepare: "",
        work: "tbench_srv >/dev/null & server=$!; sleep 0.3
tbench -t 3 2 127.0.0.1; kill $server; wait $server; true",
        units: operations,
        slow_rounds: 2,
    },
    BenchLoad {
        name: "kernbench",
        rows: [
            "kernbench_us",
            "kernbench_noise_percent",
            "kernbench_added_percent",
            "kernbench_kernel_percent",
            "kernbench_lttng_percent",
            "kernbench_strace_percent",
            "kernbench_kernel_vs_ours",
        ],
        budget_row: None,
        needs: "make",
        prepare: "src=$(ls -d ${CARGO_HOME:-$HOME/.cargo}/registry/src/*/lua-src-*/lua-5.4* | tail -1)
cp -r $src/. . && printf 'all: $(patsubst %%.c,%%.o,$(wildcard *.c))\\nCFLAGS = -O2\\n' > Makefile",
        work: "rm -f *.o; make -s -j2",
        units: |_| Some(1.0),
        slow_rounds: 1,
    },
];

impl BenchLoad {
    /// A directory in which it can be run.
    pub(super) fn prepare(&self) -> Result<TempDir, String> {
        if !is_installed(self.needs) {
            return Err(format!("{} is not installed", self.needs));
        }
        let directory = tempfile::tempdir_in("/dev/shm").map_err(|error| error.to_string())?;
        let mut shell = Command::new("/bin/sh");
        workload::run(shell.arg("-c").arg(self.prepare).current_dir(directory.path()))?;
        Ok(directory)
    }

    /// CPU time of a unit of its work, of all its processes together, in us.
    pub(super) fn us_per_unit(&self, way: &Way, directory: &Path) -> Result<f64, String> {
        let group = CpuGroup::new()?;
        let mut command = Command::new("/bin/sh");
        let join = format!("echo $$ > {}", group.members().display());
        command.arg("-c").arg(way.script(&join, self.work)).current_dir(directory);
        let _recording = way.prepare()?;
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("{} has failed: {}", self.name, String::from_utf8_lossy(&output.stderr)));
        }
        let units = (self.units)(&String::from_utf8_lossy(&output.stdout));
        let units = units.filter(|units| *units > 0.0);
        Ok(group.us()? / units.ok_or_else(|| format!("{} doesn't say what it has done", self.name))?)
    }
}

/// The sum of the counts in dbench's table.
fn operations(printed: &str) -> Option<f64> {
    let table = printed.lines().skip_while(|line| !line.trim_start().starts_with("Operation"));
    let counts = table.skip(2).map_while(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    Some(counts.sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operations_of_a_table_are_summed() {
        let printed = "   2   40472   455.64 MB/sec\n\n Operation      Count    AvgLat    MaxLat\n \
                       ----------------------------------------\n NTCreateX      22961     0.053   332.115\n \
                       Close          16981     0.003     8.048\n\nThroughput 455.637 MB/sec\n";
        assert_eq!(operations(printed), Some(39942.0));
        assert_eq!(operations("it has failed"), Some(0.0));
    }
}
