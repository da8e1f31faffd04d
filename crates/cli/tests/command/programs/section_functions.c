/* Functions that are called within critical sections, and outside of them. */
#include <pthread.h>

#define PLACE __attribute__((noinline, noclone))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* So that calls return into the functions that make them. */
static volatile int calls;

static PLACE void deeper(void)
{
    calls++;
}

static PLACE void within(void)
{
    deeper();
    calls++;
}

static PLACE void outside(void)
{
    deeper();
    calls++;
}

static PLACE void section(void)
{
    pthread_mutex_lock(&mutex);
    within();
    pthread_mutex_unlock(&mutex);
    calls++;
}

/* Another thread's calls are not within the section. */
static void *other(void *unused)
{
    outside();
    return unused;
}

static PLACE void section_of_one(void)
{
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    if (pthread_create(&thread, NULL, other, NULL) || pthread_join(thread, NULL))
        calls = -1;
    within();
    pthread_mutex_unlock(&mutex);
    calls++;
}

int main(void)
{
    outside();
    section();
    outside();
    section_of_one();
    outside();
    return calls < 0;
}
