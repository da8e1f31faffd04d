//! Killed at any instruction: whatever is done to a buffer, a SIGKILL between any two of its instructions
//! leaves the buffer as if it had not been begun, or as if it were done, and others go on.
//!
//! A child does one of the [`acts`], one instruction at a time, and is killed after each instruction that
//! has changed the file: the real code, in sections and out of them. Each time somebody else looks: every
//! event is whole and in order, the accounts are exact, writers write on, and every ring comes back to the
//! pool. [`sleeper`] stops writers in the middle of sections and lets them go on; [`jumper`] has them
//! leave, [`debugger`] steps through them.
//!
//! `cargo test --test kills -- NAME` does what has NAME in its name. With `--sections` a child is killed at
//! each instruction of a section, be there a store or not; `--skip NAME` leaves out what has NAME in its
//! name. It takes a release build to go through all acts.

mod acts;
mod debugger;
#[path = "../chaos/event.rs"]
mod event;
mod jumper;
mod sleeper;
mod stage;
mod traced;

use abi::page::DELTA_LIMIT;
use acts::{ACTS, Act, LastEvent};
use stage::{Image, Scene, Stage, current_cpu, go_to_cpu};
use std::time::Instant;
use traced::Traced;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sections = arguments.iter().any(|argument| argument == "--sections");
    let skipped = arguments.iter().position(|argument| argument == "--skip").map(|at| at + 1);
    let is_name = |(at, argument): &(usize, &String)| Some(*at) != skipped && !argument.starts_with('-');
    let filter = arguments.iter().enumerate().find(is_name).map(|(_, name)| name);
    let skip = skipped.and_then(|at| arguments.get(at));
    let run = |name: &str, test: &dyn Fn() -> String| {
        if filter.is_none_or(|filter| name.contains(filter)) && skip.is_none_or(|skip| !name.contains(skip)) {
            eprint!("kills {name} ... ");
            let start = Instant::now();
            let done = test();
            eprintln!("ok{done}, {:.1?}", start.elapsed());
        }
    };
    // The child that is traced and the test that looks share a CPU: so they write to the same block.
    go_to_cpu(current_cpu());
    // In a debug build most acts have so many instructions that it takes minutes, and the time between two of
    // them counts.
    let (acts, jumper_tests) =
        if cfg!(debug_assertions) { (&ACTS[..1], &jumper::TESTS[1..]) } else { (ACTS, jumper::TESTS) };
    for act in acts {
        run(act.name, &|| match kill_in(act, sections) {
            Ok(done) => format!(", {done:?}"),
            Err(error) => panic!("{}: {error}", act.name),
        });
    }
    for (name, test) in sleeper::TESTS.iter().chain(debugger::TESTS).chain(jumper_tests) {
        run(name, &|| {
            test();
            String::new()
        });
    }
    run("a_commit_before_its_event_is_found", &|| {
        let found = kill_in(&acts::COMMIT_FIRST, sections);
        format!(", {}", found.expect_err("the tail says that there is an event, and there is none"))
    });
}

/// What came of killing somebody in the middle of an act.
#[derive(Debug, Default)]
struct Done {
    /// How many were killed.
    kills: u32,
    /// Of them, in a section.
    in_section: u32,
    /// Of them, when the act was done already.
    done: u32,
}

/// An act and the states before and after it.
struct Trial<'a> {
    act: &'a Act,
    stage: Stage,
    image: Image,
    before: Scene,
    after: Scene,
}

/// Kills a child in the middle of an act, again and again.
fn kill_in(act: &Act, sections: bool) -> Result<Done, String> {
    let trial = Trial::of(act)?;
    let mut done = Done::default();
    for instructions in trial.points(sections) {
        let at = |error| format!("after {instructions} instructions: {error}");
        let in_section = trial.kill_after(instructions);
        let scene = look_and_go_on(&trial.stage).map_err(at)?;
        done.kills += 1;
        done.in_section += u32::from(in_section);
        done.done += u32::from(trial.is_done(&scene).map_err(at)?);
    }
    assert!(done.in_section > 0 || !act.in_sections, "{done:?}");
    assert!(done.done > 0 && (done.done < done.kills || !act.is_seen), "{done:?}");
    Ok(done)
}

impl Trial<'_> {
    fn of(act: &Act) -> Result<Trial<'_>, String> {
        let stage = Stage::new();
        (act.before)(&stage);
        let image = stage.image();
        let before = stage.look()?;
        stage.restore(&image);
        Traced::start(|| (act.act)(&stage)).finish();
        let after = stage.look()?;
        assert_eq!(before != after, act.is_seen, "{before:?}, then {after:?}");
        Ok(Trial { act, stage, image, before, after })
    }

    /// A child that is about to do the act.
    fn start(&self) -> Traced {
        self.stage.restore(&self.image);
        let now = self.stage.buffer.now();
        self.stage.set_last_time(match self.act.last_event {
            LastEvent::Now if !cfg!(debug_assertions) => now,
            LastEvent::Now | LastEvent::Ahead => now + 100 * DELTA_LIMIT,
            LastEvent::LongAgo => now - 2 * DELTA_LIMIT,
        });
        self.stage.build_next();
        let child = Traced::start(|| (self.act.act)(&self.stage));
        self.stage.next_is_written();
        child
    }

    /// After how many instructions of the act someone is to be killed: where one has changed the file, and
    /// before the first. What any other leaves, the one before it left. Those of `sections` may be asked for
    /// one by one, all the same.
    fn points(&self, sections: bool) -> Vec<usize> {
        let mut child = self.start();
        let (mut points, mut last) = (vec![0], self.stage.image());
        for instructions in 1.. {
            if !child.step() {
                break;
            }
            let image = self.stage.image();
            if sections && child.is_in_section() || image != last {
                points.push(instructions);
            }
            last = image;
        }
        child.kill();
        points
    }

    /// Kills a child that has done so many instructions of the act, and says whether it was in a section.
    fn kill_after(&self, instructions: usize) -> bool {
        let mut child = self.start();
        // How many it does depends a little on the time.
        let _ = (0..instructions).all(|_| child.step());
        let in_section = child.is_in_section();
        child.kill();
        in_section
    }

    /// Whether somebody sees the act as done, or as not begun. To begin with, it may have made space for
    /// itself.
    fn is_done(&self, scene: &Scene) -> Result<bool, String> {
        let made_space = self.after.live.split_last().is_some_and(|(_, rest)| rest == scene.live);
        let not_begun = *scene == self.before || made_space && scene.kept == self.before.kept;
        match (scene == &self.after, not_begun) {
            (false, false) => Err(format!("{scene:?} is neither before nor after")),
            (done, _) => Ok(done),
        }
    }
}

/// What somebody sees who comes then. An error where it is not in order, or can't be gone on from.
fn look_and_go_on(stage: &Stage) -> Result<Scene, String> {
    stage.want_a_ring();
    let scene = stage.look()?;
    stage.go_on_writing(&scene)?;
    stage.go_on_with_the_pool()?;
    Ok(scene)
}
