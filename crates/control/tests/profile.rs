//! The tables of the profile of functions.

mod common;

use abi::profile::{PROFILE_FUNCTIONS, function_key};
use common::Temporary;
use control::{ControlArea, CountedCall, FileLayout, ProfiledFunction};

/// Has an area use the profile of its file.
fn use_profile(area: &Temporary, control: &ControlArea) {
    let file = shm::File::open(&area.path).unwrap();
    assert!(control.map_profile(FileLayout::read(&file).unwrap().profile()));
}

/// A session whose first CPU has a table, and whose second has none.
fn profiling() -> Temporary {
    let area = Temporary::new();
    use_profile(&area, &area.file);
    area.file.clear_profile(&area.path, 0..1).unwrap();
    area.file.switch_profile(true);
    area
}

fn functions(control: &ControlArea, cpu: u32) -> Vec<ProfiledFunction> {
    let mut functions: Vec<_> = control.profiled_functions(cpu).collect();
    functions.sort_by_key(|function| (function.object, function.address));
    functions
}

#[test]
fn processes_count_the_same_function_together() {
    let area = profiling();
    let other = area.again();
    assert_eq!(other.count_call(0, function_key(3, 0x1000)), None, "not mapped there");
    use_profile(&area, &other);
    for (control, nanoseconds) in [(&area.file, 100), (&other, 200)] {
        let call = control.count_call(0, function_key(3, 0x1000)).unwrap();
        control.add_time(CountedCall::from_word(call.to_word()), nanoseconds);
    }
    other.count_call(0, function_key(4, 0x1000)).unwrap();
    let called =
        |object, hits, time, squares| ProfiledFunction { object, address: 0x1000, hits, time, squares };
    assert_eq!(functions(&area.file, 0), [called(3, 2, 300, 50_000), called(4, 1, 0, 0)]);
}

#[test]
fn long_times_have_squares() {
    let area = profiling();
    let call = area.file.count_call(0, function_key(0, 0)).unwrap();
    let hour = 3_600_000_000_000_u64;
    (0..3).for_each(|_| area.file.add_time(call, hour));
    assert_eq!(functions(&area.file, 0)[0].squares, 3 * u128::from(hour).pow(2));
    (0..3).for_each(|_| area.file.add_time(call, u64::from(u32::MAX)));
    assert_eq!(
        functions(&area.file, 0)[0].squares,
        3 * (u128::from(hour).pow(2) + u128::from(u32::MAX).pow(2))
    );
}

#[test]
fn what_finds_no_space_is_counted() {
    let area = profiling();
    let calls = PROFILE_FUNCTIONS as u64 + 1000;
    let counted = (0..calls).filter(|function| area.file.count_call(0, function_key(1, *function)).is_some());
    let counted = counted.count() as u64;
    assert!(counted <= PROFILE_FUNCTIONS as u64 && counted > PROFILE_FUNCTIONS as u64 / 2, "{counted}");
    assert_eq!(area.file.not_counted_calls(0), calls - counted);
    assert_eq!(functions(&area.file, 0).len() as u64, counted);
    area.file.count_not_counted(0);
    assert_eq!((area.file.not_counted_calls(0), area.file.calls_elsewhere()), (calls - counted + 1, 0));
}

#[test]
fn a_cpu_without_a_table_is_left_alone() {
    let area = profiling();
    for cpu in [1, 2, 4095, 4096, u32::MAX] {
        assert_eq!(area.file.count_call(cpu, function_key(1, 1)), None);
        area.file.add_time(CountedCall::from_word(u64::from(cpu) << 32 | 5), 1);
        assert_eq!(functions(&area.file, cpu), []);
    }
    area.file.count_not_counted(1);
    assert_eq!((area.file.calls_elsewhere(), area.file.not_counted_calls(1)), (6, 0));
}

#[test]
fn counts_stay_until_they_are_cleared() {
    let area = profiling();
    let call = area.file.count_call(0, function_key(1, 1)).unwrap();
    area.file.add_time(call, 5);
    let generation = area.file.profile_generation();
    area.file.switch_profile(true);
    assert_eq!(area.file.profile_generation(), generation, "nothing to do");
    area.file.switch_profile(false);
    assert!(!area.file.is_profiling() && functions(&area.file, 0).len() == 1);
    area.file.clear_profile(&area.path, 0..1).unwrap();
    area.file.switch_profile(true);
    assert!(area.file.profile_generation() == generation + 2 && functions(&area.file, 0).is_empty());
    area.file.count_call(0, function_key(1, 1)).unwrap();
    assert_eq!(functions(&area.file, 0)[0].time, 0);
}
