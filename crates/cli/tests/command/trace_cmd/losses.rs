//! A fast producer: what trace-cmd takes and what was lost is all that was written.

use super::*;

/// Events that are written, as fast as an interpreter can.
const COUNT: u64 = 30_000;

fn produce(client: &Client, arguments: &str) -> Outcome {
    let script = format!("import os\nfor n in range({COUNT}): os.access('/' + str(n), 0)");
    client.record(arguments, &["python3", "-c", &script]).success()
}

/// With space for all nothing is lost on the way from the buffer to the file.
#[test]
fn with_space_for_all_all_are_recorded() {
    let Some(client) = Client::with_buffer(8192) else { return };
    for arguments in ["-e libc:access", "--nosplice -e libc:access"] {
        let outcome = produce(&client, arguments);
        assert!(!outcome.stdout.contains("lost"), "{arguments}: {outcome:#?}");
        assert_eq!(client.recorded("trace.dat", "access").len() as u64, COUNT, "{arguments}");
    }
}

/// With little space the oldest are overwritten, and told as lost, where they are missing.
#[test]
fn with_little_space_what_is_missing_is_told() {
    let Some(client) = Client::with_buffer(64) else { return };
    for arguments in ["-b 16 -e libc:access", "-b 16 --nosplice -e libc:access"] {
        let outcome = produce(&client, arguments);
        let read = client.recorded("trace.dat", "access").len() as u64;
        let overwritten = client.statistics("trace.dat", "overrun");
        assert_eq!(read + overwritten, COUNT, "{arguments}: {outcome:#?}");
        assert_eq!(outcome.stdout.contains("events lost"), overwritten > 0, "{outcome:#?}");
        let report = client.report(&["-i", "trace.dat"]);
        // `CPU:0 [17 EVENTS DROPPED]`
        let gaps = report.lines().filter_map(|line| line.strip_prefix("CPU:")?.split_once('['));
        let told = gaps.filter_map(|(_, text)| text.split(' ').next()?.parse::<u64>().ok());
        assert_eq!(told.sum::<u64>(), overwritten, "{arguments}");
    }
}
