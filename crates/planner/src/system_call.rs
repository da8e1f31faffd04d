//! Where a system call can be seen: at an instruction before it, and at one after it.
//!
//! The instruction `syscall` itself stays where it is. The kernel goes back to it to restart a call, libc
//! looks whether a thread is at it when that is cancelled, and filters may ask where it is.

use crate::branches::Branches;
use crate::encoding::LONGEST;
use crate::function_code::FunctionCode;
use crate::instruction::{DecodedInstruction, Flow, StackEffect};
use crate::probe_point::ProbePoint;
use crate::register_effect::RegisterEffect;
use crate::replaceable::{MOST, Replaceable, Replaceables, points};
use core::ops::Range;

/// `syscall`.
pub const SYSTEM_CALL: [u8; 2] = [0x0f, 0x05];

/// Calls that are left alone: clone(2), clone3(2), fork(2) and vfork(2), after which a thread goes on twice,
/// or with another stack, and rt_sigreturn(2), after which it goes on where a handler has interrupted it.
const LEFT_ALONE: [u32; 5] = [56, 435, 57, 58, 15];

/// The register that the number of a call is in, and its result.
const RAX: u8 = 0;
/// Those of its arguments, in their order.
const ARGUMENTS: [u8; 6] = [7, 6, 2, 10, 8, 9];

/// The instructions around a system call.
#[derive(Debug, Clone, Copy)]
pub struct SystemCallCode<'a> {
    function: FunctionCode<'a>,
    before: Before,
}

impl<'a> SystemCallCode<'a> {
    /// That of the instruction `syscall` with an offset in a function. None where there is none.
    ///
    /// Cost: it decodes what is before.
    pub fn at(function: &FunctionCode<'a>, offset: usize) -> Option<SystemCallCode<'a>> {
        Some(SystemCallCode { function: *function, before: Before::of(function, offset)? })
    }

    /// The call's number, where the instructions before it say that.
    pub fn number(&self) -> Option<u32> {
        self.before.number()
    }

    /// Whether it has to be left alone, because of what it does.
    pub fn is_left_alone(&self) -> bool {
        self.number().is_some_and(|number| LEFT_ALONE.contains(&number))
    }

    /// The instructions that can be replaced to see the call begin: once such a one has been executed, its
    /// arguments are in their registers, and its number, if that isn't known. The best one first. `paddings`
    /// are addresses of [padding](crate::is_padding) near the call.
    ///
    /// Cost: it decodes all of the function.
    pub fn enter_points<P: Iterator<Item = Range<u64>> + Clone>(
        &self,
        paddings: P,
    ) -> impl Iterator<Item = ProbePoint> + Clone + use<'a, P> {
        points(self.function, self.before.points(&self.function), paddings)
    }

    /// As [`SystemCallCode::enter_points`], to see it end: before such a one is executed its result is in its
    /// register.
    pub fn exit_points<P: Iterator<Item = Range<u64>> + Clone>(
        &self,
        paddings: P,
    ) -> impl Iterator<Item = ProbePoint> + Clone + use<'a, P> {
        points(self.function, after(&self.function, self.before.offset + SYSTEM_CALL.len()), paddings)
    }
}

/// The instructions before a system call, the last one first.
#[derive(Debug, Clone, Copy)]
struct Before {
    last: Replaceables,
    /// Where the call is.
    offset: usize,
}

impl Before {
    /// Those of the call with an offset in a function.
    fn of(function: &FunctionCode<'_>, offset: usize) -> Option<Before> {
        let (mut at, mut last) = (0, [None; MOST]);
        while at < offset {
            let instruction = DecodedInstruction::first(function.from(at))?;
            let [a, b, c, _] = last;
            last = [Some(Replaceable { offset: at, instruction }), a, b, c];
            at += instruction.len();
        }
        let is_there = at == offset && function.from(offset).starts_with(&SYSTEM_CALL);
        is_there.then_some(Before { last, offset })
    }

    /// Those that are executed just before it, one after the other.
    fn straight(&self) -> impl Iterator<Item = &Replaceable> {
        self.last.iter().flatten().take_while(|before| before.instruction.flow() == Flow::Next)
    }

    /// The call's number.
    fn number(&self) -> Option<u32> {
        let effect = self.straight().map(|before| before.instruction.register_effect());
        match effect.into_iter().find(|effect| effect.changes(RAX))? {
            RegisterEffect::Constant(_, number) => Some(number),
            _ => None,
        }
    }

    /// Those after which all is as it is at the call, but for a number that is known: without a branch that
    /// leads between them and the call.
    fn points(&self, function: &FunctionCode<'_>) -> Replaceables {
        let branches = Branches::after(function, self.offset.saturating_sub(MOST * LONGEST));
        let mut found = [None; MOST];
        for (place, before) in found.iter_mut().zip(self.straight()) {
            let end = before.offset + before.instruction.len();
            if branches.is_none_or(|branches| branches.may_lead_into(end, self.offset)) {
                break;
            }
            if before.instruction.stack_effect() == StackEffect::None {
                *place = Some(*before);
            }
            let effect = before.instruction.register_effect();
            let is_number = matches!(effect, RegisterEffect::Constant(RAX, _));
            let sets = |register: &u8| effect.changes(*register);
            if !is_number && (sets(&RAX) || ARGUMENTS.iter().any(sets)) {
                break;
            }
        }
        found
    }
}

/// The instructions from an offset on before which the call's result is in its register, and which are
/// executed only after it.
fn after(function: &FunctionCode<'_>, offset: usize) -> Replaceables {
    let branches = Branches::after(function, offset);
    let (mut at, mut found) = (offset, [None; MOST]);
    for place in &mut found {
        let Some(instruction) = DecodedInstruction::first(function.from(at)) else { break };
        if branches.is_none_or(|branches| branches.may_lead_into(offset, at)) {
            break;
        }
        *place = Some(Replaceable { offset: at, instruction });
        let is_last = instruction.flow() != Flow::Next
            || instruction.stack_effect() != StackEffect::None
            || instruction.register_effect().changes(RAX);
        if is_last {
            break;
        }
        at += instruction.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jump_space::JumpSpace;
    use std::vec::Vec;

    /// Its number, and the offsets of the points before and after, with padding in these places, of those
    /// that need no jump beforehand.
    fn call(
        start: u64,
        code: &[u8],
        offset: usize,
        paddings: &[Range<u64>],
    ) -> Option<(Option<u32>, Vec<usize>, Vec<usize>)> {
        let call = SystemCallCode::at(&FunctionCode { start, code }, offset)?;
        let paddings = paddings.iter().cloned();
        let is_later = |point: &ProbePoint| point.space != JumpSpace::Beforehand;
        let offsets = |points: &mut dyn Iterator<Item = ProbePoint>| {
            points.filter(is_later).map(|point| point.offset).collect()
        };
        let enter = offsets(&mut call.enter_points(paddings.clone()));
        Some((call.number(), enter, offsets(&mut call.exit_points(paddings))))
    }

    // mov eax, 257; syscall; cmp rax, -4096; ja +1; ret; xor eax, eax; ret.
    const OPENAT: [u8; 19] =
        [0xb8, 1, 1, 0, 0, 0x0f, 5, 0x48, 0x3d, 0, 0xf0, 0xff, 0xff, 0x77, 1, 0xc3, 0x31, 0xc0, 0xc3];

    #[test]
    fn the_instructions_next_to_it_are_replaced() {
        assert_eq!(call(0x1001, &OPENAT, 5, &[]), Some((Some(257), [0].to_vec(), [7, 13].to_vec())));
        // In two words, the first one of two bytes; the jump after the comparison needs padding.
        assert_eq!(call(0x1006, &OPENAT, 5, &[]), Some((Some(257), [].to_vec(), [13].to_vec())));
        let padding = 0x1040..0x1045;
        let expected = Some((Some(257), [0].to_vec(), [7, 13, 13].to_vec()));
        assert_eq!(call(0x1006, &OPENAT, 5, &[padding]), expected);
        let in_two_words = SystemCallCode::at(&FunctionCode { start: 0x1006, code: &OPENAT }, 5).unwrap();
        let spaces = in_two_words.enter_points(core::iter::empty()).map(|point| point.space);
        assert_eq!(spaces.collect::<Vec<_>>(), [JumpSpace::Beforehand]);
        assert_eq!(call(0x1000, &OPENAT, 4, &[]), None);
        assert_eq!(call(0x1000, &OPENAT, 6, &[]), None);
    }

    #[test]
    fn an_earlier_instruction_will_do_if_all_is_as_it_is_at_the_call() {
        // lea rdi, [rsp + 16]; mov eax, 257 in two words; syscall; ret.
        let code = [0x48, 0x8d, 0x7c, 0x24, 0x10, 0xb8, 1, 1, 0, 0, 0x0f, 5, 0xc3];
        assert_eq!(call(0x1002, &code, 10, &[]).unwrap().1, [0]);
        // mov edi, 1 instead of it is not passed: mov esi, 2; mov edi, 1; syscall.
        let code = [0xbe, 2, 0, 0, 0, 0xbf, 1, 0, 0, 0, 0x0f, 5, 0xc3];
        assert_eq!(call(0x1002, &code, 10, &[]), Some((None, [].to_vec(), [].to_vec())));
        assert_eq!(call(0x1003, &code, 10, &[]).unwrap().1, [5]);
    }

    #[test]
    fn the_number_is_known_where_nothing_else_may_have_changed_it() {
        let number = |code: &[u8]| call(0x1000, code, code.len() - 3, &[]).unwrap().0;
        // xor eax, eax; mov edi, 3; syscall; ret.
        assert_eq!(number(&[0x31, 0xc0, 0xbf, 3, 0, 0, 0, 0x0f, 5, 0xc3]), Some(0));
        // mov rax, 60.
        assert_eq!(number(&[0x48, 0xc7, 0xc0, 60, 0, 0, 0, 0x0f, 5, 0xc3]), Some(60));
        // mov eax, 60; mov eax, edi.
        assert_eq!(number(&[0xb8, 60, 0, 0, 0, 0x89, 0xf8, 0x0f, 5, 0xc3]), None);
        // mov eax, 60; cpuid.
        assert_eq!(number(&[0xb8, 60, 0, 0, 0, 0x0f, 0xa2, 0x0f, 5, 0xc3]), None);
        // mov eax, 60; call.
        assert_eq!(number(&[0xb8, 60, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0x0f, 5, 0xc3]), None);
    }

    #[test]
    fn what_is_executed_without_the_call_is_no_point() {
        // je past the number; mov eax, 257; syscall; cmp rax, -4096; ret.
        let mut code = [0x74, 5, 0xb8, 1, 1, 0, 0, 0x0f, 5, 0x48, 0x3d, 0, 0xf0, 0xff, 0xff, 0xc3];
        let points = |code: &[u8]| call(0x1006, code, 7, &[]).map(|(_, enter, exit)| (enter, exit)).unwrap();
        assert_eq!(points(&code), ([].to_vec(), [].to_vec()));
        // je past the call, to the comparison.
        code[1] = 7;
        assert_eq!(
            call(0x1000, &code, 7, &[]).map(|(_, enter, exit)| (enter, exit)),
            Some(([2].to_vec(), [].to_vec()))
        );
    }
}
