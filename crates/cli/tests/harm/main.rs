//! Programs unharmed: a table of real programs and situations, each run plain, recorded, with everything on,
//! with stacks, and with all functions of all files traced. What a person sees of it, and what the system
//! answers, is the same.
//!
//! A situation is a script of `situations/`, run by `sh` in a directory of its own. It prints what has to be
//! the same, and nothing else.

mod bisection;
#[path = "../laws/support/run.rs"]
mod run;
mod situation;
mod way;

use situation::Situation;
use way::Way;

/// A test for each row.
macro_rules! situations {
    ($($(#[$attribute:meta])* $name:ident $needs:expr;)*) => {
        $(
            #[test]
            $(#[$attribute])*
            fn $name() {
                Situation { name: stringify!($name), needs: &$needs }.harms_nobody(&Way::OF_EVENTS);
            }
        )*
    };
}

/// Also one with functions traced, for each row.
macro_rules! situations_with_functions {
    ($($(#[$attribute:meta])* $name:ident $needs:expr;)*) => {
        situations! { $($(#[$attribute])* $name $needs;)* }

        /// With all functions traced, of all files.
        mod functions {
            use super::*;
            $(
                #[test]
                #[ignore = "takes minutes: cargo xtask prove"]
                fn $name() {
                    Situation { name: stringify!($name), needs: &$needs }.harms_nobody(&Way::OF_FUNCTIONS);
                }
            )*
        }
    };
}

situations! {
    #[ignore = "takes minutes: cargo xtask prove"]
    browser_chromium ["chromium"];
    #[ignore = "takes minutes: cargo xtask prove"]
    browser_firefox ["firefox-esr"];
}

situations_with_functions! {
    allowed_calls ["cc"];
    answers ["cc"];
    archives ["tar", "xz", "gzip"];
    bubblewrap ["bwrap"];
    coroutines ["cc"];
    databases_sqlite ["sqlite3"];
    debugger ["gdb", "cc"];
    fakeroot ["fakeroot"];
    faketime ["faketime"];
    git ["git"];
    #[ignore = "takes minutes: cargo xtask prove"]
    git_maintenance ["git"];
    go_signals ["go"];
    interpreters ["perl", "python3", "bash"];
    java_signals ["java"];
    #[ignore = "takes minutes: cargo xtask prove"]
    libstdcxx ["c++"];
    limits ["bash", "python3"];
    #[ignore = "takes minutes: cargo xtask prove"]
    nginx_load ["nginx", "openssl", "python3"];
    nginx_reload_and_upgrade ["nginx", "curl"];
    #[ignore = "takes minutes: cargo xtask prove"]
    node ["node"];
    other_libc ["musl-gcc"];
    other_width ["cc"];
    postgres_killed_backend ["psql"];
    processes ["bash"];
    redis ["redis-server", "redis-cli"];
    #[ignore = "takes minutes: cargo xtask prove"]
    redis_commands ["redis-server", "redis-cli", "redis-benchmark"];
    sanitizers ["cc"];
    strace ["strace"];
    tasks ["python3"];
    valgrind ["valgrind"];
}

#[test]
fn a_function_that_makes_a_difference_when_it_is_traced_is_found() {
    let own_code = Situation { name: "own_code", needs: &["cc"] };
    let expected = own_code.run(Way::Plain, |_| ());
    assert!(expected.is_ok(), "{expected}");
    assert_eq!(own_code.culprits("function", &expected), ["watched:mod:own_code"]);
}
