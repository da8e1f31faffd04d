//! Events ready to be printed, and the table of them by id.

use crate::format::Format;
use crate::print::{Dialect, FieldForm, PrintError, Template, print_fields};
use crate::symbols::Symbols;
use std::collections::HashMap;
use std::sync::OnceLock;

/// An event: its format, and its print format parsed.
#[derive(Debug)]
pub struct Event {
    format: Format,
    dialect: Dialect,
    /// Parsed when it is needed first: of all events that there are, few are in a buffer.
    template: OnceLock<Result<Template, PrintError>>,
}

impl Event {
    /// The event of `format`. A print format that can't be parsed is no error: such an event is printed field
    /// by field.
    pub fn new(format: Format, dialect: Dialect) -> Event {
        Event { format, dialect, template: OnceLock::new() }
    }

    fn template(&self) -> &Result<Template, PrintError> {
        self.template.get_or_init(|| Template::new(&self.format, self.dialect))
    }

    /// The format.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// Why the print format can't be evaluated, if it can't.
    pub fn print_error(&self) -> Option<&PrintError> {
        self.template().as_ref().err()
    }

    /// Appends the text of a record, without the event's name, to `out`.
    ///
    /// Bytes, not a `str`: strings in a record have whatever encoding the traced program uses.
    pub fn print(&self, payload: &[u8], symbols: &dyn Symbols, out: &mut Vec<u8>) {
        match self.template() {
            Ok(template) => template.print(&self.format, payload, symbols, out),
            Err(_) => {
                out.extend_from_slice(b"[FAILED TO PARSE]");
                print_fields(&self.format, payload, out);
            }
        }
    }

    /// Whether the print format gives the field at `index` of the format's fields as a function's name.
    pub fn names_function(&self, index: usize) -> bool {
        self.form(index) == FieldForm::Function
    }

    /// As what the print format shows the field at `index` of the format's fields: as a number where it can't
    /// be evaluated.
    pub fn form(&self, index: usize) -> FieldForm {
        self.template().as_ref().map_or(FieldForm::Number, |template| template.form(index))
    }

    /// Appends what the text of a record has of the field at `index` of the format's fields:
    /// `O_RDWR|O_CREAT`. Nothing where the print format shows it together with others, or can't be evaluated.
    pub fn print_field(&self, index: usize, payload: &[u8], symbols: &dyn Symbols, out: &mut Vec<u8>) {
        if let Ok(template) = self.template() {
            template.print_field(index, &self.format, payload, symbols, out);
        }
    }

    /// Appends ` name=value` for each of the event's own fields.
    pub fn print_fields(&self, payload: &[u8], out: &mut Vec<u8>) {
        print_fields(&self.format, payload, out);
    }
}

/// The events of a recording, found by id in constant time.
#[derive(Debug, Default)]
pub struct EventTable {
    by_id: Vec<Option<Box<Event>>>,
    /// The ids of those that have a name, made when one is asked for by it.
    by_name: OnceLock<HashMap<Box<str>, Vec<u16>>>,
}

impl EventTable {
    /// Adds an event; one of the same id that was there before is returned.
    pub fn insert(&mut self, event: Event) -> Option<Box<Event>> {
        let id = usize::from(event.format.id);
        self.by_name.take();
        if self.by_id.len() <= id {
            self.by_id.resize_with(id + 1, || None);
        }
        self.by_id[id].replace(Box::new(event))
    }

    /// The event with this id.
    pub fn get(&self, id: u16) -> Option<&Event> {
        self.by_id.get(usize::from(id))?.as_deref()
    }

    /// The event that a payload is a record of.
    pub fn of(&self, payload: &[u8]) -> Option<&Event> {
        self.get(crate::bytes::u16_at(payload, 0)?)
    }

    /// The event `name` of `system`. The first call looks at every event.
    pub fn named(&self, system: &str, name: &str) -> Option<&Event> {
        let ids = self.by_name.get_or_init(|| self.names()).get(name)?;
        ids.iter().filter_map(|id| self.get(*id)).find(|event| event.format.system == system)
    }

    fn names(&self) -> HashMap<Box<str>, Vec<u16>> {
        let mut names: HashMap<Box<str>, Vec<u16>> = HashMap::new();
        for Format { name, id, .. } in self.iter().map(Event::format) {
            names.entry(name.as_str().into()).or_default().push(*id);
        }
        names
    }

    /// All events, by their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Event> {
        self.by_id.iter().flatten().map(|event| &**event)
    }
}

impl FromIterator<Event> for EventTable {
    fn from_iter<I: IntoIterator<Item = Event>>(events: I) -> EventTable {
        let mut table = EventTable::default();
        events.into_iter().for_each(|event| drop(table.insert(event)));
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::SymbolTable;

    /// Fields of every kind; their values are in [`payload`].
    const FIELDS: &str = "\
name: demo
ID: 7
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;

\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;
\tfield:short s;\toffset:12;\tsize:2;\tsigned:1;
\tfield:u8 zero;\toffset:14;\tsize:1;\tsigned:0;
\tfield:u8 c;\toffset:15;\tsize:1;\tsigned:0;
\tfield:unsigned long l;\toffset:16;\tsize:8;\tsigned:0;
\tfield:u8 bytes[16];\toffset:24;\tsize:16;\tsigned:0;
\tfield:__data_loc u32[] words;\toffset:40;\tsize:4;\tsigned:0;
\tfield:__data_loc char[] text;\toffset:44;\tsize:4;\tsigned:0;
\tfield:const char * name;\toffset:48;\tsize:8;\tsigned:0;

print fmt: ";

    fn payload() -> Vec<u8> {
        let mut payload = vec![7, 0, 0, 0, 0, 0, 0, 0];
        payload.extend((-5_i32).to_le_bytes());
        payload.extend((-2_i16).to_le_bytes());
        payload.extend([0, b'x']);
        payload.extend(0x1008_u64.to_le_bytes());
        payload.extend([127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16]);
        payload.extend(((8_u32 << 16) | 56).to_le_bytes());
        payload.extend(((6_u32 << 16) | 64).to_le_bytes());
        payload.extend(0x5000_u64.to_le_bytes());
        payload.extend([0x0f, 0, 0, 0, 0, 1, 0, 0]);
        payload.extend(b"hello\0\0\0");
        payload
    }

    fn printed(print_fmt: &str, dialect: Dialect) -> String {
        let format = Format::parse("demo", &format!("{FIELDS}{print_fmt}\n")).unwrap();
        let kallsyms = "1000 T start\n1040 T next\t[demo]\n2000 T end\n";
        let symbols = SymbolTable::parse(kallsyms, "0x5000 : \"constant\"\n");
        let mut out = Vec::new();
        Event::new(format, dialect).print(&payload(), &symbols, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_the_dialects_print_alike() {
        let cases = [
            (r#""%d%%\t%s", REC->i, REC->name"#, "-5%\tconstant"),
            (
                r#""<%*d> <%-*d> <%.*s> <%+d>", 4, REC->i, 4, REC->i, 2, __get_str(text), REC->i"#,
                "<  -5> <-5  > <he> <-5>",
            ),
            (r#""%c%c", REC->c, REC->zero ? 'y' : 'n'"#, "xn"),
            (r#""%s", REC->i == 3 ? "a" : REC->c == 'x' ? "b" : "c""#, "b"),
            (r#""%d %d", REC->c ^ 8, REC->c - 100 - 10"#, "112 10"),
            (
                r#""%s", __print_array(__get_dynamic_array(words), __get_dynamic_array_len(words) / 4, 4)"#,
                "{0xf,0x100}",
            ),
            (r#""%s %s", __print_hex(REC->bytes, 4), __print_hex_str(REC->bytes, 2)"#, "7f 00 00 01 7f00"),
            (r#""%s", __get_bitmask(words)"#, "00000100,0000000f"),
            (r#""%x %x", ((u8 *)__get_dynamic_array(words))[5], REC->bytes[15]"#, "1 10"),
            (
                r#""%pI4 %pi4 %pI6c %pM %pU", REC->bytes, REC->bytes, REC->bytes, REC->bytes, REC->bytes"#,
                "127.0.0.1 127.000.000.001 7f00:1::10 7f:00:00:01:00:00 7f000001-0000-0000-0000-000000000010",
            ),
            (r#""%s", __print_symbolic(REC->c, { 1, "one" }, { 'x', "ex" })"#, "ex"),
            (r#""%s", __print_flags(REC->l, " or ", { 8, "eight" }, { 1, "one" })"#, "eight or 0x1000"),
            (
                r#""%f %d""#,
                "[FAILED TO PARSE] i=-5 s=-2 zero=0 c=120 l=0x1008 bytes=ARRAY[7f, 00, 00, 01, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 10] \
                 words=ARRAY[0f, 00, 00, 00, 00, 01, 00, 00] text=hello name=0x5000",
            ),
        ];
        for (print_fmt, expected) in cases {
            for dialect in [Dialect::Kernel, Dialect::Report] {
                assert_eq!(printed(print_fmt, dialect), expected, "{print_fmt} {dialect:?}");
            }
        }
    }

    #[test]
    fn what_they_print_each_their_own_way() {
        let cases = [
            (r#""%ld %d", REC->i, REC->i < 0"#, "-5 1", "4294967291 0"),
            (r#""%ld", (long)REC->s"#, "-2", "65534"),
            (r#""%p %p", REC->l, REC->zero"#, "0000000000001008 0000000000000000", "0x1008 (nil)"),
            (
                r#""%ps %pS %pS", REC->l, REC->l, REC->l + 0x40"#,
                "start start+0x8/0x40 next+0x8/0xfc0 [demo]",
                "start start+0x8 next+0x8",
            ),
            (r#""%pS", 0x9"#, "0x9", "0x9"),
            (r#""%s", __get_cpumask(words)"#, "00000100,0000000f", "0-3,40"),
            (
                r#""<%8s>", __print_flags(REC->c, "|", { 8, "a" }, { 0x70, "b" })"#,
                "<     a|b>",
                "<       a|       b>",
            ),
            (r#""<%6s>", __print_symbolic(REC->c, { 1, "one" })"#, "<  0x78>", "<0x78>"),
            (r#""%s", __print_symbolic(REC->i, { -5, "five" })"#, "five", "0xfffffffb"),
            (r#""%#x", REC->zero"#, "0x0", "0"),
        ];
        for (print_fmt, kernel, report) in cases {
            assert_eq!(printed(print_fmt, Dialect::Kernel), kernel, "{print_fmt}");
            assert_eq!(printed(print_fmt, Dialect::Report), report, "{print_fmt}");
        }
    }

    #[test]
    fn some_fields_are_functions() {
        let text = format!("{FIELDS}\"%d %pS %lx\", REC->i, (void *)REC->l, REC->name\n");
        let event = Event::new(Format::parse("demo", &text).unwrap(), Dialect::Kernel);
        let names =
            event.format().fields.iter().enumerate().filter(|(index, _)| event.names_function(*index));
        assert_eq!(names.map(|(_, field)| field.name.as_str()).collect::<Vec<_>>(), ["l"]);
    }

    #[test]
    fn a_field_has_a_text_of_its_own() {
        let text = format!(
            "{FIELDS}\"%d s=%s%s%s c=%s m=%04o %lx %s\", REC->i, __print_symbolic(REC->s & 3, {{ 2, \"RW\" }}), \
             REC->s & ~3 ? \"|\" : \"\", __print_flags(REC->s & ~3, \"|\", {{ 4, \"A\" }}), \
             REC->c == 'x' ? \"ex\" : \"no\", REC->zero, REC->l, REC->l > REC->i ? \"a\" : \"b\"\n"
        );
        let event = Event::new(Format::parse("demo", &text).unwrap(), Dialect::Kernel);
        let text_of = |name: &str| {
            let fields = &event.format().fields;
            let (index, mut out) = (fields.iter().position(|field| field.name == name).unwrap(), Vec::new());
            event.print_field(index, &payload(), &(), &mut out);
            (event.form(index), String::from_utf8(out).unwrap())
        };
        assert_eq!(text_of("i"), (FieldForm::Number, "-5".to_owned()));
        assert_eq!(text_of("s"), (FieldForm::Names, "RW|A|0xfffffffffffffff8".to_owned()));
        assert_eq!(text_of("c"), (FieldForm::Names, "ex".to_owned()));
        assert_eq!(text_of("l"), (FieldForm::Hex, "1008".to_owned()));
        assert_eq!(text_of("zero"), (FieldForm::Octal, "0000".to_owned()));
        assert_eq!(text_of("words"), (FieldForm::Number, String::new()));
    }

    #[test]
    fn events_are_found_by_id_and_by_name() {
        let event = |id: u16, name: &str| {
            let text = format!("name: {name}\nID: {id}\nformat:\n\nprint fmt: \"\"\n");
            Event::new(Format::parse("libc", &text).unwrap(), Dialect::Kernel)
        };
        let mut events: EventTable = [event(300, "open"), event(5, "close")].into_iter().collect();
        assert_eq!(events.get(300).unwrap().format().name, "open");
        assert_eq!(events.of(&[5, 0, 0]).unwrap().format().name, "close");
        assert!(events.get(6).is_none() && events.of(&[5]).is_none());
        assert_eq!(events.named("libc", "open").unwrap().format().id, 300);
        assert!(events.named("other", "open").is_none());
        assert_eq!(events.insert(event(5, "read")).unwrap().format().name, "close");
        assert_eq!(events.iter().count(), 2);
    }
}
