//! Which of several names of a function is shown.

/// How odd a name is: of several for one function the least odd one is shown. 0 for a plain one, then one
/// with the version that programs are linked with, one with underscores, and one of an old version.
///
/// ```
/// use function_sites::oddness;
///
/// let mut names = ["cfree@GLIBC_2.2.5", "__libc_free", "free@@GLIBC_2.2.5"];
/// names.sort_by_key(|name| oddness(name));
/// assert_eq!(names, ["free@@GLIBC_2.2.5", "__libc_free", "cfree@GLIBC_2.2.5"]);
/// ```
pub fn oddness(name: &str) -> u8 {
    match name {
        _ if name.starts_with('_') => 2,
        _ if name.contains("@@") => 1,
        _ if name.contains('@') => 3,
        _ => 0,
    }
}
