//! Programs unharmed: a table of real programs and situations, each run plain, recorded, with everything on,
//! and with stacks. What a person sees of it, and what the system answers, is the same.
//!
//! A situation is a script of `situations/`, run by `sh` in a directory of its own. It prints what has to be
//! the same, and nothing else.

#[path = "../laws/support/run.rs"]
mod run;
mod situation;
mod way;

use situation::Situation;

/// A test for each row.
macro_rules! situations {
    ($($(#[$attribute:meta])* $name:ident $needs:expr;)*) => {
        $(
            #[test]
            $(#[$attribute])*
            fn $name() {
                Situation { name: stringify!($name), needs: &$needs }.harms_nobody();
            }
        )*
    };
}

situations! {
    allowed_calls ["cc"];
    answers ["cc"];
    archives ["tar", "xz", "gzip"];
    #[ignore = "takes minutes: cargo xtask prove"]
    browser_chromium ["chromium"];
    #[ignore = "takes minutes: cargo xtask prove"]
    browser_firefox ["firefox-esr"];
    bubblewrap ["bwrap"];
    coroutines ["cc"];
    databases_sqlite ["sqlite3"];
    debugger ["gdb", "cc"];
    fakeroot ["fakeroot"];
    faketime ["faketime"];
    git ["git"];
    go_signals ["go"];
    interpreters ["perl", "python3", "bash"];
    java_signals ["java"];
    limits ["bash", "python3"];
    nginx_reload_and_upgrade ["nginx", "curl"];
    other_libc ["musl-gcc"];
    other_width ["cc"];
    postgres_killed_backend ["psql"];
    processes ["bash"];
    redis ["redis-server", "redis-cli"];
    sanitizers ["cc"];
    strace ["strace"];
    tasks ["python3"];
    valgrind ["valgrind"];
}
