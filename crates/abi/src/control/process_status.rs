//! What a process hands on to those that it makes.

use super::Obstacle;

/// The word of a process's entry that says what the programs which it makes start with.
///
/// ```text
/// bits  0..8    nice      its nice value, -20 to 19
/// bit   8       may call  no filter of system calls is there, as far as anybody knows
/// bit   9       executing it is executing another program: who finds this under its own PID is that program
/// bit  10       left out  its events are not recorded: it reads the control tree, or who has forked it did
/// bits 11..15 obstacle  why that program runs unrecorded: an [`Obstacle`], or 0
/// bit  15       in error  its error was seen where it happened
/// bits 16..31   vforks    children under placeholders that have its memory just now
/// bit  31       detached  it records nothing, until it is attached again
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessStatus(pub u32);

impl ProcessStatus {
    /// The bit of one in which system calls may be made that the program hasn't asked for.
    pub const MAY_CALL: u32 = 1 << 8;
    /// The bit of one that is executing another program.
    pub const EXECUTING: u32 = 1 << 9;
    /// The bit of one whose events are not recorded, as it reads the control tree.
    pub const LEFT_OUT: u32 = 1 << 10;
    /// The bits of why that program runs unrecorded.
    pub const OBSTACLE: u32 = 0xf << Self::OBSTACLE_SHIFT;
    const OBSTACLE_SHIFT: u32 = 11;
    /// The bit of one whose error was seen where it happened.
    pub const IN_ERROR: u32 = 1 << 15;
    /// What one more child in its memory adds.
    pub const VFORK: u32 = 1 << 16;

    /// The bit of one that records nothing, until it is attached again.
    pub const DETACHED: u32 = 1 << 31;

    /// Of a process with this nice value in which system calls may be made that the program hasn't asked for.
    pub const fn new(nice: i8, may_call: bool) -> ProcessStatus {
        ProcessStatus(nice as u8 as u32 | if may_call { Self::MAY_CALL } else { 0 })
    }

    /// Its nice value.
    pub const fn nice(self) -> i8 {
        self.0 as u8 as i8
    }

    /// Whether system calls may be made in it that the program hasn't asked for: a filter (seccomp) could
    /// end the program for one.
    pub const fn may_call(self) -> bool {
        self.0 & Self::MAY_CALL != 0
    }

    /// Whether it has a child in its memory that has a placeholder: such a child has recorded itself that
    /// it was made.
    pub const fn is_vforking(self) -> bool {
        self.0 & !Self::DETACHED >= Self::VFORK
    }

    /// Whether it records nothing, until it is attached again.
    pub const fn is_detached(self) -> bool {
        self.0 & Self::DETACHED != 0
    }

    /// Whether it is executing another program.
    pub const fn is_executing(self) -> bool {
        self.0 & Self::EXECUTING != 0
    }

    /// Whether its events are not recorded, as it, or who has forked it, reads the control tree.
    pub const fn is_left_out(self) -> bool {
        self.0 & Self::LEFT_OUT != 0
    }

    /// Whether its error was seen where it happened.
    pub const fn is_in_error(self) -> bool {
        self.0 & Self::IN_ERROR != 0
    }

    /// The bits of one that is executing a program, which runs unrecorded for that reason, if there is one.
    pub const fn executing(obstacle: Option<Obstacle>) -> u32 {
        let number = match obstacle {
            Some(obstacle) => obstacle as u32,
            None => 0,
        };
        Self::EXECUTING | number << Self::OBSTACLE_SHIFT
    }

    /// Why the program that it is executing runs unrecorded.
    pub const fn obstacle(self) -> Option<Obstacle> {
        Obstacle::from_number((self.0 & Self::OBSTACLE) >> Self::OBSTACLE_SHIFT)
    }

    /// What it hands on to a child.
    pub const fn inherited(self) -> ProcessStatus {
        ProcessStatus(self.0 & ((Self::EXECUTING - 1) | Self::LEFT_OUT))
    }

    /// What it hands on to the program that it executes: that has read nothing.
    pub const fn executed(self) -> ProcessStatus {
        ProcessStatus(self.inherited().0 & !Self::LEFT_OUT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_kept() {
        let status = ProcessStatus::new(-20, true);
        assert_eq!((status.nice(), status.may_call()), (-20, true));
        let status = ProcessStatus::new(19, false);
        assert_eq!((status.nice(), status.may_call()), (19, false));
        let executing = |obstacle| ProcessStatus(status.0 | ProcessStatus::executing(obstacle));
        assert_eq!((executing(None).is_executing(), executing(None).obstacle()), (true, None));
        let executing = executing(Some(Obstacle::NoSpace));
        assert_eq!((executing.nice(), executing.obstacle()), (19, Some(Obstacle::NoSpace)));
        assert_eq!(executing.inherited(), status);
    }

    #[test]
    fn a_child_is_left_out_and_a_program_is_not() {
        let plain = ProcessStatus::new(-1, true);
        let reader = ProcessStatus(plain.0 | ProcessStatus::LEFT_OUT | ProcessStatus::EXECUTING);
        assert_eq!((reader.inherited().0, reader.is_left_out()), (plain.0 | ProcessStatus::LEFT_OUT, true));
        assert_eq!((reader.executed(), plain.is_left_out()), (plain, false));
    }
}
