//! `lookback list --usdt`: the places for USDT in files.

use crate::failure::{Done, Failure};
use crate::json::Json;
use crate::number::count;
use crate::persistent::chosen_files::chosen;
use crate::stdout::print;
use session::{Instance, UsdtPlace};
use std::fmt::Write;
use std::path::Path;
use trace_data::text::printable;

/// Lists those of files, or of those that traced processes have mapped.
pub(super) fn list(files: &[String], open: impl FnOnce() -> Done<Instance>, is_json: bool) -> Done {
    let files = chosen(files, open)?;
    let places: Vec<(&Path, UsdtPlace)> = files.iter().flat_map(|file| places(file)).collect();
    if is_json {
        return print(Json::List(places.iter().map(|(file, place)| json(file, place)).collect()));
    }
    if places.is_empty() {
        let files = count(files.len() as u64, "file", "files");
        return Err(Failure::failed(format_args!("no places for USDT in {files}")));
    }
    print(text(&places).trim_end())
}

fn places(file: &Path) -> impl Iterator<Item = (&Path, UsdtPlace)> {
    UsdtPlace::all(file).unwrap_or_default().into_iter().map(move |place| (file, place))
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

/// A line for each.
fn text(places: &[(&Path, UsdtPlace)]) -> String {
    let mut text = String::new();
    for (file, place) in places {
        let (event, file) = (place.event(), file.file_name().unwrap_or_default().to_string_lossy());
        let _ = write!(text, "{} [{}] {:#x}", printable(&event), printable(&file), place.offset);
        if place.reference_counter != 0 {
            let _ = write!(text, "({:#x})", place.reference_counter);
        }
        for (argument, number) in place.arguments.iter().zip(1..) {
            let _ = write!(text, " arg{number}={}", argument.as_deref().unwrap_or("?"));
        }
        text.push('\n');
    }
    text
}
