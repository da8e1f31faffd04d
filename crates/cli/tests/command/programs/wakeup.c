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
