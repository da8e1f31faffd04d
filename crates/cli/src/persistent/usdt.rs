//! `lookback list --usdt`: the places for USDT in files.

use crate::failure::Done;
use crate::json::Json;
use crate::persistent::places_in_files;
use crate::stdout::print;
use session::{Instance, UsdtPlace};
use std::fmt::Write;
use std::path::Path;
use trace_data::text::printable;

/// Lists those of files, or of those that traced processes have mapped.
pub(super) fn list(files: &[String], open: impl FnOnce() -> Done<Instance>, is_json: bool) -> Done {
    let places = places_in_files::find(files, open, UsdtPlace::all)?;
    if is_json {
        return print(Json::List(places.iter().map(|(file, place)| json(file, place)).collect()));
    }
    let text: String = places.iter().map(|(file, place)| text(file, place)).collect();
    if text.is_empty() { Err(places.none("places for USDT")) } else { print(text.trim_end()) }
}

fn json(file: &Path, place: &UsdtPlace) -> Json {
    let argument = |argument: &Option<String>| Json::text(argument.as_ref());
    Json::Object(vec![
        ("event", Json::Text(place.event())),
        ("file", Json::text(Some(file.display()))),
        ("offset", Json::Number(place.offset)),
        ("reference_counter", Json::number(Some(place.reference_counter).filter(|offset| *offset != 0))),
        ("arguments", Json::List(place.arguments.iter().map(argument).collect())),
    ])
}

/// Its line.
fn text(file: &Path, place: &UsdtPlace) -> String {
    let (event, file) = (place.event(), file.file_name().unwrap_or_default().to_string_lossy());
    let mut text = format!("{} [{}] {:#x}", printable(&event), printable(&file), place.offset);
    if place.reference_counter != 0 {
        let _ = write!(text, "({:#x})", place.reference_counter);
    }
    for (argument, number) in place.arguments.iter().zip(1..) {
        let _ = write!(text, " arg{number}={}", argument.as_deref().unwrap_or("?"));
    }
    text.push('\n');
    text
}
