//! The names of types, as the source has them.

use crate::die::Die;
use crate::variable_type::{TypeKind, VariableType};

/// The longest type that is named in full.
const LONGEST: usize = 16;

impl VariableType<'_> {
    /// Its name: of pointers and arrays as C has it.
    pub(crate) fn name(&self) -> String {
        self.name_within(LONGEST)
    }

    fn name_within(&self, depth: usize) -> String {
        let Some(die) = &self.die else { return "void".to_string() };
        let Some(depth) = depth.checked_sub(1) else { return "...".to_string() };
        let inner = || VariableType::new(die.type_of()).name_within(depth);
        let pointer = |mark: &str| {
            let inner = inner();
            let blank = if inner.ends_with(['*', '&']) { "" } else { " " };
            format!("{inner}{blank}{mark}")
        };
        match die.tag() {
            // What is constant of a pointer or an array is not what it has.
            gimli::DW_TAG_const_type => match die.type_of().map(|of| of.tag()) {
                Some(gimli::DW_TAG_pointer_type | gimli::DW_TAG_array_type) => inner(),
                _ => format!("const {}", inner()),
            },
            gimli::DW_TAG_volatile_type => format!("volatile {}", inner()),
            gimli::DW_TAG_restrict_type => inner(),
            gimli::DW_TAG_array_type => match self.kind() {
                TypeKind::Array { count: Some(count), .. } => format!("{}[{count}]", inner()),
                _ => format!("{}[]", inner()),
            },
            gimli::DW_TAG_subroutine_type => "function".to_string(),
            _ => match (die.type_name(), die.tag()) {
                (Some(name), _) => format!("{}{name}", keyword(die)),
                (None, gimli::DW_TAG_pointer_type) => pointer("*"),
                (None, gimli::DW_TAG_reference_type) => pointer("&"),
                (None, gimli::DW_TAG_rvalue_reference_type) => pointer("&&"),
                (None, _) => format!("{}{{...}}", keyword(die)),
            },
        }
    }
}

/// What C has before the names of such types.
fn keyword(die: &Die<'_>) -> &'static str {
    let c =
        [gimli::DW_LANG_C, gimli::DW_LANG_C89, gimli::DW_LANG_C99, gimli::DW_LANG_C11, gimli::DW_LANG_C17];
    let is_c = die.language().is_some_and(|language| c.contains(&language));
    match die.tag() {
        gimli::DW_TAG_structure_type if is_c => "struct ",
        gimli::DW_TAG_union_type if is_c => "union ",
        gimli::DW_TAG_enumeration_type if is_c => "enum ",
        _ => "",
    }
}
