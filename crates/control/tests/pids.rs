//! PID filters: who is ignored, and who is in a list because of others.

mod common;

use abi::control::{PID_PAGES, TIDS, TIDS_IN_PART};
use abi::instance::{INSTANCES, NOT_PIDS, PIDS};
use common::Temporary;
use control::{Filtered, NewProcess, NewTask, NoPages, PidFilter};

fn add(temporary: &Temporary, instance: usize, filter: PidFilter, pids: &[u32]) {
    let file = &temporary.file;
    file.reserve_pids(&temporary.path, instance, filter, pids.iter().copied()).unwrap();
    assert!(file.add_pids(instance, filter, pids));
}

fn listed(temporary: &Temporary, instance: usize, filter: PidFilter) -> Vec<u32> {
    let mut listed = Vec::new();
    temporary.file.visit_pids(instance, filter, |pid| listed.push(pid));
    listed
}

#[test]
fn lists_keep_threads_out() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let last = TIDS as u32 - 1;
    for instance in [0, INSTANCES - 1] {
        let ignores = |tid| file.ignores(instance, file.instance_flags(instance), tid);
        assert!(!ignores(5));
        add(&temporary, instance, PidFilter::Only, &[5, 63, 64, 40_000, last]);
        assert_eq!([5, 63, 64, 40_000, last].map(ignores), [false; 5]);
        assert_eq!([4, 6, 62, 65, 39_999, 32_773, last - 1, 0].map(ignores), [true; 8]);
        add(&temporary, instance, PidFilter::Never, &[64, 70]);
        assert_eq!([5, 64, 70].map(ignores), [false, true, true]);
        file.clear_pids(instance, PidFilter::Only);
        assert_eq!([5, 64, 70, 4].map(ignores), [false, true, true, false]);
        file.clear_pids(instance, PidFilter::Never);
        assert_eq!((ignores(64), file.instance_flags(instance)), (false, 0));
        assert!(!file.ignores(INSTANCES, NOT_PIDS, 5), "there is no such instance");
    }
    assert!(file.ignores(0, PIDS, 1), "a list that has nobody");
}

#[test]
fn numbers_are_listed_in_order() {
    let temporary = Temporary::new();
    let all = [0, 1, 63, 64, 32_767, 32_768, TIDS as u32 - 1, TIDS as u32, (1 << 30) - 1];
    add(&temporary, 3, PidFilter::Only, &all[2..]);
    add(&temporary, 3, PidFilter::Only, &all);
    assert_eq!(listed(&temporary, 3, PidFilter::Only), all);
    assert!(listed(&temporary, 3, PidFilter::Never).is_empty());
    let others: Vec<u32> = (0..64).map(|number| TIDS as u32 + number).collect();
    assert!(!temporary.file.add_pids(3, PidFilter::Only, &others), "one too many, with what is there");
    assert_eq!(listed(&temporary, 3, PidFilter::Only), all);
}

#[test]
fn children_follow_and_who_ends_is_forgotten() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    add(&temporary, 0, PidFilter::Only, &[10, 50]);
    add(&temporary, 9, PidFilter::Never, &[10]);
    file.pid_forked(10, 11);
    assert_eq!(listed(&temporary, 0, PidFilter::Only), [10, 50], "only where it is said");
    file.follow_forks(9, Filtered::Events, true);
    let other = temporary.again();
    assert!(
        file.follows_forks(9, Filtered::Events)
            && !file.follows_forks(0, Filtered::Events)
            && file.follows_any_forks()
    );
    other.pid_forked(10, 11);
    other.pid_forked(11, 12);
    other.pid_forked(50, 51);
    assert_eq!(listed(&temporary, 0, PidFilter::Only), [10, 50]);
    assert_eq!(listed(&temporary, 9, PidFilter::Never), [10, 11, 12]);
    file.pid_ended(10);
    file.pid_ended(50);
    assert_eq!(listed(&temporary, 9, PidFilter::Never), [11, 12]);
    assert_eq!(listed(&temporary, 0, PidFilter::Only), [10, 50]);
    // A process ends with its threads.
    let process = NewProcess { pid: 11, parent: 1, pid_namespace: 3, time: 5, ..Default::default() };
    let entry = file.add_process(&process).unwrap();
    let task = NewTask { tid: 12, tgid: 11, process: Some(entry), comm: [0; 16], time: 5 };
    file.add_task(&task).unwrap();
    assert!(file.end_process(entry, 9));
    assert!(listed(&temporary, 9, PidFilter::Never).is_empty() && file.has_pids(9, PidFilter::Never));
    file.follow_forks(9, Filtered::Events, false);
    assert!(!file.follows_any_forks());
}

#[test]
fn functions_have_lists_of_their_own() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    add(&temporary, 0, PidFilter::FunctionOnly, &[10]);
    add(&temporary, 0, PidFilter::Only, &[20]);
    add(&temporary, 0, PidFilter::FunctionNever, &[11]);
    let flags = file.instance_flags(0);
    assert_eq!([10, 11, 20].map(|tid| file.ignores_functions(0, flags, tid)), [false, true, true]);
    assert_eq!([10, 11, 20].map(|tid| file.ignores(0, flags, tid)), [true, true, false]);
    file.follow_forks(0, Filtered::Functions, true);
    file.pid_forked(10, 11);
    file.pid_forked(20, 21);
    assert_eq!(listed(&temporary, 0, PidFilter::FunctionOnly), [10, 11]);
    assert_eq!(listed(&temporary, 0, PidFilter::FunctionNever), [11]);
    assert_eq!(listed(&temporary, 0, PidFilter::Only), [20], "event-fork is another option");
    file.pid_ended(11);
    assert!(listed(&temporary, 0, PidFilter::FunctionNever).is_empty());
    file.clear_pids(0, PidFilter::FunctionOnly);
    assert!(!file.ignores_functions(0, file.instance_flags(0), 20));
}

#[test]
fn pages_are_given_back_by_who_was_killed() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let of_all = || (0..TIDS as u32).step_by(TIDS_IN_PART);
    let reserve = |instance| file.reserve_pids(&temporary.path, instance, PidFilter::Only, of_all());
    let lists = PID_PAGES / of_all().count();
    for instance in 0..lists {
        // Reserved, and never made a list.
        reserve(INSTANCES - 1 - instance).unwrap();
    }
    for instance in 0..lists {
        reserve(instance).unwrap();
        assert!(file.add_pids(instance, PidFilter::Only, &[instance as u32]));
    }
    assert_eq!(reserve(lists), Err(NoPages::AllUsed));
    file.clear_pids(3, PidFilter::Only);
    reserve(lists).unwrap();
    assert!(file.add_pids(lists, PidFilter::Only, &[7]));
    assert_eq!(listed(&temporary, lists, PidFilter::Only), [7], "nothing of the list before is left");
    assert_eq!(listed(&temporary, 2, PidFilter::Only), [2]);
}
