//! Mounts that are used by many at once, for long: clients of all kinds, of which most are killed at any
//! moment, over two mounts of one session, while traced programs come, write and are killed.
//!
//! It takes 20 s, or as many as `LOOKBACK_ENDURANCE_SECONDS` says. `--nocapture` shows how it goes.

mod clients;
mod crowd;
mod member;
mod place;
mod server;

use crowd::Crowd;
use member::Member;
use place::Place;
use server::{Server, Use};
use std::fs;
use std::path::Path;
use std::time::Duration;

fn time() -> Duration {
    let seconds = std::env::var("LOOKBACK_ENDURANCE_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(20))
}

/// What a client does, when it is told which it is.
#[test]
#[ignore = "started by the other tests, which kill it"]
fn client() {
    clients::work();
}

#[test]
fn nobody_hangs_nothing_leaks_and_the_session_is_whole() {
    let place = Place::new();
    let servers = [place.serve("one"), place.serve("two")];
    servers.iter().for_each(|server| place.settle(server.directory()));
    let before: Vec<Use> = servers.iter().map(Server::uses).collect();
    let mut residents = residents(&place, &servers);
    let mut crowd = Crowd::new(&place, &servers);
    crowd.live(time(), &mut residents);
    let killed = crowd.end();
    assert!(killed.clients > 50 && killed.programs > 10, "{killed:?}");
    get_on(&place, &servers[0], &mut residents);
    residents.into_iter().for_each(Member::kill);
    for (server, before) in servers.iter().zip(&before) {
        server.wait_until_idle(before);
    }
    place.assert_whole(servers[0].directory());
    servers.into_iter().for_each(|server| place.umount(server));
    let again = place.serve("again");
    place.assert_records(again.directory());
    place.umount(again);
}

/// A client of each kind.
fn residents(place: &Place, servers: &[Server]) -> Vec<Member> {
    let kinds = clients::KINDS.iter().zip(servers.iter().cycle());
    kinds.map(|((kind, _), server)| place.client(kind, server.directory())).collect()
}

/// Each gets on from here.
#[track_caller]
fn get_on(place: &Place, server: &Server, members: &mut [Member]) {
    place.settle(server.directory());
    // Who has opened a pipe before the top level became an instance of its own waits for the recording.
    let program = place.program(crowd::PROGRAMS[0]);
    let counts: Vec<u64> = members.iter().map(Member::count).collect();
    for (member, count) in members.iter_mut().zip(counts) {
        member.wait_until("it doesn't get on", |member| member.count() > count);
    }
    program.kill();
}

/// What is opened, made and looked up over and over takes no more memory in the end than in the middle.
#[test]
fn what_was_closed_takes_no_memory() {
    let place = Place::new();
    let server = place.serve("here");
    let half = || (0..20).for_each(|round| come_and_go(&place, server.directory(), round));
    half();
    let middle = server.uses();
    half();
    let last = server.uses();
    // What the kernel keeps of a node takes some 200 bytes here, and there were 8,000 of them meanwhile.
    assert!(last.memory_kb < middle.memory_kb + 512, "{middle:?} {last:?}");
    assert!(last.opens_as_much_as(&middle), "{middle:?} {last:?}");
    place.umount(server);
}

fn come_and_go(place: &Place, directory: &Path, round: usize) {
    for _ in 0..300 {
        // Each opening of pages has a node of its own.
        drop(fs::File::open(directory.join("per_cpu/cpu0/trace_pipe_raw")).unwrap());
    }
    let instance = directory.join(format!("instances/round{round}"));
    fs::create_dir(&instance).unwrap();
    for path in ["trace", "events/libc/open/enable", "per_cpu/cpu0/stats"] {
        fs::read(instance.join(path)).unwrap();
    }
    assert!(fs::read_dir(instance.join("events/libc")).unwrap().count() > 100);
    place.eventually("it can be removed", || fs::remove_dir(&instance).is_ok());
    assert!(fs::read(directory.join(format!("nothing{round}"))).is_err());
}

/// Who is served by a server that is killed is told so at once; others aren't disturbed.
#[test]
fn a_server_can_be_killed_under_load() {
    let place = Place::new();
    let (mut killed, other) = (place.serve("killed"), place.serve("other"));
    place.settle(other.directory());
    let mut clients = residents(&place, std::slice::from_ref(&killed));
    let mut others = residents(&place, std::slice::from_ref(&other));
    for client in &mut clients {
        client.wait_until("it doesn't begin", |client| client.count() > 0);
    }
    killed.kill();
    for client in clients {
        client.assert_ends(clients::DISCONNECTED);
    }
    get_on(&place, &other, &mut others);
    others.into_iter().for_each(Member::kill);
    let directory = killed.directory().to_path_buf();
    place.umount_dead(killed);
    let again = place.serve_at(directory);
    place.assert_whole(again.directory());
    [again, other].into_iter().for_each(|server| place.umount(server));
}
