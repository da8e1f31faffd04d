//! Executing programs, so that they find the session even with an environment of their own.
//!
//! # Safety
//!
//! As in `fork.rs`.

pub(crate) mod arguments;
mod elf;
pub(crate) mod environment;
mod file;
mod folders;
pub(crate) mod place;
mod target;
mod vector;

use crate::preload::arch::listing::listing;
use crate::preload::arch::stub::stub;
use crate::preload::memory::address_limit;
use crate::preload::object::mapped;
use crate::preload::record;
use crate::preload::record::start::CallStart;
use crate::preload::record::value::FieldValue;
use crate::preload::wrapper::real::{older, real};
use abi::control::Obstacle;
use arguments::ArgumentsText;
use core::ffi::c_char;
use environment::completed;
use events::Call;
use target::ExecTarget;
use trace_event::{is_enabled, session};

type Environment = *const *const c_char;
type Execute = unsafe extern "C" fn(usize, usize, Environment) -> i32;

fn record_entry(path: usize, arguments: usize, environment: Environment, caller: usize) -> CallStart {
    let start = CallStart::of(Call::execve);
    mapped::keep_up();
    let [path, environment, caller] = [path as u64, environment as u64, caller as u64].map(FieldValue::Word);
    record_with(Call::execve.entry(), arguments, |arguments| [path, arguments, environment, caller]);
    start
}

/// Records an event with the arguments in it, if it is enabled.
fn record_with<const N: usize>(
    event: u16,
    arguments: usize,
    values: impl FnOnce(FieldValue) -> [FieldValue; N],
) {
    if is_enabled(event) {
        let text = ArgumentsText::copy(arguments, arguments::MOST);
        // SAFETY: the only value that is followed is the copy.
        unsafe { record::write(event, &values(FieldValue::bytes(text.as_bytes()))) };
    }
}

/// Says that the process executes another program, which runs unrecorded if there is an obstacle.
fn set_executing(target: ExecTarget, obstacle: Option<Obstacle>) {
    if let Some(session) = session() {
        session.set_executing(target.name(), obstacle);
    }
}

/// Says that the process could not execute another program.
fn has_not_executed() {
    if let Some(session) = session() {
        address_limit::executing(false);
        session.has_not_executed();
    }
}

/// Executes a program by `real`, with an environment of which `environment` is the program's own part.
///
/// # Safety
///
/// As for execve(2): the target and `arguments` are the program's own.
unsafe fn execute_target(
    target: ExecTarget,
    arguments: usize,
    environment: Environment,
    real: &mut dyn FnMut(Environment) -> i32,
) -> i32 {
    if session().is_some() {
        address_limit::executing(true);
    }
    // SAFETY: the caller's promise.
    let result = unsafe {
        let look = || target.obstacle(arguments);
        completed(environment, look, &mut |environment, obstacle| {
            set_executing(target, obstacle);
            real(environment)
        })
    };
    has_not_executed();
    result
}

/// Records that a program could not be executed.
fn record_return(start: CallStart, result: i32, path: usize) -> i32 {
    // SAFETY: libc's word for the calling thread.
    let error = unsafe { *libc::__errno_location() };
    if let Some(duration) = start.duration() {
        let [ret, number] = [result, error].map(|number| FieldValue::Half(number as u32));
        // SAFETY: the path was read by the call.
        unsafe { record::write(Call::execve.exit(), &[ret, number, path_read(path, error), duration]) };
    }
    result
}

/// The path of a call that has failed by `error`, or not, as far as it can be read.
fn path_read(path: usize, error: i32) -> FieldValue {
    let path = path as *const u8;
    if error == 0 { FieldValue::text(path) } else { FieldValue::readable_text(path) }
}

/// Executes `path` by `real`, which takes an environment.
///
/// # Safety
///
/// As for execve(2).
unsafe fn execute(
    real: usize,
    target: fn(usize) -> ExecTarget,
    path: usize,
    arguments: usize,
    environment: Environment,
    caller: usize,
) -> i32 {
    let start = record_entry(path, arguments, environment, caller);
    // SAFETY: the functions that this is called with have this type, and the program's own arguments.
    let result = unsafe {
        let real: Execute = core::mem::transmute(real);
        let mut real = |environment| real(path, arguments, environment);
        execute_target(target(path), arguments, environment, &mut real)
    };
    record_return(start, result, path)
}

/// Defines a wrapper for a function that executes a program.
macro_rules! executing {
    ($symbol:ident by $target:ident $real:literal, $($parameter:ident)*, environment: $environment:expr) => {
        const _: () = {
            unsafe extern "C" fn body($($parameter: usize,)* caller: usize) -> i32 {
                // SAFETY: the program's own call.
                unsafe { executing!(@call $target $real, $($parameter)*, $environment, caller) }
            }
            stub!($symbol, body, $($parameter)*);
        };
    };
    (@call $target:ident $real:literal, $path:ident $arguments:ident, $environment:expr, $caller:ident) => {
        execute(real!($real), ExecTarget::$target, $path, $arguments, $environment, $caller)
    };
    (@call $target:ident $real:literal, $path:ident $arguments:ident $own:ident, $_:expr, $caller:ident) => {
        execute(real!($real), ExecTarget::$target, $path, $arguments, $own as Environment, $caller)
    };
}

// libc's execv and execvp pass the process's own environment; there is no other difference.
executing!(execve by Path c"execve", path arguments environment, environment: ());
executing!(execvpe by Name c"execvpe", path arguments environment, environment: ());
executing!(execv by Path c"execve", path arguments, environment: environment::current());
executing!(execvp by Name c"execvpe", path arguments, environment: environment::current());

unsafe extern "C" fn execl_body(path: usize, arguments: usize, caller: usize) -> i32 {
    // SAFETY: the program's own call.
    unsafe { execute(real!(c"execve"), ExecTarget::Path, path, arguments, environment::current(), caller) }
}

unsafe extern "C" fn execlp_body(path: usize, arguments: usize, caller: usize) -> i32 {
    // SAFETY: the program's own call.
    unsafe { execute(real!(c"execvpe"), ExecTarget::Name, path, arguments, environment::current(), caller) }
}

unsafe extern "C" fn execle_body(path: usize, arguments: usize, caller: usize) -> i32 {
    let mut last = arguments as *const usize;
    // SAFETY: the program's own call; the environment follows the null.
    unsafe {
        while *last != 0 {
            last = last.add(1);
        }
        execute(real!(c"execve"), ExecTarget::Path, path, arguments, *last.add(1) as Environment, caller)
    }
}

listing!(execl, execl_body);
listing!(execlp, execlp_body);
listing!(execle, execle_body);

unsafe extern "C" fn fexecve_body(fd: i32, arguments: usize, environment: Environment, caller: usize) -> i32 {
    type Fexecve = unsafe extern "C" fn(i32, usize, Environment) -> i32;
    let start = CallStart::of(Call::fexecve);
    mapped::keep_up();
    let [own, place] = [environment as u64, caller as u64].map(FieldValue::Word);
    let fd_value = FieldValue::Half(fd as u32);
    record_with(Call::fexecve.entry(), arguments, |arguments| [fd_value, arguments, own, place]);
    // SAFETY: the function has this type; the program's own call.
    let result = unsafe {
        let real: Fexecve = core::mem::transmute(real!(c"fexecve"));
        let mut real = |environment| real(fd, arguments, environment);
        execute_target(ExecTarget::Descriptor(fd), arguments, environment, &mut real)
    };
    // SAFETY: libc's word for the calling thread.
    let error = unsafe { *libc::__errno_location() };
    if let Some(duration) = start.duration() {
        let [ret, error] = [result, error].map(|number| FieldValue::Half(number as u32));
        // SAFETY: no value is a pointer.
        unsafe { record::write(Call::fexecve.exit(), &[ret, error, duration]) };
    }
    result
}

stub!(fexecve, fexecve_body, fd arguments environment);

type Spawn = unsafe extern "C" fn(usize, usize, usize, usize, usize, Environment) -> i32;

/// Defines a body for posix_spawn or posix_spawnp, with where libc's function is.
macro_rules! spawning {
    ($body:ident, $target:expr, $real:expr) => {
        unsafe extern "C" fn $body(
            pid: usize,
            path: usize,
            actions: usize,
            attributes: usize,
            arguments: usize,
            environment: Environment,
            caller: usize,
        ) -> i32 {
            let start = CallStart::of(Call::posix_spawn);
            record_with(Call::posix_spawn.entry(), arguments, |arguments| {
                let word = |value: usize| FieldValue::Word(value as u64);
                let [pid, path, actions, attributes] = [pid, path, actions, attributes].map(word);
                [pid, path, actions, attributes, arguments, word(environment as usize), word(caller)]
            });
            let mut obstacle = None;
            // SAFETY: the function has this type; the program's own call.
            let error = unsafe {
                let real: Spawn = core::mem::transmute($real);
                let look = || $target(path).obstacle(arguments);
                completed(environment, look, &mut |environment, found| {
                    obstacle = found;
                    real(pid, path, actions, attributes, arguments, environment)
                })
            };
            let child = spawned(error, pid);
            if let (Some(session), Some(obstacle), 1..) = (session(), obstacle, child) {
                session.enter_unrecorded(child as u32, $target(path).name(), obstacle);
            }
            record_spawned(start, error, child, path);
            error
        }
    };
}

spawning!(spawn_body, ExecTarget::Path, real!(c"posix_spawn"));
spawning!(spawnp_body, ExecTarget::Name, real!(c"posix_spawnp"));
// Programs linked with a glibc before 2.15 get a function that also runs scripts without a first line that
// names an interpreter.
spawning!(old_spawn_body, ExecTarget::Path, older(c"posix_spawn", c"GLIBC_2.2.5"));
spawning!(old_spawnp_body, ExecTarget::Name, older(c"posix_spawnp", c"GLIBC_2.2.5"));

/// The PID of the child that a spawn has made; 0 where there is none, or it is not known.
fn spawned(error: i32, pid: usize) -> i32 {
    match pid as *const i32 {
        pid if error != 0 || pid.is_null() => 0,
        // SAFETY: a spawn that has succeeded has written the PID.
        pid => unsafe { pid.read_unaligned() },
    }
}

/// Records how a spawn has ended.
fn record_spawned(start: CallStart, error: i32, child: i32, path: usize) {
    let Some(duration) = start.duration() else { return };
    let path = path_read(path, error);
    let [result, error, child] = [error, error, child].map(|number| FieldValue::Half(number as u32));
    // SAFETY: the path was read by the call.
    unsafe {
        record::write(Call::posix_spawn.exit(), &[result, error, child, path, duration]);
    }
}

stub!(lookback_posix_spawn, spawn_body, pid path actions attributes arguments environment);
stub!(lookback_posix_spawnp, spawnp_body, pid path actions attributes arguments environment);
stub!(lookback_posix_spawn_2_2_5, old_spawn_body, pid path actions attributes arguments environment);
stub!(lookback_posix_spawnp_2_2_5, old_spawnp_body, pid path actions attributes arguments environment);

// The linker gives these their names and versions, see `preload.map`.
core::arch::global_asm!(
    ".symver lookback_posix_spawn, posix_spawn@@GLIBC_2.15",
    ".symver lookback_posix_spawnp, posix_spawnp@@GLIBC_2.15",
    ".symver lookback_posix_spawn_2_2_5, posix_spawn@GLIBC_2.2.5",
    ".symver lookback_posix_spawnp_2_2_5, posix_spawnp@GLIBC_2.2.5",
);
