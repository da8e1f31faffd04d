//! `lookback list --syscalls`: the places in files that call the kernel.

use crate::failure::Done;
use crate::json::Json;
use crate::number::count;
use crate::persistent::places_in_files;
use crate::say::note;
use crate::stdout::print;
use session::SystemCallSight::{Seen, SeenFromStart, Unseen};
use session::{Instance, SystemCallPlace, SystemCallSight};
use std::fmt::Write;
use std::path::Path;
use trace_data::text::printable;

/// Lists those of files, or of those that traced processes have mapped.
pub(super) fn list(files: &[String], open: impl FnOnce() -> Done<Instance>, is_json: bool) -> Done {
    let places = places_in_files::find(files, open, SystemCallPlace::all)?;
    if is_json {
        return print(Json::List(places.iter().map(|(file, place)| json(file, place)).collect()));
    }
    let text: String = places.iter().map(|(file, place)| text(file, place)).collect();
    if text.is_empty() {
        return Err(places.none("system calls"));
    }
    let done = print(text.trim_end())?;
    note!("{}", summary(places.iter().map(|(_, place)| place)));
    Ok(done)
}

fn json(file: &Path, place: &SystemCallPlace) -> Json {
    let sight = |sight| {
        Json::text(Some(match sight {
            Seen => "seen",
            SeenFromStart => "seen from the start",
            Unseen => "unseen",
        }))
    };
    let (function, within) = place.function.as_ref().map(|(name, within)| (name, *within)).unzip();
    Json::Object(vec![
        ("call", Json::text(place.name)),
        ("number", Json::number(place.number.map(u64::from))),
        ("file", Json::text(Some(file.display()))),
        ("offset", Json::Number(place.offset)),
        ("function", Json::text(function)),
        ("function_offset", Json::number(within)),
        ("enter", sight(place.enter)),
        ("exit", sight(place.exit)),
        ("not_seen_because", Json::text(place.obstacle)),
    ])
}

/// Its line.
fn text(file: &Path, place: &SystemCallPlace) -> String {
    let file = file.file_name().unwrap_or_default().to_string_lossy();
    let call = match (place.name, place.number) {
        (Some(name), _) => name.to_string(),
        (None, Some(number)) => format!("number {number}"),
        (None, None) => "any".to_string(),
    };
    let mut text = format!("{call} [{}] {:#x}", printable(&file), place.offset);
    if let Some((function, within)) = &place.function {
        let _ = write!(text, " {}+{within:#x}", printable(function));
    }
    let why = place.obstacle.map(str::to_string).or_else(|| limits(place.enter, place.exit));
    let _ = why.map(|why| write!(text, "  ({why})"));
    text.push('\n');
    text
}

/// What isn't seen in every program.
fn limits(enter: SystemCallSight, exit: SystemCallSight) -> Option<String> {
    let of = |what: &str, sight| match sight {
        Seen => None,
        SeenFromStart => Some(format!("{what}: in programs that start while it is wanted")),
        Unseen => Some(format!("{what}: not seen, there is no space for a jump")),
    };
    if enter == exit {
        return of("begin and end", enter);
    }
    let both = [of("begin", enter), of("end", exit)];
    Some(both.into_iter().flatten().collect::<Vec<_>>().join("; "))
}

/// How many are seen.
fn summary<'a>(places: impl Iterator<Item = &'a SystemCallPlace> + Clone) -> String {
    let number = |fits: &dyn Fn(SystemCallSight) -> bool| {
        places.clone().filter(|place| fits(place.enter) && fits(place.exit)).count()
    };
    let all = count(places.clone().count() as u64, "place calls", "places call");
    let (from_start, in_each) = (number(&|sight| sight != Unseen), number(&|sight| sight == Seen));
    format!(
        "{all} the kernel: {from_start} are seen to begin and to end in programs that start while that is \
         wanted, {in_each} in each program"
    )
}
