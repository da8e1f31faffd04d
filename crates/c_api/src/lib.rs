//! The functions of `lookback_session.h`, `lookback_reader.h` and `lookback_consumer.h`.
//!
//! Each takes what was opened by a function here and not closed, and is called by one thread at a time: that
//! is what the headers ask for, and what makes the references here exclusive. What each does is written in
//! the headers, and done by the crate `client`.
//!
//! ```c
//! struct lookback_reader *reader = lookback_reader_open("trace.dat", NULL);
//! struct lookback_reader_event event;
//!
//! while (lookback_reader_next(reader, &event, sizeof event) > 0)
//!     printf("%llu %s\n", (unsigned long long)event.time, event.name ? event.name : "lost");
//! lookback_reader_close(reader);
//! ```

mod consumer;
mod failure;
mod given;
mod reader;
mod session;
mod text_cache;
