//! Calls on sockets, names of hosts, and waiting for descriptors.

/// Adds these calls to the table and passes it on to the next part. Lines are as long as a call is:
/// rustfmt::skip.
#[doc(hidden)]
#[macro_export]
macro_rules! socket_calls {
    ($with:ident [$next:ident $($others:ident)*] $($before:tt)*) => {
        $crate::$next! {
            $with [$($others)*] $($before)*
            net {
                socket(domain: AddressFamily, kind: SocketType, protocol: Int) -> Descriptor as [socket];
                socketpair(domain: AddressFamily, kind: SocketType, protocol: Int, sv: DescriptorPair) -> Success as [socketpair];
                bind(sockfd: Int, addr: SocketAddress, addrlen: Unsigned) -> Success as [bind];
                listen(sockfd: Int, backlog: Int) -> Success as [listen];
                accept(sockfd: Int, addr: PeerAddress, addrlen: Pointer) -> Descriptor as [accept];
                accept4(sockfd: Int, addr: PeerAddress, addrlen: Pointer, flags: SocketType) -> Descriptor as [accept4];
                connect(sockfd: Int, addr: SocketAddress, addrlen: Unsigned) -> Success as [connect];
                send(sockfd: Int, buf: Pointer, len: Size, flags: MessageFlags) -> Count as [send];
                sendto(sockfd: Int, buf: Pointer, len: Size, flags: MessageFlags, addr: SocketAddress, addrlen: Unsigned) -> Count as [sendto];
                sendmsg(sockfd: Int, msg: Pointer, flags: MessageFlags) -> Count as [sendmsg];
                recv(sockfd: Int, buf: Pointer, len: Size, flags: MessageFlags) -> Count as [recv]
                    or __recv_chk(sockfd: Int, buf: Pointer, len: Size, capacity: Size, flags: MessageFlags);
                recvfrom(sockfd: Int, buf: Pointer, len: Size, flags: MessageFlags, addr: PeerAddress, addrlen: Pointer) -> Count as [recvfrom]
                    or __recvfrom_chk(sockfd: Int, buf: Pointer, len: Size, capacity: Size, flags: MessageFlags, addr: PeerAddress, addrlen: Pointer);
                recvmsg(sockfd: Int, msg: Pointer, flags: MessageFlags) -> Count as [recvmsg];
                shutdown(sockfd: Int, how: ShutdownHow) -> Success as [shutdown];
                getsockopt(sockfd: Int, level: Int, optname: Int, optval: OptionValue, optlen: Pointer) -> Success as [getsockopt];
                setsockopt(sockfd: Int, level: Int, optname: Int, optval: Pointer, optlen: Unsigned) -> Success as [setsockopt];
                sendmmsg(sockfd: Int, msgvec: Pointer, vlen: Unsigned, flags: MessageFlags) -> Descriptor as [sendmmsg];
                recvmmsg(sockfd: Int, msgvec: Pointer, vlen: Unsigned, flags: MessageFlags, timeout: Pointer) -> Descriptor as [recvmmsg];
                getsockname(sockfd: Int, addr: PeerAddress, addrlen: Pointer) -> Success as [getsockname];
                getpeername(sockfd: Int, addr: PeerAddress, addrlen: Pointer) -> Success as [getpeername];
                getaddrinfo(node: Path, service: Path, hints: Pointer, res: Pointer) -> Resolved as [getaddrinfo];
                freeaddrinfo(res: Pointer) -> Nothing as [freeaddrinfo];
                getnameinfo(addr: SocketAddress, addrlen: Unsigned, host: Pointer, hostlen: Unsigned, serv: Pointer, servlen: Unsigned, flags: Int) -> Resolved as [getnameinfo];
                gethostbyname(name: Path) -> Entry as [gethostbyname];
                gethostbyname2(name: Path, af: AddressFamily) -> Entry as [gethostbyname2];
                gethostbyname_r(name: Path, ret: Pointer, buf: Pointer, buflen: Size, result: Pointer, h_errnop: Pointer) -> ErrorNumber as [gethostbyname_r];
                gethostbyaddr(addr: Pointer, len: Unsigned, family: AddressFamily) -> Entry as [gethostbyaddr];
                gethostname(name: Pointer, len: Size) -> Success as [gethostname] or __gethostname_chk(name: Pointer, len: Size, capacity: Size);
                getifaddrs(ifap: Pointer) -> Success as [getifaddrs];
            }
            poll {
                poll(fds: PollSet, nfds: Size, timeout: Int) -> Descriptor as [poll]
                    or __poll_chk(fds: Pointer, nfds: Size, timeout: Int, capacity: Size);
                ppoll(fds: PollSet, nfds: Size, tmo_p: Pointer, sigmask: Pointer) -> Descriptor as [ppoll]
                    or __ppoll_chk(fds: Pointer, nfds: Size, tmo_p: Pointer, sigmask: Pointer, capacity: Size)
                    around mask::PPOLL;
                select(nfds: Int, readfds: DescriptorSet, writefds: DescriptorSet, exceptfds: DescriptorSet, timeout: Pointer) -> Descriptor as [select];
                pselect(nfds: Int, readfds: DescriptorSet, writefds: DescriptorSet, exceptfds: DescriptorSet, timeout: Pointer, sigmask: Pointer) -> Descriptor as [pselect] around mask::PSELECT;
                epoll_create(size: Int) -> Descriptor as [epoll_create];
                epoll_create1(flags: DescriptorFlags) -> Descriptor as [epoll_create1];
                epoll_ctl(epfd: Int, op: EpollOperation, fd: Int, event: Pointer) -> Success as [epoll_ctl];
                epoll_wait(epfd: Int, events: EpollEvents, maxevents: Int, timeout: Int) -> Descriptor as [epoll_wait];
                epoll_pwait(epfd: Int, events: EpollEvents, maxevents: Int, timeout: Int, sigmask: Pointer) -> Descriptor as [epoll_pwait] around mask::EPOLL_PWAIT;
                epoll_pwait2(epfd: Int, events: EpollEvents, maxevents: Int, timeout: Pointer, sigmask: Pointer) -> Descriptor as [epoll_pwait2] around mask::EPOLL_PWAIT;
            }
        }
    };
}
