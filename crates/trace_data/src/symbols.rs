//! Names for addresses.

use std::fmt;
use std::sync::Arc;

/// What lies at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// The function's name.
    pub name: &'a str,
    /// Bytes from the function's start to the address.
    pub offset: u64,
    /// Bytes of the function, where known.
    pub size: Option<u64>,
    /// The module (of the kernel) or shared object that has it; `None` for the main program.
    pub module: Option<&'a str>,
}

impl Symbol<'_> {
    /// Whether it is no function but the file that the address lies in, which has no names for it.
    pub fn is_file(&self) -> bool {
        self.size.is_none() && self.offset > 0
    }
}

/// Something that knows names for addresses.
///
/// `()` knows none.
pub trait Symbols {
    /// The function that `address` lies in.
    fn symbol(&self, address: u64) -> Option<Symbol<'_>>;

    /// Appends where in the program's source the call is that returns to `address`, with what sets it off
    /// from the function's name. Nothing where that isn't known.
    fn source(&self, address: u64, out: &mut Vec<u8>) {
        let _ = (address, out);
    }

    /// Appends what the function at an address was called with, `NAME=VALUE, NAME=VALUE...`, from the
    /// registers that arguments are in. Nothing where it isn't known which there are.
    fn arguments(&self, function: u64, registers: &[u64; 6], out: &mut Vec<u8>) {
        let _ = (function, registers, out);
    }

    /// The constant string at `address`, for events that record a pointer to one.
    fn string(&self, address: u64) -> Option<&str> {
        let _ = address;
        None
    }
}

/// The function that an address is in; the place in the file where that has no names, `file+0x8`; the address
/// where neither is known.
pub fn function_at(address: u64, symbols: &dyn Symbols) -> String {
    match symbols.symbol(address) {
        Some(symbol) if !symbol.is_file() => symbol.name.to_owned(),
        found => place_of(found, address),
    }
}

/// The place of an address in the function that it is in, `name+0x8`, or in the file where that has no names;
/// the address where neither is known.
pub fn place_at(address: u64, symbols: &dyn Symbols) -> String {
    place_of(symbols.symbol(address), address)
}

fn place_of(symbol: Option<Symbol<'_>>, address: u64) -> String {
    match symbol {
        Some(symbol) => format!("{}+{:#x}", symbol.name, symbol.offset),
        None => format!("{address:#x}"),
    }
}

impl Symbols for () {
    fn symbol(&self, _address: u64) -> Option<Symbol<'_>> {
        None
    }
}

/// Something that knows what functions are called with.
pub trait Parameters: fmt::Debug + Send + Sync {
    /// Appends `NAME=VALUE, NAME=VALUE...` for the function that an address is in. Nothing where it isn't
    /// known.
    fn print(&self, function: u64, registers: &[u64; 6], out: &mut Vec<u8>);
}

/// Names read from text in the form of `/proc/kallsyms` and `printk_formats`, which is also what
/// trace.dat files carry.
#[derive(Debug, Clone, Default)]
pub struct SymbolTable {
    functions: Vec<NamedAddress>,
    strings: Vec<(u64, String)>,
    parameters: Option<Arc<dyn Parameters>>,
}

/// A name, and the address that it starts at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedAddress {
    address: u64,
    name: Box<str>,
    module: Option<Box<str>>,
    /// Whether it is a function: other things (type n) have a name and a start, but no size.
    is_function: bool,
}

impl NamedAddress {
    /// A function's, of a module or of the main program.
    pub fn function(address: u64, name: &str, module: Option<&str>) -> NamedAddress {
        NamedAddress { address, name: name.into(), module: module.map(Into::into), is_function: true }
    }

    /// The name of what is no function, and has no size.
    pub fn image(address: u64, name: &str, module: Option<&str>) -> NamedAddress {
        NamedAddress { is_function: false, ..NamedAddress::function(address, name, module) }
    }
}

/// A line as in `/proc/kallsyms`, without its end.
impl fmt::Display for NamedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_function { 'T' } else { 'n' };
        write!(f, "{:016x} {kind} {}", self.address, self.name)?;
        self.module.as_ref().map_or(Ok(()), |module| write!(f, "\t[{module}]"))
    }
}

impl FromIterator<NamedAddress> for SymbolTable {
    fn from_iter<I: IntoIterator<Item = NamedAddress>>(named: I) -> SymbolTable {
        let mut functions: Vec<_> = named.into_iter().collect();
        functions.sort_by_key(|function| function.address);
        SymbolTable { functions, strings: Vec::new(), parameters: None }
    }
}

/// The functions, as `/proc/kallsyms` has them.
impl fmt::Display for SymbolTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.functions.iter().try_for_each(|function| writeln!(f, "{function}"))
    }
}

impl SymbolTable {
    /// Reads lines `ADDRESS TYPE NAME` or `ADDRESS TYPE NAME\t[MODULE]` (`kallsyms`) and
    /// `ADDRESS : "STRING"` (`printk_formats`). Lines of another form are passed over: both files
    /// come from elsewhere, and a name less is no reason to show nothing.
    ///
    /// Takes the time of sorting: about a tenth of a second for the kernel's 200,000.
    pub fn parse(kallsyms: &str, printk_formats: &str) -> SymbolTable {
        let SymbolTable { functions, .. } = kallsyms.lines().filter_map(function).collect();
        let mut strings: Vec<_> = printk_formats.lines().filter_map(string).collect();
        strings.sort();
        SymbolTable { functions, strings, parameters: None }
    }

    /// With what functions are called with.
    pub fn with_parameters(self, parameters: Arc<dyn Parameters>) -> SymbolTable {
        SymbolTable { parameters: Some(parameters), ..self }
    }

    /// Gives functions other names: those that `rename` has one for.
    pub fn rename(&mut self, rename: impl Fn(&str) -> Option<String>) {
        for function in &mut self.functions {
            if let Some(name) = rename(&function.name) {
                function.name = name.into();
            }
        }
    }
}

impl Symbols for SymbolTable {
    /// The function with the highest start at or below `address`. Its size is the distance to the
    /// next one's start. Where the last function ends is not known: only its start is found, as by
    /// libtraceevent, so a table best ends with a name for the end.
    fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        let after = self.functions.partition_point(|function| function.address <= address);
        let start = self.functions[..after].last()?.address;
        let size = self.functions.get(after).map(|next| next.address - start);
        if size.is_none() && address != start {
            return None;
        }
        // Aliases share an address; the one named first is shown, as by the kernel.
        let first = self.functions.partition_point(|function| function.address < start);
        let function = &self.functions[first];
        let module = function.module.as_deref();
        let size = size.filter(|_| function.is_function);
        Some(Symbol { name: &function.name, offset: address - start, size, module })
    }

    fn arguments(&self, function: u64, registers: &[u64; 6], out: &mut Vec<u8>) {
        // A copy that the compiler has made for some of its callers takes other arguments.
        let is_copy = |name: &str| [".isra.", ".constprop.", ".part."].iter().any(|mark| name.contains(mark));
        if let Some(parameters) = &self.parameters
            && !self.symbol(function).is_some_and(|symbol| is_copy(symbol.name))
        {
            parameters.print(function, registers, out);
        }
    }

    fn string(&self, address: u64) -> Option<&str> {
        let found = self.strings.binary_search_by_key(&address, |(address, _)| *address).ok()?;
        Some(&self.strings[found].1)
    }
}

/// A line of `kallsyms`. Absolute symbols (type A) are numbers, not places.
fn function(line: &str) -> Option<NamedAddress> {
    let (symbol, module) = match line.split_once('\t') {
        Some((symbol, module)) => (symbol, Some(module.trim_matches(['[', ']']).into())),
        None => (line, None),
    };
    let mut words = symbol.splitn(3, ' ');
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    let kind = words.next()?;
    let name = words.next()?.trim_end();
    if kind.eq_ignore_ascii_case("a") || name.is_empty() {
        return None;
    }
    Some(NamedAddress { address, name: name.into(), module, is_function: !kind.eq_ignore_ascii_case("n") })
}

/// A line of `printk_formats`.
fn string(line: &str) -> Option<(u64, String)> {
    let (address, text) = line.split_once(" : ")?;
    let address = u64::from_str_radix(address.trim().strip_prefix("0x")?, 16).ok()?;
    let text = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some((address, crate::print::unescape(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KALLSYMS: &str = "\
0000000000001000 T first
0000000000001000 t alias
0000000000001100 T second with blanks\t[libdemo]
0000000000000010 A absolute
nonsense
0000000000002000 W last
";

    #[test]
    fn addresses_belong_to_the_function_before() {
        let table = SymbolTable::parse(KALLSYMS, "");
        assert_eq!(table.functions.len(), 4);
        assert_eq!(table.symbol(0xfff), None);
        let first = Symbol { name: "first", offset: 8, size: Some(0x100), module: None };
        assert_eq!(table.symbol(0x1008), Some(first));
        let second = table.symbol(0x1fff).unwrap();
        assert_eq!((second.name, second.module), ("second with blanks", Some("libdemo")));
        assert_eq!((second.offset, second.size), (0xeff, Some(0xf00)));
        assert_eq!(table.symbol(0x2000).unwrap().size, None);
        let image = SymbolTable::parse("1000 n image\n2000 T next\n", "");
        assert_eq!((image.symbol(0x1800).unwrap().offset, image.symbol(0x1800).unwrap().size), (0x800, None));
        assert_eq!(table.symbol(0x2001), None);
    }

    #[test]
    fn functions_get_other_names() {
        let mut table = SymbolTable::parse(KALLSYMS, "");
        table.rename(|name| (name == "first").then(|| "main".to_owned()));
        assert_eq!(table.symbol(0x1008).unwrap().name, "main");
        assert_eq!(table.symbol(0x1101).unwrap().name, "second with blanks");
    }

    #[test]
    fn strings_are_found_by_their_exact_address() {
        let table = SymbolTable::parse("", "0x2000 : \"say \\\"hi\\\"\\n\"\n0x1000 : \"x\"\n");
        assert_eq!(table.string(0x2000), Some("say \"hi\"\n"));
        assert_eq!(table.string(0x1000), Some("x"));
        assert_eq!(table.string(0x1001), None);
    }
}
