//! Man pages of the C library, made from what its headers say.

use std::fmt::Write;

/// The headers: the name of each, what it is for, and its text.
const HEADERS: [(&str, &str, &str); 3] = [
    (
        "lookback_session",
        "control sessions of lookback",
        include_str!("../../../c_api/include/lookback_session.h"),
    ),
    (
        "lookback_reader",
        "read the events of sessions, snapshots and trace.dat files",
        include_str!("../../../c_api/include/lookback_reader.h"),
    ),
    (
        "lookback_consumer",
        "consume records of tracepoints where they lie",
        include_str!("../../../c_api/include/lookback_consumer.h"),
    ),
];

/// What stands before the declarations of a header, and after them.
const START: &str = "extern \"C\" {\n#endif\n";
const END: &str = "#ifdef __cplusplus\n}";

/// The pages: the name of each file, and its text.
pub(super) fn pages() -> impl Iterator<Item = (String, String)> {
    HEADERS.iter().map(|(name, purpose, header)| (format!("{name}.3"), page(name, purpose, header)))
}

fn page(name: &str, purpose: &str, header: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut out = format!(".TH {name} 3 \"\" \"lookback {version}\"\n.SH NAME\n{name} \\- {purpose}\n");
    let _ = write!(out, ".SH SYNOPSIS\n.EX\n#include <{name}.h>\n\n");
    out.push_str("cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs lookback)\n.EE\n.SH DESCRIPTION\n");
    let (about, rest) = header.split_once("*/").unwrap_or_default();
    paragraphs(about, &mut out);
    let rest = rest.split_once(START).map_or("", |(_, rest)| rest);
    let declarations = rest.split_once(END).map_or(rest, |(declarations, _)| declarations);
    out.push_str(".SH DECLARATIONS\n");
    for block in blocks(declarations) {
        let (comment, code) = block.split_once("*/\n").unwrap_or(("", &block));
        out.push_str(".PP\n.EX\n");
        code.lines().for_each(|line| verbatim(line, &mut out));
        out.push_str(".EE\n.RS 4\n");
        paragraphs(comment, &mut out);
        out.push_str(".RE\n");
    }
    out.push_str(".SH SEE ALSO\n");
    let others: Vec<String> = HEADERS.iter().filter(|(other, ..)| *other != name).map(link).collect();
    let _ = writeln!(out, "{},\n.BR lookback (1)", others.join(",\n"));
    out
}

fn link((name, ..): &(&str, &str, &str)) -> String {
    format!(".BR {name} (3)")
}

/// What stands between empty lines: a comment and what it is about. Structures have none inside.
fn blocks(declarations: &str) -> impl Iterator<Item = String> {
    declarations
        .split("\n\n")
        .map(|block| block.trim_matches('\n').to_owned())
        .filter(|block| !block.is_empty())
}

/// The text of a comment, whose indented paragraphs are examples.
fn paragraphs(comment: &str, out: &mut String) {
    let lines = comment.lines().map(|line| line.trim_start_matches("/*").trim_start_matches(" *"));
    let text: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    for (index, paragraph) in text.join("\n").trim_matches([' ', '\n']).split("\n\n").enumerate() {
        out.push_str(if index > 0 { ".PP\n" } else { "" });
        let is_example = paragraph.starts_with("    ");
        out.push_str(if is_example { ".EX\n" } else { "" });
        paragraph.lines().for_each(|line| verbatim(if is_example { line } else { line.trim() }, out));
        out.push_str(if is_example { ".EE\n" } else { "" });
    }
}

/// A line as it is.
fn verbatim(line: &str, out: &mut String) {
    let escaped = line.replace('\\', "\\e").replace('-', "\\-");
    if escaped.starts_with(['.', '\'']) {
        out.push_str("\\&");
    }
    out.push_str(&escaped);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_all_that_its_header_declares() {
        for (name, _, header) in HEADERS {
            let page = page(name, "", header).replace("\\-", "-").replace("\\e", "\\");
            let prefix = format!("{name}_");
            let declared: Vec<&str> = header.lines().filter(|line| line.contains(&prefix)).collect();
            assert!(declared.len() > 5, "{name}");
            let is_whole = |line: &&str| line.ends_with(");") && !line.starts_with(' ');
            for line in declared.into_iter().filter(is_whole) {
                assert!(page.contains(line), "{line:?} is missing: {page}");
            }
        }
    }

    #[test]
    fn comments_become_text_and_examples() {
        let header = "/*\n * About.\n *\n *     example;\n *\n * More -x.\n */\n\
             #ifdef __cplusplus\nextern \"C\" {\n#endif\n\n/* Does\n * it. */\nint f(void);\n\n#ifdef __cplusplus\n}\n#endif\n";
        let page = page("x", "y", header);
        let text = page.split_once(".SH DESCRIPTION\n").unwrap().1;
        let expected = "About.\n.PP\n.EX\n    example;\n.EE\n.PP\nMore \\-x.\n.SH DECLARATIONS\n.PP\n.EX\n\
             int f(void);\n.EE\n.RS 4\nDoes\nit.\n.RE\n";
        assert_eq!(text.split_once(".SH SEE ALSO").unwrap().0, expected);
    }
}
