//! A library with an event of its own. Programs load it, call `plugin_work`, and unload it.

tracepoint::trace_event! {
    fn plugin:worked(round: u32, name: &str);
}

/// Records an event, if the library is recorded.
#[unsafe(no_mangle)]
pub extern "C" fn plugin_work(round: u32) {
    worked(round, "plugin");
}
