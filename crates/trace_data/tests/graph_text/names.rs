//! Names of functions, and what they are called with.

use trace_data::symbols::{Symbol, Symbols};

/// Names of whatever has one; an address is the place in the list.
#[derive(Default)]
pub struct Names {
    names: Vec<Box<str>>,
}

/// Between two addresses.
const STEP: u64 = 0x1000;

impl Names {
    pub fn address(&mut self, name: &str) -> u64 {
        let known = self.names.iter().position(|known| &**known == name);
        let index = known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        (index as u64 + 1) * STEP
    }

    fn name(&self, address: u64) -> Option<&str> {
        let index = (address / STEP).checked_sub(1)?;
        self.names.get(index as usize).map(|name| &**name)
    }
}

impl Symbols for Names {
    /// Names may be `NAME+0xOFFSET/0xSIZE`.
    fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        let name = self.name(address)?;
        let Some((name, place)) = name.split_once('+') else {
            return Some(Symbol { name, offset: 0, size: Some(STEP), module: None });
        };
        let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
        let (offset, size) = place.split_once('/').unwrap();
        Some(Symbol { name, offset: number(offset), size: Some(number(size)), module: None })
    }

    fn arguments(&self, _function: u64, registers: &[u64; 6], out: &mut Vec<u8>) {
        out.extend(self.name(registers[0]).unwrap().bytes());
    }
}
