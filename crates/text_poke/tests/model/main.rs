//! A model of a thread in a site that is being changed: all that it can execute.
//!
//! The plans, their steps and the split into words are those of the crate; what is modeled is the processor.
//! A thread fetches an instruction from one word or two. Each of those is as it was at some moment since the
//! thread last had to see everything (`membarrier`), no matter what the thread, or another word, looked like
//! before: that is more than any processor does, whose caches are coherent. Between two instructions anything
//! may have happened.
//!
//! For every form of a site, at each place in a word, and each way from one state to another: what is
//! executed is always a whole instruction that a site may have; a call goes where it should; nobody calls
//! twice in a pass; in the end a pass calls once, or not at all. And each mistake that is made on purpose is
//! found.

mod explore;
mod processor;
mod site;

use explore::{Mistake, explore};
use site::{ModelSite, sites};
use text_poke::plan::{Preparation, SiteState};
use text_poke::{STEPS, changes, is_one_word};

const STATES: [SiteState; 3] = [SiteState::Found, SiteState::Off, SiteState::On];

/// All ways from one state to another.
fn ways(mistake: Mistake) -> impl Iterator<Item = (ModelSite, SiteState, SiteState, Result<usize, String>)> {
    let pairs = || STATES.into_iter().flat_map(|from| STATES.map(|to| (from, to)));
    sites().into_iter().flat_map(move |site| {
        pairs().map(move |(from, to)| {
            let explored = explore(&site, site.plan.code(from), to, mistake);
            (site, from, to, explored.map(|(steps, _)| steps))
        })
    })
}

#[test]
fn a_thread_in_a_site_executes_whole_instructions_and_calls_what_it_should() {
    let mut explored = 0;
    for (site, from, to, result) in ways(Mistake::None) {
        let place = site.plan.address() % 8;
        let steps = result.unwrap_or_else(|violation| {
            panic!("{} at {place}, {from:?} to {to:?}: {violation}\n{:x?}", site.name, site.plan)
        });
        assert!(steps <= STEPS, "T4: {} at {place}", site.name);
        explored += 1;
    }
    assert_eq!(explored, sites().len() * 9);
}

#[test]
fn every_form_has_a_plan_wherever_it_lies() {
    let sites = sites();
    let places = |name: &str| sites.iter().filter(|site| site.name == name).count();
    for site in &sites {
        let expected = match site.name {
            "sled" => 4,
            // At 0, 1 and 2 they lie in one word.
            "indirect call, to other code" => 3,
            // Where what changes lies in one word.
            "instruction of 3 bytes" => 6,
            "instruction of 4 bytes" => 5,
            "instruction of 7 bytes" => 4,
            "instruction of 2 bytes, short jump" => 7,
            _ => 8,
        };
        assert_eq!(places(site.name), expected, "{}", site.name);
    }
    assert_eq!(sites.len(), 18 * 8 + 3 + 4 + 6 + 5 + 4 + 7);
}

#[test]
fn one_store_switches_every_site() {
    for site in sites() {
        let (off, on) = (site.plan.code(SiteState::Off), site.plan.code(SiteState::On));
        assert_eq!(changes(site.plan.address(), off, on).count(), 1, "T2: {}", site.name);
        assert_eq!(changes(site.plan.address(), on, off).count(), 1, "T2: {}", site.name);
    }
}

#[test]
fn only_what_consists_of_several_instructions_is_prepared_alone() {
    for site in sites() {
        let is_alone = site.plan.preparation() == Preparation::Alone;
        let (address, len) = (site.plan.address(), site.found().len());
        let is_long = ["nop of 6 bytes", "nop of 8 bytes", "nop of 10 bytes"].contains(&site.name);
        let ends = |end: &&str| site.name.ends_with(*end);
        let expected = site.name.starts_with("nops") || [" nops", ", beforehand"].iter().any(ends);
        assert_eq!(is_alone, expected || is_long && !is_one_word(address, len), "{}", site.name);
    }
}

/// How many ways are found to be wrong.
fn found(mistake: Mistake) -> usize {
    ways(mistake).filter(|(.., result)| result.is_err()).count()
}

#[test]
fn threads_next_to_what_has_to_be_done_alone_are_found() {
    assert!(found(Mistake::NotAlone) > 0);
}

#[test]
fn steps_that_threads_do_not_have_to_see_are_found() {
    assert!(found(Mistake::NoSynchronization) > 0);
}

#[test]
fn all_steps_at_once_are_found() {
    assert!(found(Mistake::NoSteps) > 0);
}

#[test]
fn stores_of_single_bytes_are_found() {
    assert!(found(Mistake::SingleBytes) > 0);
}
