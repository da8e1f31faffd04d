//! Calls after which paths may lead elsewhere: what is executed then may not find our object.

use crate::preload::environment;
use crate::preload::real::real;
use crate::preload::stub::stub;

/// Defines a wrapper for a function that may move the process.
macro_rules! moving {
    ($symbol:ident, $name:literal, $($parameter:ident)*) => {
        const _: () = {
            // SAFETY: called by its stub only, with what the program has called libc's function with.
            unsafe extern "C" fn body($($parameter: usize,)* _caller: usize) -> i32 {
                type Real = unsafe extern "C" fn($(moving!(@type $parameter)),*) -> i32;
                // SAFETY: the function has this type, as far as registers go.
                let real: Real = unsafe { core::mem::transmute(real!($name)) };
                // SAFETY: the program's own call.
                let result = unsafe { real($($parameter),*) };
                if result == 0 {
                    environment::moved();
                }
                result
            }
            stub!($symbol, body, $($parameter)*);
        };
    };
    (@type $parameter:ident) => { usize };
}

moving!(chroot, c"chroot", path);
moving!(unshare, c"unshare", flags);
moving!(setns, c"setns", fd kind);
