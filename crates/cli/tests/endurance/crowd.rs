//! Clients and traced programs that come and are killed at any moment.

use crate::clients;
use crate::member::Member;
use crate::place::Place;
use crate::server::Server;
use std::time::{Duration, Instant};

/// Programs that are traced.
pub const PROGRAMS: [&str; 3] = [
    "while :; do cat /etc/hostname; ls -l /; done",
    "exec find / -xdev -name nothing -newer /etc/hostname",
    "while :; do (sleep 0.001; exit 3) & wait; done",
];

/// How many there are at a time.
const MEMBERS: usize = 10;

/// How often is told what there was.
const REPORT: Duration = Duration::from_secs(30);

/// Those that are there.
#[derive(Debug)]
pub struct Crowd<'a> {
    place: &'a Place,
    servers: &'a [Server],
    members: Vec<Member>,
    killed: Killed,
}

/// How many were killed.
#[derive(Debug, Default)]
pub struct Killed {
    pub clients: usize,
    pub programs: usize,
}

impl<'a> Crowd<'a> {
    /// Nobody yet.
    pub fn new(place: &'a Place, servers: &'a [Server]) -> Crowd<'a> {
        Crowd { place, servers, members: Vec::new(), killed: Killed::default() }
    }

    /// They come and go for so long, while the residents get on.
    pub fn live(&mut self, time: Duration, residents: &mut [Member]) {
        let start = Instant::now();
        let mut reported = start;
        for number in 0.. {
            self.come(number);
            std::thread::sleep(Duration::from_millis(self.place.random(60) as u64));
            while self.members.len() > MEMBERS {
                self.kill_one();
            }
            residents.iter_mut().for_each(Member::assert_gets_on);
            if reported.elapsed() > REPORT {
                reported = Instant::now();
                let memory = self.servers.iter().map(|server| server.uses().memory_kb);
                let memory: Vec<u64> = memory.collect();
                eprintln!("{:?}: {:?}, servers with KB: {memory:?}", start.elapsed(), self.killed);
            }
            if start.elapsed() > time {
                return;
            }
        }
    }

    /// Kills those that are left.
    pub fn end(mut self) -> Killed {
        while !self.members.is_empty() {
            self.kill_one();
        }
        self.killed
    }

    fn come(&mut self, number: usize) {
        let place = self.place;
        let member = match number % 4 {
            0 => place.program(PROGRAMS[number / 4 % PROGRAMS.len()]),
            _ => {
                let (kind, _) = clients::KINDS[place.random(clients::KINDS.len())];
                place.client(kind, self.servers[place.random(self.servers.len())].directory())
            }
        };
        self.members.push(member);
    }

    fn kill_one(&mut self) {
        let member = self.members.swap_remove(self.place.random(self.members.len()));
        match member.is_program() {
            true => self.killed.programs += 1,
            false => self.killed.clients += 1,
        }
        member.kill();
    }
}
