//! All lines together: as a table, or as JSON.

use crate::limits::Limit;
use crate::row::ReportRow;
use core::fmt::Write;

/// The results of a run.
#[derive(Debug, Default)]
pub struct Report {
    rows: Vec<ReportRow>,
}

impl Report {
    /// Adds a row; its limit is looked up by its name.
    pub fn add(&mut self, name: &'static str, value: Result<f64, String>) {
        self.rows.push(ReportRow { name, value, limit: Limit::of(name) });
    }

    /// Whether every row keeps to its limit.
    pub fn is_good(&self) -> bool {
        self.rows.iter().all(ReportRow::is_good)
    }

    /// Prints it to standard output.
    pub fn print(&self, json: bool) {
        print!("{}", if json { self.json() } else { self.table() });
    }

    fn table(&self) -> String {
        let width = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for row in &self.rows {
            let limit = row.limit.map_or(String::new(), |limit| limit.to_string());
            let name = row.name;
            let line = match &row.value {
                Ok(value) => {
                    format!("{name:width$}  {:9.2}  {limit:>7}  {}", rounded(*value), row.verdict())
                }
                Err(reason) => format!("{name:width$}  skipped: {reason}"),
            };
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn json(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(|row| format!("  {}", json_of(row))).collect();
        format!("[\n{}\n]\n", rows.join(",\n"))
    }
}

/// A value as it is shown: what is a little less than nothing is nothing.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0 + 0.0
}

fn json_of(row: &ReportRow) -> String {
    let mut text = format!("{{\"name\": {}", quoted(row.name));
    match &row.value {
        Ok(value) if value.is_finite() => text.push_str(&format!(", \"value\": {value:.4}")),
        Ok(_) => text.push_str(", \"value\": null"),
        Err(reason) => text.push_str(&format!(", \"skipped\": {}", quoted(reason))),
    }
    match row.limit {
        Some(Limit::AtMost(most)) => text.push_str(&format!(", \"at_most\": {most}")),
        Some(Limit::AtLeast(least)) => text.push_str(&format!(", \"at_least\": {least}")),
        None => {}
    }
    if row.limit.is_some() && row.value.is_ok() {
        text.push_str(&format!(", \"ok\": {}", row.is_good()));
    }
    text.push('}');
    text
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut report = Report::default();
        report.add("rdtsc_ns", Ok(9.551));
        report.add("event_u64_vs_rdtsc", Ok(2.5));
        report.add("event_disabled_ns", Ok(-0.001));
        report.add("lttng_vs_event_u64", Err("no \"cc\"".to_string()));
        report
    }

    #[test]
    fn rows_align_and_say_what_misses() {
        let expected = "\
rdtsc_ns                 9.55
event_u64_vs_rdtsc       2.50      <=2  MISS
event_disabled_ns        0.00    <=0.3  ok
lttng_vs_event_u64  skipped: no \"cc\"
";
        assert_eq!(report().table(), expected);
        assert!(!report().is_good());
    }

    #[test]
    fn json_has_the_same() {
        let expected = r#"[
  {"name": "rdtsc_ns", "value": 9.5510},
  {"name": "event_u64_vs_rdtsc", "value": 2.5000, "at_most": 2, "ok": false},
  {"name": "event_disabled_ns", "value": -0.0010, "at_most": 0.3, "ok": true},
  {"name": "lttng_vs_event_u64", "skipped": "no \"cc\"", "at_least": 5}
]
"#;
        assert_eq!(report().json(), expected);
    }
}
