//! Gives the library its soname: the number changes with the C interface, and only when programs that were
//! linked before can't use it any more.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,liblookback.so.0");
    println!("cargo::rerun-if-changed=build.rs");
}
