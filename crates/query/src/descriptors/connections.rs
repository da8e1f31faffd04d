//! Connections of which the trace has both ends: the socket that has connected, and the one that was
//! accepted.
//!
//! They are paired by both addresses of the first one, of which it has to have asked for its own, or chosen
//! it; what is accepted has the address of its peer, and that of the socket that listens. Where anything is
//! in doubt nothing is paired: where a socket was used, or copied, before it was known whose it is, and where
//! two have the same address, as in two network namespaces.

use super::channel::{ChannelKind, DescriptorChannel};
use super::state::DescriptorTable;
use foldhash::HashMap;
use std::rc::Rc;

/// A process and a descriptor.
pub(crate) type SocketPlace = (i32, i32);

/// Sockets whose peers are not known yet; nothing stands for several with the same address.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// Those that have connected, by their own address.
    callers: HashMap<Rc<str>, Option<ConnectedSocket>>,
    /// Those that were accepted, by the address of the peer.
    accepted: HashMap<Rc<str>, Option<SocketPlace>>,
}

/// A socket that has connected. It may be closed before it is accepted.
#[derive(Debug)]
struct ConnectedSocket {
    place: SocketPlace,
    /// The address that it is connected to.
    peer: Rc<str>,
    end: DescriptorChannel,
}

/// Addresses after which those of sockets that are closed are looked for.
const MANY: usize = 1024;

impl Connections {
    /// What is known of a socket has changed: it gets an end of a channel once it is known whose peer it is.
    /// Whether a channel of this number was begun.
    pub(super) fn look(
        &mut self,
        place: SocketPlace,
        tables: &mut HashMap<i32, DescriptorTable>,
        channel: u64,
    ) -> bool {
        let is_many = |length: usize| length > MANY && length.is_power_of_two();
        if is_many(self.callers.len()) || is_many(self.accepted.len()) {
            self.callers.retain(|_, it| it.as_ref().is_none_or(|it| has(tables, it.place)));
            self.accepted.retain(|_, place| place.is_none_or(|place| has(tables, place)));
        }
        let Some(state) = tables.get(&place.0).and_then(|table| table.get(&place.1)) else { return false };
        if !state.is_fresh || state.channel.is_some() {
            return false;
        }
        let name = state.name.clone();
        match (name, &state.listener, state.own.clone()) {
            (Some(peer), Some(listener), _) => {
                let listener = Rc::clone(listener);
                self.accept(place, peer, &listener, tables);
                false
            }
            (Some(peer), None, Some(own)) => {
                let end = DescriptorChannel { id: channel, kind: ChannelKind::Connection, end: 0 };
                join(tables, place, end);
                self.connect(ConnectedSocket { place, peer, end }, own, tables);
                true
            }
            _ => false,
        }
    }

    fn accept(
        &mut self,
        place: SocketPlace,
        peer: Rc<str>,
        listener: &str,
        tables: &mut HashMap<i32, DescriptorTable>,
    ) {
        match self.callers.get(&peer) {
            Some(Some(caller)) if leads_to(&caller.peer, listener) => {
                join(tables, place, caller.end.other());
                self.callers.remove(&peer);
            }
            Some(_) => {}
            None => {
                let is_taken = self.accepted.get(&peer).is_some_and(|it| is_other(*it, place, tables));
                self.accepted.insert(peer, Some(place).filter(|_| !is_taken));
            }
        }
    }

    fn connect(&mut self, caller: ConnectedSocket, own: Rc<str>, tables: &mut HashMap<i32, DescriptorTable>) {
        if let Some(accepted) = self.accepted.remove(&own) {
            let state = accepted.and_then(|(process, number)| tables.get(&process)?.get(&number));
            let is_peer = state.is_some_and(|state| {
                let listener = state.listener.as_deref();
                state.is_fresh
                    && state.channel.is_none()
                    && state.name.as_deref() == Some(&*own)
                    && listener.is_some_and(|listener| leads_to(&caller.peer, listener))
            });
            if let Some(place) = accepted.filter(|_| is_peer) {
                return join(tables, place, caller.end.other());
            }
        }
        let other = self.callers.get(&own).map(|it| it.as_ref().map(|it| it.place));
        let is_taken = other.is_some_and(|it| is_other(it, caller.place, tables));
        self.callers.insert(own, Some(caller).filter(|_| !is_taken));
    }
}

/// Whether another socket that is open has the address, or several have.
fn is_other(known: Option<SocketPlace>, place: SocketPlace, tables: &HashMap<i32, DescriptorTable>) -> bool {
    known.is_none_or(|known| known != place && has(tables, known))
}

fn has(tables: &HashMap<i32, DescriptorTable>, (process, number): SocketPlace) -> bool {
    tables.get(&process).is_some_and(|table| table.contains_key(&number))
}

/// A socket is an end of a channel.
fn join(tables: &mut HashMap<i32, DescriptorTable>, place: SocketPlace, end: DescriptorChannel) {
    if let Some(state) = tables.get_mut(&place.0).and_then(|table| table.get_mut(&place.1)) {
        (state.channel, state.is_fresh) = (Some(end), false);
    }
}

/// Whether a connection to an address is accepted by one who listens at another: the same, or all of its
/// port.
fn leads_to(address: &str, listener: &str) -> bool {
    let port =
        |address: &str| address.rsplit_once(':').map(|(host, port)| (host.to_owned(), port.to_owned()));
    let (Some((_, to)), Some((host, at))) = (port(address), port(listener)) else { return false };
    address == listener || to == at && ["0.0.0.0", "[::]"].contains(&host.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::state::DescriptorState;
    use super::*;

    const CLIENT: SocketPlace = (1, 3);
    const SERVER: SocketPlace = (2, 7);

    fn tables() -> HashMap<i32, DescriptorTable> {
        let text = |text: &str| Some(Rc::from(text));
        let fresh = DescriptorState { is_socket: true, is_fresh: true, ..DescriptorState::default() };
        let (own, peer) = (text("127.0.0.1:4000"), text("127.0.0.1:80"));
        let client = DescriptorState { own: own.clone(), name: peer, ..fresh.clone() };
        let server = DescriptorState { name: own, listener: text("0.0.0.0:80"), ..fresh };
        let table = |number, state| DescriptorTable::from_iter([(number, state)]);
        HashMap::from_iter([(1, table(3, client)), (2, table(7, server))])
    }

    fn are_paired(mut tables: HashMap<i32, DescriptorTable>, order: [SocketPlace; 2]) -> bool {
        let mut connections = Connections::default();
        for place in order {
            connections.look(place, &mut tables, 5);
        }
        let [one, other] = [CLIENT, SERVER].map(|(process, number)| tables[&process][&number].channel);
        other.is_some() && one.map(DescriptorChannel::other) == other
    }

    #[test]
    fn both_ends_are_paired_whoever_comes_first() {
        assert!(are_paired(tables(), [CLIENT, SERVER]) && are_paired(tables(), [SERVER, CLIENT]));
    }

    #[test]
    fn nothing_is_paired_in_doubt() {
        let mut used = tables();
        used.get_mut(&1).unwrap().get_mut(&3).unwrap().is_fresh = false;
        assert!(!are_paired(used, [CLIENT, SERVER]), "bytes were moved before");
        let mut elsewhere = tables();
        elsewhere.get_mut(&2).unwrap().get_mut(&7).unwrap().listener = Some("0.0.0.0:81".into());
        assert!(!are_paired(elsewhere, [CLIENT, SERVER]), "another port");
        let mut twice = tables();
        let same = twice[&1][&3].clone();
        twice.insert(3, DescriptorTable::from_iter([(4, same)]));
        let mut connections = Connections::default();
        for place in [CLIENT, (3, 4), SERVER] {
            connections.look(place, &mut twice, 5);
        }
        assert_eq!(twice[&2][&7].channel, None, "two have the same address");
    }

    #[test]
    fn a_socket_may_be_closed_before_it_is_accepted() {
        let mut tables = tables();
        let server = tables.remove(&2).unwrap();
        let mut connections = Connections::default();
        assert!(connections.look(CLIENT, &mut tables, 5), "bytes may be sent from now on");
        tables.remove(&1);
        tables.insert(2, server);
        assert!(!connections.look(SERVER, &mut tables, 6));
        assert_eq!(tables[&2][&7].channel.map(|end| (end.id, end.end)), Some((5, 1)));
    }
}
