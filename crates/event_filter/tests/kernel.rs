//! The kernel that the tests run on takes and refuses the same texts, for the same reasons.

use event_filter::{Error, Filter, FilterField};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use trace_data::format::Format;

/// An instance of our own: the filters of the top one may be somebody's.
struct Instance(PathBuf);

impl Instance {
    fn new(name: &str) -> Option<Instance> {
        let name = format!("lookback-{}-{name}", std::process::id());
        let path = Path::new("/sys/kernel/tracing/instances").join(name);
        match fs::create_dir(&path) {
            Ok(()) => Some(Instance(path)),
            Err(error) => {
                println!("skipped: no tracefs instance: {error}");
                None
            }
        }
    }

    fn event(&self, name: &str) -> Option<Event> {
        let path = self.0.join("events").join(name);
        let format = Format::parse("", &fs::read_to_string(path.join("format")).ok()?).ok()?;
        Some(Event { filter: path.join("filter"), format })
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

struct Event {
    filter: PathBuf,
    format: Format,
}

impl Event {
    /// Writes a text to the kernel, and compiles it here: both give an errno, and what the file reads then.
    fn compare(&self, text: &str) {
        let written = fs::write(&self.filter, text).map_err(|error| error.raw_os_error().unwrap());
        // All at once: a second read(2) gives nothing.
        let mut bytes = vec![0; 1 << 16];
        let len = File::open(&self.filter).unwrap().read(&mut bytes).unwrap();
        let read = String::from_utf8_lossy(&bytes[..len]);
        let fields: Vec<FilterField<'_>> = self.format.fields.iter().map(field).collect();
        let compiled = Filter::compile(text, &fields);
        let errno = compiled.as_ref().map(drop).map_err(|error| error.errno());
        assert_eq!(errno, written, "{text:?}: {read}");
        let shown = match compiled {
            Ok(_) => format!("{}\n", text.trim_ascii_end()),
            // The kernel ends the error with a line of its own.
            Err(error) => format!("{}\n", Error::explain(&error, text)),
        };
        assert_eq!(shown, read, "{text:?}");
    }
}

fn field(field: &trace_data::format::Field) -> FilterField<'_> {
    FilterField {
        name: &field.name,
        type_name: &field.type_name,
        offset: field.offset as u16,
        size: field.size as u16,
        signed: field.signed,
        names: &[],
    }
}

const TEXTS: &[&str] = &[
    "prev_pid == 1",
    "  prev_pid==1  ",
    "prev_pid==1&&next_pid==2||prev_prio<100",
    "prev_pid == 1 &&",
    "prev_pid == 1 ||",
    "!&&",
    "(!)",
    "(prev_pid==1 &&)",
    "(prev_pid==1) && !(next_pid==2)",
    "((prev_pid==1)",
    "(prev_pid==1))",
    "prev_pid==1)",
    "((prev_comm == \"(\")",
    "()",
    "(",
    ")",
    "!",
    "!!(prev_pid==3)",
    "! prev_pid==3",
    "!=3",
    "!~3",
    "foo == 1",
    "prev_pid == 1 && foo == 1",
    "foo",
    "1 == 1",
    "prev_pid",
    "prev_pid ==",
    "prev_pid = 1",
    "prev_pid =! 3",
    "prev_pid == foo",
    "prev_pid === 1",
    "prev_pid == 1 next_pid == 2",
    "prev_pid == 1 & next_pid == 2",
    "prev_pid == 1 | next_pid == 2",
    "prev_pid == 1 &&& next_pid == 2",
    "prev_pid == 1 && && next_pid == 2",
    "&& prev_pid == 1",
    "prev_pid == 08",
    "prev_pid == 010",
    "prev_pid == 0x",
    "prev_pid == 0xdeadbeef",
    "prev_pid == 0XDEAD",
    "prev_pid == -1",
    "prev_pid == -",
    "prev_pid == --1",
    "prev_pid == +1",
    "prev_pid == -0x10",
    "prev_pid == 1abc",
    "prev_pid == 9223372036854775807",
    "prev_pid == 9223372036854775808",
    "prev_pid == 12345678901234567890123",
    "prev_pid == 123456789012345678901234",
    "prev_pid & -1",
    "prev_pid ~ 4",
    "prev_pid ~ \"4\"",
    "prev_pid == \"4\"",
    "prev_comm == 5",
    "prev_comm == bash",
    "prev_comm == \"bash\"",
    "prev_comm == 'bash'",
    "prev_comm == 'ba\"sh'",
    "prev_comm == \"bash",
    "prev_comm == \"bash'",
    "prev_comm < \"a\"",
    "prev_comm & \"a\"",
    "prev_comm ~ \"*sh\" || prev_comm ~ \"!b*\" || prev_comm ~ \"[a-z]?\"",
    "prev_comm ~ \"\"",
    "prev_comm == \"a\"b",
    "prev_comm == \"&& || ()\"",
    "prev_comm.ustring == \"a\"",
    "prev_pid.ustring == 1",
    "prev_comm.foo == \"a\"",
    "prev_pid.function == 5",
    "prev_state.function == 0x10",
    "prev_state.function == nosuchfunction",
    "prev_state.function < 0x10",
    "prev_state.function == 1x",
    "prev_state & 3 && prev_state != 0",
    "prev_state == -5",
    "common_pid == 0 && common_flags & 1 && common_type != 3 && common_preempt_count >= 0",
    "CPU == 0 && cpu != 1 && CPU < 0x5",
    "CPU == \"a\"",
    "CPU & 1",
    "CPU ~ 1",
    "CPU == -1",
    "COMM == \"a\" && comm ~ 'b*'",
    "COMM == 1",
    "stacktrace == 3",
    "STACKTRACE == \"a\"",
    "CPU & CPUS{0}",
    "CPU == CPUS{0} || CPU != CPUS{0-0}",
    "CPU < CPUS{0}",
    "CPU & CPUS{}",
    "CPU & CPUS{a}",
    "CPU & CPUS{0",
    "CPU & CPUS 0",
    "CPU & CPUS",
    "CPU & CPUS{all}",
    "CPU & CPUS{3-1}",
    "CPU & CPU{0}",
    "prev_pid & CPUS{0}",
    "prev_pid ~ CPUS{0}",
    "prev_comm & CPUS{0}",
    "prev_comm == CPUS{0}",
    "\t prev_pid\t==\n1",
    "prev_pid == 1 && (next_pid == 2 || (next_pid == 3 && (prev_prio > 5)))",
];

#[test]
fn the_kernel_agrees() {
    let Some(instance) = Instance::new("filter") else { return };
    let Some(event) = instance.event("sched/sched_switch") else {
        return println!("skipped: no sched_switch here");
    };
    TEXTS.iter().for_each(|text| event.compare(text));
    for len in [254, 255, 256, 257] {
        event.compare(&format!("prev_comm == \"{}\"", "x".repeat(len)));
    }
    event.compare(&format!("{}prev_pid == 1{}", "(".repeat(100), ")".repeat(100)));
    event.compare(&["prev_pid == 1"; 100].join(" || "));
}

#[test]
fn the_kernel_agrees_on_strings_elsewhere() {
    let Some(instance) = Instance::new("strings") else { return };
    for (name, texts) in [
        ("sched/sched_process_exec", &["filename ~ \"*sh\"", "filename == 1", "filename & CPUS{0}"][..]),
        ("sched/sched_process_fork", &["parent_comm ~ \"a\"", "child_pid == \"1\""]),
        (
            "ipi/ipi_send_cpumask",
            &["cpumask & CPUS{0}", "cpumask == CPUS{0-0}", "cpumask == 1", "cpumask ~ \"a\""],
        ),
        ("workqueue/workqueue_execute_start", &["function.function == 0x5", "work > 0xffff", "work < -1"]),
        ("irq/softirq_entry", &["vec == -1", "vec == 4294967296"]),
    ] {
        match instance.event(name) {
            Some(event) => texts.iter().for_each(|text| event.compare(text)),
            None => println!("skipped: no {name} here"),
        }
    }
}
