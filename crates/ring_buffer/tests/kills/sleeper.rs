//! A writer that sleeps in the middle of a section, while its ring is to lose its memory (R15).

use crate::stage::{Stage, configured_cpus, current_cpu, go_to_cpu};
use crate::traced::Traced;
use abi::page::DELTA_LIMIT;
use ring_buffer::Released;
use std::mem::offset_of;

/// What is tested.
pub const TESTS: &[(&str, fn())] = &[
    ("memory_stays_under_a_virtual_cpu_that_sleeps", memory_stays),
    ("a_visit_is_proof_although_a_writer_is_stopped", a_visit_is_proof),
    ("memory_that_goes_without_proof_is_written_to", memory_that_goes_without_proof_is_written_to),
];

/// The CPU itself sleeps, with a writer in the middle of a section, and nobody can go there: who would give
/// the memory back has a cpuset without it. However often it asks, the ring stays retired, is reported, and
/// keeps its memory; when the CPU runs again, the writer writes there.
fn memory_stays() {
    let stage = Stage::new();
    let mut writer = stopped_in_section(&stage);
    leave_its_ring(&stage);
    write_on_other_cpus(&stage);
    let kb = stage.kb();
    for _ in 0..3 {
        assert_eq!(release_elsewhere(&stage), Released::Retired { blocks: 1 });
        assert_eq!((stage.buffer.retired_rings(), stage.kb()), (1, kb));
    }
    while writer.step() {}
    writer.kill();
    assert_eq!(stage.kb(), kb);
    // Its event is committed, but that is no proof: it was not in another ring.
    assert_eq!(release_elsewhere(&stage), Released::Retired { blocks: 1 });
    stage.write(false);
    assert_eq!(release_elsewhere(&stage), Released::Freed);
    assert_eq!((stage.buffer.retired_rings(), stage.kb() < kb), (0, true));
    let live = stage.look().expect("in order").live;
    assert!(!live.contains(&1) && !live.contains(&2), "{live:?}: the events in the ring were freed");
}

/// A writer was stopped in the middle of a section, as by SIGSTOP or a freezer, and the CPU is there for
/// others. Who goes there takes the section from the writer: it starts over, in the ring that is live by
/// then.
fn a_visit_is_proof() {
    let stage = Stage::new();
    let writer = stopped_in_section(&stage);
    leave_its_ring(&stage);
    assert_eq!(stage.holder().release(), Released::Freed);
    let kb = stage.kb();
    assert!(writer.step_seen() && !writer.is_in_section(), "the kernel has sent it to its abort handler");
    writer.finish();
    assert_eq!((stage.look().expect("in order").live, stage.kb()), (vec![2], kb));
}

/// Where the kernel is kept from that, what the writer stores takes new memory: so the two tests above
/// would see a ring that went too early.
fn memory_that_goes_without_proof_is_written_to() {
    let stage = Stage::new();
    let mut writer = stopped_in_section(&stage);
    leave_its_ring(&stage);
    writer.step();
    assert_eq!(stage.holder().release(), Released::Freed);
    let kb = stage.kb();
    while writer.step() {}
    writer.kill();
    assert!(stage.kb() > kb, "{kb} KB before and after");
}

/// A child in the middle of writing event 2, of which it has stored the first bytes. There is one spare ring.
fn stopped_in_section(stage: &Stage) -> Traced {
    assert_eq!(stage.holder().release(), Released::Freed);
    stage.write(false);
    // Instruction by instruction the writer may take longer than an event's word can say.
    stage.set_last_time(stage.buffer.now() + 100 * DELTA_LIMIT);
    stage.build_next();
    let mut writer = Traced::start(|| stage.write(false));
    stage.next_is_written();
    let before = stage.image();
    while stage.image() == before {
        assert!(writer.step(), "it stores nothing");
    }
    assert!(writer.is_in_section());
    writer
}

/// Makes the ring spare that the tail is in, by a snapshot that nobody keeps.
fn leave_its_ring(stage: &Stage) {
    let snapshot = stage.buffer.snapshot().expect("a spare ring");
    assert!(stage.buffer.discard(snapshot));
}

/// Has writers on all other CPUs leave that ring.
fn write_on_other_cpus(stage: &Stage) {
    let here = current_cpu();
    for cpu in (0..configured_cpus()).filter(|cpu| *cpu != here) {
        go_to_cpu(cpu);
        stage.write(false);
    }
    go_to_cpu(here);
}

/// [`ring_buffer::Holder::release`], by somebody who can't choose the CPU.
fn release_elsewhere(stage: &Stage) -> Released {
    // SAFETY: this process has one thread.
    let child = unsafe { libc::fork() };
    if child == 0 {
        forbid_to_choose_the_cpu();
        let code = match stage.holder().release() {
            Released::Freed => 0,
            Released::NothingSpare => 1,
            Released::Retired { blocks } => 2 + blocks as i32,
        };
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(code) };
    }
    let mut status = 0;
    // SAFETY: a child of ours.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert!(libc::WIFEXITED(status), "{status:#x}");
    match libc::WEXITSTATUS(status) {
        0 => Released::Freed,
        1 => Released::NothingSpare,
        code => Released::Retired { blocks: code as u32 - 2 },
    }
}

/// Has sched_setaffinity(2) fail for the calling process as it does for a CPU that its cpuset doesn't have.
fn forbid_to_choose_the_cpu() {
    const fn statement(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
        libc::sock_filter { code: code as u16, jt, jf, k }
    }
    let number = offset_of!(libc::seccomp_data, nr) as u32;
    let mut filter = [
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, number, 0, 0),
        statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, libc::SYS_sched_setaffinity as u32, 0, 1),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | libc::EINVAL as u32, 0, 0),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the program lives until the kernel has copied it; it concerns the calling process alone.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program), 0);
    }
}
