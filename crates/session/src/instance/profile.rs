//! Switching the profile of functions.

use crate::{Error, Instance};

impl Instance {
    /// Has calls of functions counted from now on, from 0, or no longer: on the CPUs that have buffers, for
    /// the whole session. See [`crate::Session::profile`]. Traced processes follow: see
    /// [`crate::Session::await_functions`].
    ///
    /// Takes memory when it is first called: 512 KiB for each CPU. A system error where there is none.
    pub fn set_profiling(&self, on: bool) -> Result<(), Error> {
        let cpus: Vec<u32> = self.cpus().collect();
        self.session.profile_on(cpus.into_iter(), on)
    }
}
