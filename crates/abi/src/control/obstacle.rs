//! Why a program runs unrecorded.

/// Why a program that a traced process executes runs without the agent, as far as its file and the process
/// show. In a [`ProcessStatus`](super::ProcessStatus) it is four bits, with 0 where nothing speaks against
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Obstacle {
    /// It has no dynamic linker, which could preload an object.
    Static = 1,
    /// It is for x86 with 32 bits.
    Narrow = 2,
    /// It is for another machine.
    OtherMachine = 3,
    /// Its dynamic linker is neither glibc's nor musl's.
    OtherLibc = 4,
    /// It gets the rights of another user.
    SetUser = 5,
    /// It gets the rights of another group.
    SetGroup = 6,
    /// Its file has capabilities.
    Capabilities = 7,
    /// Its process's effective user or group is not the real one.
    OtherRights = 8,
    /// The agent's file is not there, in the root directory of its process.
    OtherRoot = 9,
    /// Its dynamic linker is only to list what it needs.
    Lists = 10,
    /// Its arguments and its environment leave no space for the agent's two variables.
    NoSpace = 11,
}

impl Obstacle {
    /// All of them.
    pub const ALL: [Obstacle; 11] = [
        Obstacle::Static,
        Obstacle::Narrow,
        Obstacle::OtherMachine,
        Obstacle::OtherLibc,
        Obstacle::SetUser,
        Obstacle::SetGroup,
        Obstacle::Capabilities,
        Obstacle::OtherRights,
        Obstacle::OtherRoot,
        Obstacle::Lists,
        Obstacle::NoSpace,
    ];

    /// The one with this number. None for 0, and for what a damaged file may have.
    pub const fn from_number(number: u32) -> Option<Obstacle> {
        match number {
            1..=11 => Some(Self::ALL[number as usize - 1]),
            _ => None,
        }
    }

    /// The reason in a few words.
    pub const fn describe(self) -> &'static str {
        match self {
            Obstacle::Static => "static program",
            Obstacle::Narrow => "32-bit program",
            Obstacle::OtherMachine => "program for another machine",
            Obstacle::OtherLibc => "linked with neither glibc nor musl",
            Obstacle::SetUser => "set-user-ID",
            Obstacle::SetGroup => "set-group-ID",
            Obstacle::Capabilities => "file capabilities",
            Obstacle::OtherRights => "effective user or group differs from the real one",
            Obstacle::OtherRoot => "the agent's file is not in its root directory",
            Obstacle::Lists => "only lists the objects that a program needs",
            Obstacle::NoSpace => "arguments and environment too long",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_number() {
        for obstacle in Obstacle::ALL {
            assert_eq!(Obstacle::from_number(obstacle as u32), Some(obstacle));
        }
        assert_eq!((Obstacle::from_number(0), Obstacle::from_number(12)), (None, None));
    }
}
