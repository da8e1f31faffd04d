/* Threads that wait for data in descriptors. */
#include <arpa/inet.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>

/* The ends that are read from, and written to. */
static int event, ends[2], pair[2], tcp[2], epoll;

static int checked(int result)
{
    if (result < 0)
        abort();
    return result;
}

static void connect_tcp(void)
{
    struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof name;
    int listening = checked(socket(AF_INET, SOCK_STREAM, 0));
    checked(bind(listening, (struct sockaddr *)&name, sizeof name));
    checked(listen(listening, 1));
    checked(getsockname(listening, (struct sockaddr *)&name, &length));
    tcp[1] = checked(socket(AF_INET, SOCK_STREAM, 0));
    checked(connect(tcp[1], (struct sockaddr *)&name, sizeof name));
    tcp[0] = checked(accept(listening, NULL, NULL));
}

/* What the program knows a descriptor by in the epoll instance is not its number. */
static void registers(int fd)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = 0xabcdef0000000000 + fd };
    checked(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
}

static void open_descriptors(void)
{
    event = checked(eventfd(0, 0));
    checked(pipe(ends));
    checked(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    connect_tcp();
    epoll = checked(epoll_create1(0));
    registers(event);
    registers(ends[0]);
    registers(tcp[0]);
}

static PLACE void await_event(void)
{
    eventfd_t value;
    arrive();
    checked(eventfd_read(event, &value));
    last = now();
}

static PLACE void write_event(void)
{
    until_it_sleeps();
    first = now();
    checked(eventfd_write(event, 1));
    begun = now();
    calls++;
}

static PLACE void await_pipe(void)
{
    char byte;
    arrive();
    checked(read(ends[0], &byte, 1));
    last = now();
}

static PLACE void write_pipe(void)
{
    until_it_sleeps();
    first = now();
    checked(write(ends[1], "1", 1));
    begun = now();
    calls++;
}

static PLACE void await_message(void)
{
    char byte;
    arrive();
    checked(recv(pair[0], &byte, 1, 0));
    last = now();
}

static PLACE void send_message(void)
{
    until_it_sleeps();
    first = now();
    checked(send(pair[1], "1", 1, 0));
    begun = now();
    calls++;
}

static PLACE void await_tcp(void)
{
    char byte;
    arrive();
    checked(read(tcp[0], &byte, 1));
    last = now();
}

static PLACE void send_tcp(void)
{
    until_it_sleeps();
    first = now();
    checked(write(tcp[1], "1", 1));
    begun = now();
    calls++;
}

static PLACE void await_by_poll(void)
{
    struct pollfd fds[] = { { .fd = event, .events = POLLIN }, { .fd = ends[0], .events = POLLIN } };
    arrive();
    checked(poll(fds, 2, 60000));
    last = now();
}

static PLACE void await_by_select(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(event, &set);
    FD_SET(ends[0], &set);
    arrive();
    checked(select(ends[1] + 1, &set, NULL, NULL, NULL));
    last = now();
}

static PLACE void await_by_epoll(void)
{
    struct epoll_event events[4];
    arrive();
    checked(epoll_wait(epoll, events, 4, -1));
    last = now();
}

/* It is awake since the first. */
static PLACE void write_twice(void)
{
    until_it_sleeps();
    first = now();
    checked(write(ends[1], "1", 1));
    begun = now();
    spend(5);
    checked(write(ends[1], "2", 1));
}

/* Below nobody knows for sure who has woken whom, or nobody has waited: how long that took doesn't matter. */

static int is_there;

static PLACE void find_there(void)
{
    char byte;
    eventfd_t value;
    struct epoll_event events[4];
    struct pollfd polled = { .fd = tcp[0], .events = POLLIN };
    arrive();
    while (!__atomic_load_n(&is_there, __ATOMIC_SEQ_CST))
        usleep(1000);
    checked(epoll_wait(epoll, events, 4, -1));
    checked(poll(&polled, 1, -1));
    checked(read(ends[0], &byte, 1));
    checked(read(tcp[0], &byte, 1));
    checked(recv(pair[0], &byte, 1, 0));
    checked(eventfd_read(event, &value));
    last = now();
}

static PLACE void put_there(void)
{
    until_it_sleeps();
    first = begun = now();
    checked(write(ends[1], "1", 1));
    checked(write(tcp[1], "1", 1));
    checked(write(pair[1], "1", 1));
    checked(eventfd_write(event, 1));
    __atomic_store_n(&is_there, 1, __ATOMIC_SEQ_CST);
}

/* What has woken the thread is gone before it runs, so it goes on waiting. */
static PLACE void steal(void)
{
    char byte;
    until_it_sleeps();
    first = now();
    checked(write(ends[1], "1", 1));
    checked(read(ends[0], &byte, 1));
    begun = now();
    spend(5);
    checked(write(ends[1], "2", 1));
}

static void *await_too(void *unused)
{
    char byte;
    arrive();
    checked(read(ends[0], &byte, 1));
    return unused;
}

static PLACE void write_for_several(void)
{
    pthread_t other;
    until_it_sleeps();
    __atomic_store_n(&waiter, 0, __ATOMIC_SEQ_CST);
    if (pthread_create(&other, NULL, await_too, NULL))
        abort();
    until_it_sleeps();
    begun = now();
    checked(write(ends[1], "12", 2));
    pthread_join(other, NULL);
}

static PLACE void await_in_vain(void)
{
    struct pollfd polled = { .fd = ends[0], .events = POLLIN };
    arrive();
    checked(poll(&polled, 1, 100));
    last = now();
}

static PLACE void write_nothing(void)
{
    first = begun = now();
}
