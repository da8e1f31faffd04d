//! The variables that an instruction can see.

use crate::canonical_frames::CanonicalFrames;
use crate::debug_units::DebugUnits;
use crate::die::Die;
use crate::location::{BadLocation, LocationContext};
use crate::no_variable::NoVariable;
use crate::parameter::ParameterValue;
use crate::placed_unit::PlacedUnit;
use crate::sections::SectionBytes;
use crate::storage::{ARGUMENTS, FetchText, ValueStorage};
use crate::value::VariableValue;
use crate::variable_path::VariablePath;
use crate::variable_type::{TypeKind, VariableType};
use gimli::{
    AttributeValue, DW_AT_const_value, DW_AT_declaration, DW_AT_external, DW_AT_frame_base, DW_AT_location,
    DW_TAG_formal_parameter, DW_TAG_variable, X86_64,
};

/// The deepest that blocks are nested.
const DEEPEST: usize = 64;

/// An instruction of a function, and the variables that are in scope there.
#[derive(Debug)]
pub struct VariableScope<'a> {
    units: &'a DebugUnits,
    frames: &'a CanonicalFrames,
    address: u64,
    /// Bytes of instructions there that do nothing.
    nops: u64,
    function: Die<'a>,
    /// The innermost first; the function itself is the last.
    blocks: Vec<Die<'a>>,
}

/// A field of an event: its name, and what a probe fetches into it, with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFetch {
    /// The name that was given, or that of the variable or its last member.
    pub name: String,
    /// In the grammar of the kernel's probes.
    pub fetch: String,
}

/// A variable in scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopedVariable {
    /// Its name.
    pub name: String,
    /// The name of its type, as the source's language has it.
    pub type_name: String,
    /// Whether the function was called with it.
    pub is_parameter: bool,
    /// What a probe fetches of it.
    pub fetch: Result<NamedFetch, NoVariable>,
}

impl<'a> VariableScope<'a> {
    pub(crate) fn new(
        units: &'a DebugUnits,
        frames: &'a CanonicalFrames,
        address: u64,
        function: Die<'a>,
    ) -> VariableScope<'a> {
        let mut blocks = vec![function.clone()];
        while let Some(inner) = blocks.first().and_then(|block| inner_block(block, address)) {
            blocks.insert(0, inner);
            if blocks.len() > DEEPEST {
                break;
            }
        }
        VariableScope { units, frames, address, nops: 0, function, blocks }
    }

    /// The function's name, without those that it is in.
    pub fn function_name(&self) -> Option<String> {
        self.function.name()
    }

    /// With so many bytes of instructions there that do nothing, such as those that a compiler leaves for
    /// tracers: variables may be said to be somewhere only after these.
    pub fn with_nops(self, nops: u64) -> VariableScope<'a> {
        VariableScope { nops, ..self }
    }

    pub(crate) fn function(&self) -> &Die<'a> {
        &self.function
    }

    /// Where the innermost function begins: one that was inlined there, or the function itself.
    pub(crate) fn innermost_function(&self) -> Option<u64> {
        let is_function = |die: &&Die<'_>| {
            [gimli::DW_TAG_inlined_subroutine, gimli::DW_TAG_subprogram].contains(&die.tag())
        };
        let innermost = self.blocks.iter().find(is_function)?;
        innermost.ranges().first().map(|range| range.start)
    }

    /// The address of the function's first instruction.
    pub fn start(&self) -> Option<u64> {
        self.function.ranges().first().map(|range| range.start)
    }

    /// Whether the instruction is the function's first one.
    pub fn is_entry(&self) -> bool {
        self.start() == Some(self.address)
    }

    /// What a probe there fetches for `[NAME=]PATH[:TYPE]`; or why it can't.
    pub fn fetch(&self, argument: &str) -> Result<NamedFetch, NoVariable> {
        let (name, rest) = match argument.split_once('=') {
            Some((name, rest)) => (Some(name), rest),
            None => (None, argument),
        };
        let (text, wanted) = match rest.split_once(':') {
            Some((text, wanted)) => (text, Some(wanted)),
            None => (rest, None),
        };
        let path = VariablePath::parse(text).ok_or_else(|| NoVariable::BadPath { text: text.to_string() })?;
        let value = self.value(&self.find(&path.name)?, &path.name)?;
        let value = path.steps.iter().try_fold(value, |value, step| value.step(step))?;
        let name = name.unwrap_or(path.field_name()).to_string();
        Ok(NamedFetch { name, fetch: value.fetch(wanted)? })
    }

    /// Those of the function and its blocks, the innermost first.
    pub fn variables(&self) -> Vec<ScopedVariable> {
        let mut found: Vec<ScopedVariable> = Vec::new();
        for die in self.blocks.iter().flat_map(variables_of) {
            let Some(name) = die.name().filter(|name| found.iter().all(|known| known.name != *name)) else {
                continue;
            };
            let fetched = self.value(&die, &name).and_then(|value| value.fetch(None));
            found.push(ScopedVariable {
                type_name: VariableType::new(die.type_of()).name(),
                is_parameter: die.tag() == DW_TAG_formal_parameter,
                fetch: fetched.map(|fetch| NamedFetch { name: name.clone(), fetch }),
                name,
            });
        }
        found
    }

    /// The variable of a name: of the innermost block that has one, or of the file.
    fn find(&self, name: &str) -> Result<Die<'a>, NoVariable> {
        let is_it = |die: &Die<'_>| die.name().as_deref() == Some(name);
        let local = self.blocks.iter().flat_map(variables_of).find(is_it);
        local.filter(|die| !die.has(DW_AT_declaration)).or_else(|| self.global(&is_it)).ok_or_else(|| {
            let in_scope = self.variables().into_iter().map(|variable| variable.name).collect();
            NoVariable::Unknown { name: name.to_string(), in_scope }
        })
    }

    /// A variable of the same source file; or one that all can see.
    fn global(&self, is_it: &dyn Fn(&Die<'_>) -> bool) -> Option<Die<'a>> {
        let own = self.function.place();
        let is_defined = |die: &Die<'_>| die.has(DW_AT_location) || die.has(DW_AT_const_value);
        let in_unit = |unit: &PlacedUnit| {
            let root = Die::root(self.units, unit)?;
            let is_visible = |die: &Die<'_>| unit.is(own) || die.origins().any(|die| die.has(DW_AT_external));
            root.globals(DW_TAG_variable)
                .into_iter()
                .find(|die| is_defined(die) && is_visible(die) && is_it(die))
        };
        in_unit(own).or_else(|| self.units.all().filter(|unit| !unit.is(own)).find_map(|unit| in_unit(&unit)))
    }

    /// The value of a variable.
    fn value(&self, variable: &Die<'a>, name: &str) -> Result<VariableValue<'a>, NoVariable> {
        let storage = self.storage(variable, name)?;
        Ok(VariableValue::new(name, storage, VariableType::new(variable.type_of())))
    }

    /// Where a variable is.
    fn storage(&self, variable: &Die<'a>, name: &str) -> Result<ValueStorage, NoVariable> {
        let located = self.located(variable, name)?;
        if !self.is_entry() || located.is_known_at_entry() {
            return Ok(located);
        }
        // Where the function itself puts it: it comes in as the calling convention says. Optimized code may
        // have left it out.
        let passed =
            self.passed(variable).filter(|_| !self.is_optimized()).filter(ValueStorage::is_known_at_entry);
        passed.ok_or_else(|| NoVariable::NotAtEntry { name: name.to_string() })
    }

    /// Where a variable is, as its location says.
    fn located(&self, variable: &Die<'a>, name: &str) -> Result<ValueStorage, NoVariable> {
        let optimized_out = || NoVariable::OptimizedOut { name: name.to_string() };
        let constant = variable.entry().attr_value(DW_AT_const_value);
        if let Some(value) = constant {
            let signed = value.sdata_value().or_else(|| value.udata_value().map(u64::cast_signed));
            return signed.map(ValueStorage::Constant).ok_or_else(optimized_out);
        }
        let location = variable.entry().attr_value(DW_AT_location).ok_or_else(optimized_out)?;
        let context = self.context(variable).ok_or_else(optimized_out)?;
        let expression = match location.exprloc_value() {
            Some(expression) => expression,
            None => {
                listed(&context, location).ok_or_else(|| NoVariable::NotHere { name: name.to_string() })?
            }
        };
        let name = name.to_string();
        context.evaluate(expression).map_err(|why| match why {
            BadLocation::OptimizedOut => NoVariable::OptimizedOut { name },
            BadLocation::ThreadLocal => NoVariable::ThreadLocal { name },
            BadLocation::Computed => NoVariable::Computed { name },
        })
    }

    /// What locations in the unit of an entry are relative to.
    fn context<'d>(&'d self, of: &'d Die<'a>) -> Option<LocationContext<'d>> {
        let address = self.address;
        let frame_address = match self.is_entry() {
            // Above the return address.
            true => Some((X86_64::RSP, 8)),
            false => self.frames.at(address),
        };
        let frame_address =
            frame_address.and_then(|(register, offset)| Some((FetchText::register(register)?, offset)));
        let dwarf = self.function.dwarf();
        let is_entry = self.is_entry();
        let own = LocationContext {
            dwarf,
            unit: self.function.unit(),
            address,
            next: address.saturating_add(self.nops),
            is_entry,
            frame_address,
            frame_base: None,
        };
        let base = self.function.entry().attr_value(DW_AT_frame_base);
        let base = base.and_then(|base| base.exprloc_value().or_else(|| listed(&own, base)));
        let frame_base = base.and_then(|base| own.frame_base(base));
        Some(LocationContext { dwarf: of.dwarf(), unit: of.unit(), frame_base, ..own })
    }

    /// Whether the function's unit was optimized: variables of such have several places.
    fn is_optimized(&self) -> bool {
        let is_list = |value: AttributeValue<SectionBytes>| {
            matches!(value, AttributeValue::LocationListsRef(_) | AttributeValue::DebugLocListsIndex(_))
        };
        let mut entries = self.function.unit().entries();
        while let Ok(Some(entry)) = entries.next_dfs() {
            if entry.attr_value(DW_AT_location).is_some_and(is_list) {
                return true;
            }
        }
        false
    }

    /// Where a parameter of the function is when it is called, by the calling convention.
    fn passed(&self, variable: &Die<'a>) -> Option<ValueStorage> {
        let parameters = self.function.children();
        let mut parameters = parameters.iter().filter(|die| die.tag() == DW_TAG_formal_parameter);
        let index = parameters.position(|die| die.is(variable))?;
        let passed = self.function.parameters(self.address);
        let register = |index: &Option<usize>| ARGUMENTS.get((*index)?).copied();
        match &passed.get(index)?.value {
            ParameterValue::Number { register: index, .. } => {
                let register = register(&Some(*index))?;
                match VariableType::new(variable.type_of()).kind() {
                    // Its address is passed.
                    TypeKind::Structure(_) => {
                        Some(ValueStorage::Memory { base: FetchText::register(register)?, offset: 0 })
                    }
                    _ => Some(ValueStorage::Register { register, skipped: 0 }),
                }
            }
            ParameterValue::Words { registers, .. } => {
                let piece = |index| Some(ValueStorage::Register { register: register(index)?, skipped: 0 });
                Some(ValueStorage::Pieces(registers.iter().map(|index| (piece(index), 8)).collect()))
            }
            ParameterValue::Unknown | ParameterValue::OnStack => None,
        }
    }
}

/// The expression of a list that is for an instruction.
fn listed(
    context: &LocationContext<'_>,
    location: AttributeValue<SectionBytes>,
) -> Option<gimli::Expression<SectionBytes>> {
    let mut list = context.dwarf.attr_locations(context.unit, location).ok()??;
    while let Some(found) = list.next().ok()? {
        if found.range.begin <= context.next && context.address < found.range.end {
            return Some(found.data);
        }
    }
    None
}

/// The block in a block that has an address.
fn inner_block<'a>(block: &Die<'a>, address: u64) -> Option<Die<'a>> {
    let is_block = |die: &Die<'_>| {
        let blocks = [
            gimli::DW_TAG_lexical_block,
            gimli::DW_TAG_inlined_subroutine,
            gimli::DW_TAG_try_block,
            gimli::DW_TAG_catch_block,
        ];
        blocks.contains(&die.tag())
    };
    block.children().into_iter().find(|die| is_block(die) && die.contains(address))
}

fn variables_of<'a>(block: &Die<'a>) -> Vec<Die<'a>> {
    let is_variable = |die: &Die<'_>| [DW_TAG_formal_parameter, DW_TAG_variable].contains(&die.tag());
    block.children().into_iter().filter(is_variable).collect()
}
