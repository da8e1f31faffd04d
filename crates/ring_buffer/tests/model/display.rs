//! How words and their contents are shown to a reader of the steps.

use crate::event;
use crate::layout::{ControlWord, FIRST_HOLDER, FIRST_KEPT, FIRST_PAGE, FIRST_RING, FIRST_SLOT, KEPT_WORDS};
use crate::layout::{PAGE_WORDS, PAGES, Parts, Place, RING_WORDS, RINGS, SLOT_WORDS, Tail, Value, Word};
use std::fmt;

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const BLOCK: [&str; FIRST_HOLDER] = [
            "control",
            "tail",
            "last_time",
            "seen",
            "reserved",
            "flags",
            "owner",
            "dropped",
            "clock",
            "refused",
            "parts",
        ];
        const KEPT: [&str; KEPT_WORDS] = ["word", "time", "size"];
        const RING: [&str; RING_WORDS] = [
            "generation",
            "first_sequence",
            "first_event",
            "final_tail",
            "next_event",
            "read",
            "resets",
            "pages",
        ];
        const SLOT: [&str; SLOT_WORDS] = ["sequence", "first_event"];
        let index = self.index();
        if index < FIRST_HOLDER {
            return f.write_str(BLOCK[index]);
        }
        if index < FIRST_KEPT {
            return write!(f, "holder {}", index - FIRST_HOLDER);
        }
        if index < FIRST_RING {
            let index = index - FIRST_KEPT;
            return write!(f, "kept {}.{}", index / KEPT_WORDS, KEPT[index % KEPT_WORDS]);
        }
        if index < FIRST_SLOT {
            let index = index - FIRST_RING;
            return write!(f, "ring {}.{}", index / RING_WORDS, RING[index % RING_WORDS]);
        }
        if index < FIRST_PAGE {
            let index = index - FIRST_SLOT;
            let (number, word) = (index / SLOT_WORDS, SLOT[index % SLOT_WORDS]);
            return write!(f, "ring {} slot {}.{word}", number / PAGES, number % PAGES);
        }
        let index = index - FIRST_PAGE;
        let number = index / PAGE_WORDS;
        write!(f, "ring {} page {}.", number / PAGES, number % PAGES)?;
        match index % PAGE_WORDS {
            0 => f.write_str("time_stamp"),
            1 => f.write_str("commit"),
            word => write!(f, "data[{}]", word - 2),
        }
    }
}

impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { ring, index } = self.place();
        write!(f, "{{ring {ring} page {index} + {}, {} events}}", self.commit(), self.events())
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: [u8; RINGS] = std::array::from_fn(|ring| self.of(ring as u8));
        write!(f, "{{{parts:?} as of generation {}}}", self.generation())
    }
}

impl fmt::Display for ControlWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let epoch = (self.0 & ControlWord::EPOCH) >> ControlWord::NEXT_EPOCH.trailing_zeros();
        write!(f, "{{generation {}, epoch {epoch}, ring {}", self.generation(), self.ring())?;
        f.write_str(if self.no_overwrite() { ", no overwrite" } else { "" })?;
        f.write_str(if self.is_off() { ", off}" } else { "}" })
    }
}

/// What `value` means in `word`.
pub fn describe(word: Word, value: Value) -> String {
    let is_tail = word == Word::TAIL || (0..RINGS as u8).any(|ring| word == Word::final_tail(ring));
    match word {
        _ if is_tail => Tail(value).to_string(),
        Word::PARTS => Parts(value).to_string(),
        Word::SEEN if value == Value::MAX => "nothing".into(),
        Word::CONTROL | Word::SEEN => ControlWord(value).to_string(),
        _ if word.index() >= FIRST_PAGE && (word.index() - FIRST_PAGE) % PAGE_WORDS >= 2 => {
            event::describe(value)
        }
        _ if value == Value::MAX => "none".into(),
        _ => value.to_string(),
    }
}
