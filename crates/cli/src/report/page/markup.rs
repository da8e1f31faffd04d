//! HTML that is right by its making: what isn't written in this program's source is text, and escaped.

/// Some HTML.
#[derive(Debug, Default)]
pub(super) struct Markup(String);

impl Markup {
    /// Appends text.
    pub(super) fn text(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                // No character of a page, though one may be in a name.
                '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => self.0.push('\u{fffd}'),
                _ => self.0.push(letter),
            }
        }
    }

    /// Appends an element with what is in it.
    pub(super) fn element(&mut self, name: &'static str, content: impl FnOnce(&mut Markup)) {
        self.with(name, &[], content);
    }

    /// An element of a class; of none if that is empty.
    pub(super) fn classed(
        &mut self,
        name: &'static str,
        class: &'static str,
        content: impl FnOnce(&mut Markup),
    ) {
        match class {
            "" => self.element(name, content),
            _ => self.with(name, &[("class", class)], content),
        }
    }

    /// An element with attributes.
    pub(super) fn with(
        &mut self,
        name: &'static str,
        attributes: &[(&'static str, &str)],
        content: impl FnOnce(&mut Markup),
    ) {
        self.0.push('<');
        self.0.push_str(name);
        for (attribute, value) in attributes {
            self.0.push(' ');
            self.0.push_str(attribute);
            self.0.push_str("=\"");
            self.text(value);
            self.0.push('"');
        }
        self.0.push('>');
        content(self);
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
    }

    /// An element with a text.
    pub(super) fn say(&mut self, name: &'static str, class: &'static str, text: &str) {
        self.classed(name, class, |element| element.text(text));
    }

    /// Appends what is HTML already.
    pub(super) fn part(&mut self, part: Markup) {
        self.0.push_str(&part.0);
    }

    /// A section with a heading.
    pub(super) fn section(&mut self, title: &str, content: impl FnOnce(&mut Markup)) {
        self.element("section", |section| {
            section.say("h2", "", title);
            content(section);
            section.0.push('\n');
        });
    }

    /// A table, which scrolls where it is too wide.
    pub(super) fn table(&mut self, rows: impl FnOnce(&mut Markup)) {
        self.classed("div", "wide", |wide| wide.element("table", rows));
    }

    /// All of it as a document, which no script can be run in, and that loads nothing.
    pub(super) fn document(self, title: &str, style: &'static str) -> String {
        let mut head = Markup::default();
        head.say("title", "", title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
             'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n{}\n<style>\n{style}</style></head>\n\
             <body><main>\n{}\n</main></body></html>\n",
            head.0, self.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_name_has_is_text() {
        let mut markup = Markup::default();
        markup.with("td", &[("title", "\"><script>")], |cell| cell.text("<b a='\"'>&\n\u{1b}[1mé\u{0}"));
        let expected = "<td title=\"&quot;&gt;&lt;script&gt;\">\
                        &lt;b a=&#39;&quot;&#39;&gt;&amp;\n\u{fffd}[1mé\u{fffd}</td>";
        assert_eq!(markup.0, expected);
        let document = markup.document("</title>", "");
        assert!(
            document.contains("<title>&lt;/title&gt;</title>") && document.contains("default-src 'none'")
        );
    }
}
