//! From an expression to words.

use crate::expression::Condition;
use crate::predicate::Predicate;
use crate::word::{Head, Test};
use alloc::vec::Vec;

/// A place in a program that is not known yet, and the jumps that go there.
#[derive(Debug, Default)]
struct Label(Vec<usize>);

/// Which of the two outcomes of an expression goes on to the next instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    True,
    False,
}

/// The program of an expression.
pub(crate) fn emit(expression: &Condition) -> Vec<u64> {
    let mut code = Code::default();
    let (mut pass, mut reject) = (Label::default(), Label::default());
    code.expression(expression, &mut pass, &mut reject, Next::True);
    code.outcome(pass, true);
    code.outcome(reject, false);
    code.end();
    code.words
}

#[derive(Debug, Default)]
struct Code {
    words: Vec<u64>,
    /// Where the last term is: in front of the outcomes.
    last: usize,
}

impl Code {
    fn expression(&mut self, expression: &Condition, yes: &mut Label, no: &mut Label, next: Next) {
        match expression {
            Condition::Term(predicate, inverted) => {
                let (jumps_when, label) = if next == Next::True { (false, no) } else { (true, yes) };
                label.0.push(self.words.len());
                self.term(predicate, jumps_when != *inverted);
            }
            Condition::All(parts) => self.parts(parts, Next::True, yes, no, next),
            Condition::Any(parts) => self.parts(parts, Next::False, yes, no, next),
        }
    }

    /// Parts of which each but the last goes on to the next one with the result `through`.
    fn parts(&mut self, parts: &[Condition], through: Next, yes: &mut Label, no: &mut Label, next: Next) {
        let Some((last, first)) = parts.split_last() else { return };
        for part in first {
            let mut after = Label::default();
            match through {
                Next::True => self.expression(part, &mut after, no, through),
                Next::False => self.expression(part, yes, &mut after, through),
            }
            self.place(after);
        }
        self.expression(last, yes, no, next);
    }

    fn term(&mut self, predicate: &Predicate, jumps_when: bool) {
        let operands = predicate.operands.len() as u16;
        self.last = self.words.len();
        self.words.push(predicate.head.jumping(jumps_when, operands).encode());
        self.words.push(predicate.value);
        self.words.extend(&predicate.operands);
    }

    fn outcome(&mut self, label: Label, passes: bool) {
        self.place(label);
        self.words.push(Head::new(Test::Outcome, 0, u8::from(passes)).encode());
    }

    /// Lets the last term say that it is: it goes on to where records pass, and jumps to where they don't.
    fn end(&mut self) {
        if let Some((word, head)) =
            self.words.get_mut(self.last).and_then(|word| Head::decode(*word).map(|head| (word, head)))
        {
            *word = head.ending().encode();
        }
    }

    /// Lets the jumps to a label go to here.
    fn place(&mut self, label: Label) {
        let target = self.words.len() as u16;
        for jump in label.0 {
            if let Some(head) = Head::decode(self.words[jump]) {
                self.words[jump] = Head { target, ..head }.encode();
            }
        }
    }
}
