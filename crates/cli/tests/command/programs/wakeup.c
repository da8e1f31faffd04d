/* A thread that is woken 20 ms before it gets the CPU, which who wakes it keeps: 1 percent of that is much
   more than a switch takes. For the kind that is asked for: the thread, what passed at least, and at most, in
   ns of CLOCK_MONOTONIC. */
#include <sched.h>
#include <semaphore.h>

/* Here `first` and `begun` are around what wakes, `ended` is the end of what the waker does, and `last` when
   the woken thread goes on. */

static int waiter;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static int is_ready;

/* Whether the thread sleeps that waits. */
static int sleeps(void)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", waiter);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        abort();
    fclose(file);
    return state == 'S';
}

static void until_it_sleeps(void)
{
    while (!__atomic_load_n(&waiter, __ATOMIC_SEQ_CST) || !sleeps())
        usleep(1000);
}

/* Says who waits from here on. */
static void arrive(void)
{
    __atomic_store_n(&waiter, gettid(), __ATOMIC_SEQ_CST);
}

static PLACE void await_mutex(void)
{
    arrive();
    pthread_mutex_lock(&mutex);
    last = now();
    pthread_mutex_unlock(&mutex);
}

static PLACE void free_mutex(void)
{
    until_it_sleeps();
    first = now();
    pthread_mutex_unlock(&mutex);
    begun = now();
    calls++;
}

static PLACE void await_reading(void)
{
    arrive();
    pthread_rwlock_rdlock(&rwlock);
    last = now();
    pthread_rwlock_unlock(&rwlock);
}

static PLACE void free_rwlock(void)
{
    until_it_sleeps();
    first = now();
    pthread_rwlock_unlock(&rwlock);
    begun = now();
    calls++;
}

static PLACE void await_condition(void)
{
    pthread_mutex_lock(&mutex);
    arrive();
    while (!is_ready)
        pthread_cond_wait(&cond, &mutex);
    last = now();
    pthread_mutex_unlock(&mutex);
}

/* It can't go on before it has the mutex again. */
static PLACE void signal_and_free(void)
{
    until_it_sleeps();
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&cond);
    spend(8);
    first = now();
    pthread_mutex_unlock(&mutex);
    begun = now();
    calls++;
}

static PLACE void signal_it(void)
{
    until_it_sleeps();
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_mutex_unlock(&mutex);
    first = now();
    pthread_cond_signal(&cond);
    begun = now();
    /* Nobody is there any more to be woken. */
    pthread_cond_signal(&cond);
    calls++;
}

static PLACE void broadcast(void)
{
    until_it_sleeps();
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_mutex_unlock(&mutex);
    first = now();
    pthread_cond_broadcast(&cond);
    begun = now();
    calls++;
}

static PLACE void await_semaphore(void)
{
    arrive();
    sem_wait(&semaphore);
    last = now();
    calls++;
}

static PLACE void post(void)
{
    until_it_sleeps();
    first = now();
    sem_post(&semaphore);
    begun = now();
    calls++;
}

/* What it was woken for is taken by another one, and it goes on waiting. */
static PLACE void post_and_take(void)
{
    until_it_sleeps();
    sem_post(&semaphore);
    if (sem_trywait(&semaphore))
        abort();
    spend(8);
    first = now();
    sem_post(&semaphore);
    begun = now();
    calls++;
}

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
