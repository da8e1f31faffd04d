//! Parts of the explanation as tables.

use super::markup::Markup;
use crate::report::explanation::ExplanationPart;

/// What else a line counts, at most.
const OTHERS: usize = 8;

/// Writes a part, if it has something to say.
pub(super) fn write(part: &ExplanationPart, page: &mut Markup) {
    let ExplanationPart { title, lines, notes } = part;
    if lines.is_empty() && notes.is_empty() {
        return;
    }
    page.section(title, |section| {
        if !lines.is_empty() {
            section.table(|table| {
                for line in lines {
                    table.element("tr", |row| {
                        row.say("td", "figure", &line.figure);
                        row.classed("td", "what", |what| {
                            what.text(&line.what);
                            others(&line.others, what);
                        });
                        row.say("td", "details", &line.details);
                    });
                }
            });
        }
        notes.iter().for_each(|note| section.say("p", "note", note));
    });
}

fn others(others: &[String], what: &mut Markup) {
    others.iter().take(OTHERS).for_each(|other| what.say("div", "note", other));
    if others.len() > OTHERS {
        what.say("div", "note", &format!("and {} more", others.len() - OTHERS));
    }
}
