//! Events for tests, as a trace's metadata describes them.

use trace_data::event::Event;
use trace_data::format::Format;
use trace_data::print::Dialect;

/// An event with an id and these fields, each a line of its description, after the common ones.
pub(crate) fn test_event(system: &str, name: &str, id: u16, fields: &str) -> Event {
    let text = format!(
        "name: {name}\nID: {id}\nformat:\n\
         \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n{fields}\nprint fmt: \"\"\n"
    );
    Event::new(Format::parse(system, &text).unwrap(), Dialect::Kernel)
}
