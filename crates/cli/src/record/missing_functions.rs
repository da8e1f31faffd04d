//! Functions that were to be traced and couldn't be.

use session::{FunctionFilter, Instance, SiteObstacle};

/// How many are named.
const NAMED: usize = 3;

/// What to say of functions that were to be traced, and can't be in any program that ran. None where there is
/// nothing to say.
pub(super) fn missing_functions(session: &Instance) -> Option<String> {
    if !session.tracer().traces_functions() {
        return None;
    }
    let lists = session.function_lists();
    let named = session.session().unbuilt_functions(lists.list(FunctionFilter::Only));
    if named.is_empty() {
        let is_built = session.session().has_seen_functions();
        return (!is_built).then(|| {
            "no program that ran has any that can be traced; name some with -l, or build programs with \
             -fpatchable-function-entry=5"
                .to_owned()
        });
    }
    let refused: Vec<String> = named
        .iter()
        .filter_map(|function| match &function.obstacle {
            Some(SiteObstacle::Refused(why)) => Some(format!("{} ({why})", function.name())),
            _ => None,
        })
        .collect();
    let more = match refused.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let shown = refused.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    (!refused.is_empty()).then(|| {
        format!("{} of {} that were named can't be traced: {shown}{more}", refused.len(), named.len())
    })
}
