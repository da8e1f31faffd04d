//! Shows the records of a CPU as they are packed, and consumes them: `consumer [CPU [SESSION]]`. It ends when
//! nothing has come for a second.
#![forbid(unsafe_code)]

use std::error::Error;
use std::ffi::OsString;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let cpu = arguments.next().and_then(|cpu| cpu.to_str()?.parse().ok()).unwrap_or(0);
    let session: Option<OsString> = arguments.next();
    let mut consumer = client::open_consumer(session.as_deref(), cpu)?;
    while consumer.wait(Some(Duration::from_secs(1)))? {
        // Each with its number: what has a smaller one than `put_consumed` gives is not whole.
        let mut records = Vec::new();
        while let Some(record) = consumer.next_record() {
            let mut packed = Vec::new();
            record.pack(&mut packed);
            records.push((record.number, record.id(), packed));
        }
        let whole = consumer.put_consumed(consumer.position())?;
        for (_, id, packed) in records.iter().filter(|(number, _, _)| *number >= whole) {
            let format = consumer.format(*id).unwrap_or_default();
            println!("{format:?} {:02x?}", packed.get(2..).unwrap_or_default());
        }
    }
    Ok(())
}
