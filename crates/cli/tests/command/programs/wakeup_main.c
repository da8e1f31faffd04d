/* The kinds of wake-ups, by name. */
static const struct {
    const char *name;
    void (*await)(void);
    void (*wake)(void);
} kinds[] = {
    { "mutex", await_mutex, free_mutex },
    { "rwlock", await_reading, free_rwlock },
    { "held", await_condition, signal_and_free },
    { "signal", await_condition, signal_it },
    { "broadcast", await_condition, broadcast },
    { "semaphore", await_semaphore, post },
    { "taken", await_semaphore, post_and_take },
    { "eventfd", await_event, write_event },
    { "pipe", await_pipe, write_pipe },
    { "message", await_message, send_message },
    { "tcp", await_tcp, send_tcp },
    { "polled", await_by_poll, write_pipe },
    { "selected", await_by_select, write_pipe },
    { "epoll", await_by_epoll, send_tcp },
    { "epoll_event", await_by_epoll, write_event },
    { "twice", await_pipe, write_twice },
    { "there", find_there, put_there },
    { "stolen", await_pipe, steal },
    { "several", await_pipe, write_for_several },
    { "timeout", await_in_vain, write_nothing },
};

static void *wait_there(void *await)
{
    ((void (*)(void))await)();
    return NULL;
}

/* Both on one CPU, before everything else, and the waker before the other one. */
static void keep_cpu(void)
{
    struct sched_param higher = { .sched_priority = 50 };
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(sched_getcpu(), &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus))
        abort();
    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &higher))
        abort();
}

int main(int count, char **arguments)
{
    pthread_attr_t attributes;
    struct sched_param lower = { .sched_priority = 10 };
    pthread_t thread;
    unsigned kind = 0;
    while (count < 2 || strcmp(kinds[kind].name, arguments[1]))
        if (++kind == sizeof kinds / sizeof *kinds)
            return 2;
    keep_cpu();
    sem_init(&semaphore, 0, 0);
    open_descriptors();
    if (kinds[kind].await == await_mutex)
        pthread_mutex_lock(&mutex);
    if (kinds[kind].await == await_reading)
        pthread_rwlock_wrlock(&rwlock);
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &lower);
    if (pthread_create(&thread, &attributes, wait_there, kinds[kind].await))
        abort();
    kinds[kind].wake();
    spend(20);
    ended = now();
    pthread_join(thread, NULL);
    printf("%d %ld %ld\n", waiter, ended - begun, last - first);
    return 0;
}
