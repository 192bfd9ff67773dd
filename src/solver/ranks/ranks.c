/* ranks.c - see ranks.h. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "solver/ranks/ranks.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/plugin.h"
#include "base/os/team.h"
#include "solver/ranks/mpi.h"
#include "solver/run/host.h"

enum { WHY_ROOM = 1024 };
/* Seconds after which MPI should have started, and after which it never will. PATIENCE is how long rank 0 waits in the end for
 * ranks that do not answer; after half of it, rank 0 wakes those on its computer that are stopped. END_SECONDS is the time that
 * MPI has to end. DELIVER_SECONDS is how long a sender helps with its messages. */
static const double START_SECONDS = 30, NEVER_SECONDS = 600, PATIENCE = 10, END_SECONDS = 60, DELIVER_SECONDS = 0.1;

/* A process is a rank of one job, so this is one for the process. */
static const mpi_ops *ops; /* NULL: without --mpi */
static mpi_place place = {.size = 1, .local_size = 1};
static cpu_set_t own_cores; /* that the launcher gave to this process */
static char kept[WHY_ROOM]; /* what went wrong on a worker */
static run_voice teller;    /* says that MPI does not start */
static bool quit_came;      /* RANKS_QUIT has come, */
static int quit_status;     /* with this status */
static bool home_came;      /* RANKS_HOME of this job has come, */
static int32_t home_status; /* with this status */
static int32_t job;         /* the number of this job, up to JOBS */

/* Numbers of jobs are part of the tags, and begin again after this many. */
enum { TAGS = 16, JOBS = 1024 };
_Static_assert((int)RANKS_BYE < (int)TAGS, "every tag has a number");

/* Messages of jobs that this rank has not begun. */
typedef struct early_message {
    ranks_message message;
    int32_t job;
    struct early_message *next;
} early_message;
static early_message *early; /* in the order in which they came */

/* ---- Calls that may never return ------------------------------------------------------------------------------------ */

/* The library starts and ends in all processes together: if one of them does not take part, the call does not return. A thread waits for
 * its end, and does something if it is late. It waits by the monotonic clock, because the time of day may be set meanwhile. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t over;
    pthread_t thread;
    bool started, is_over;
    double seconds;       /* that the call may take */
    double (*late)(void); /* what is done then; returns how many seconds it may take more, or 0 */
} watched = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *watch(void *unused)
{
    struct timespec until;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &until);
    pthread_mutex_lock(&watched.lock);
    for (double more = watched.seconds; more > 0 && !watched.is_over;) {
        until.tv_sec += (time_t)more;
        while (!watched.is_over && pthread_cond_timedwait(&watched.over, &watched.lock, &until) == 0)
            continue;
        more = watched.is_over ? 0 : watched.late();
    }
    pthread_mutex_unlock(&watched.lock);
    return NULL;
}

static void watch_begin(double seconds, double (*late)(void))
{
    watched.is_over = false;
    watched.seconds = seconds;
    watched.late = late;
    pthread_condattr_t monotonic;
    watched.started = false;
    if (pthread_condattr_init(&monotonic) != 0)
        return;
    const bool good = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
                      pthread_cond_init(&watched.over, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    if (!good)
        return;
    watched.started = pthread_create(&watched.thread, NULL, watch, NULL) == 0;
    if (!watched.started)
        pthread_cond_destroy(&watched.over);
}

static void watch_end(void)
{
    if (!watched.started)
        return;
    pthread_mutex_lock(&watched.lock);
    watched.is_over = true;
    pthread_cond_signal(&watched.over);
    pthread_mutex_unlock(&watched.lock);
    pthread_join(watched.thread, NULL);
    pthread_cond_destroy(&watched.over);
}

/* One process reports it: the first one, if the launcher numbers them. */
static bool speaks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const char *rank = getenv(names[k]);
        if (rank && strcmp(rank, "0") != 0)
            return false;
    }
    return true;
}

static double start_is_late(void)
{
    static bool said;
    const char *const why = "a process of the job may be stopped or lost";
    if (!said && speaks())
        run_note(&teller, "MPI has not started after %.0f seconds: %s", START_SECONDS, why);
    if (!said) {
        said = true;
        return NEVER_SECONDS - START_SECONDS;
    }
    if (speaks())
        (void)run_fail(&teller, "MPI has not started after %.0f seconds: %s; giving up", NEVER_SECONDS, why);
    _exit(RUN_FAILED); /* the launcher ends the others */
}

/* Everything is written; the launcher ends the others. */
static double end_is_late(void)
{
    _exit(quit_status);
}

/* ---- The plugin ----------------------------------------------------------------------------------------------------- */

static const mpi_ops *load(char *why, size_t size)
{
    const char *file = getenv("PLUMB_MPI");
    mpi_entry *entry = NULL;
    if (!file || !file[0])
        file = "libplumb_mpi.so";
    void *plugin = plumb_plugin_open(file, true, why, size);
    if (!plugin)
        return NULL;
    const mpi_ops *found = plumb_plugin_find(plugin, MPI_OPS_SYMBOL, &entry, sizeof entry) ? entry() : NULL;
    if (!found || found->interface != MPI_OPS_INTERFACE || strcmp(found->plumb, plumb_version()) != 0) {
        snprintf(why, size, "%s belongs to another version of plumb", file);
        return NULL;
    }
    return found;
}

bool ranks_about(char *text, size_t size)
{
    const mpi_ops *found = load(text, size);
    if (found)
        found->about(text, size);
    return found != NULL;
}

/* ---- The program ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_program(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    uint64_t words[8192];
    FILE *file = fopen("/proc/self/exe", "rb");
    for (size_t length; file && (length = fread(words, 1, sizeof words, file)) > 0;) {
        memset((char *)words + length, 0, sizeof words - length);
        for (size_t k = 0; k < (length + 7) / 8; k++) { /* FNV-1a, eight bytes at a time */
            hash = (hash ^ words[k]) * UINT64_C(0x100000001b3);
            hash ^= hash >> 32;
        }
    }
    if (file)
        fclose(file);
    return hash;
}

static pthread_once_t build_once = PTHREAD_ONCE_INIT;
static uint64_t build;

static void find_build(void)
{
    build = hash_program();
}

uint64_t ranks_build(void)
{
    pthread_once(&build_once, find_build);
    return build;
}

static void *find_build_early(void *unused)
{
    (void)unused;
    (void)ranks_build();
    return NULL;
}

/* It takes some milliseconds, and is needed when the plan is made: a thread does it while MPI starts, which is mostly waiting. */
static void begin_build(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, find_build_early, NULL) == 0)
        pthread_detach(thread);
}

/* ---- The job -------------------------------------------------------------------------------------------------------- */

/* How many processes the launcher says that it started; 0: there is none. Asked before MPI is, because a library without a launcher
 * may wait for one. */
static int32_t launched(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const char *text = getenv(sizes[k]);
        const long size = text ? strtol(text, NULL, 10) : 0;
        if (size > 0 && size < INT32_MAX)
            return (int32_t)size;
    }
    return getenv("PMIX_RANK") || getenv("PMI_RANK") ? 1 : 0;
}

bool ranks_are_launched(void)
{
    return launched() > 0;
}

int ranks_begin(const run_voice *voice)
{
    char why[WHY_ROOM] = "";
    const int32_t expected = launched();
    if (expected == 0)
        return voice->command
                   ? run_misuse(voice, "--mpi needs a launcher, which starts the processes: mpirun -n N plumb %s ...",
                                voice->command)
                   : run_misuse(voice, "ranks need a launcher, which starts the processes: mpirun -n N ...");
    const mpi_ops *found = load(why, sizeof why);
    if (!found)
        return run_fail(voice, "%s the plugin for the MPI library: %s", voice->command ? "--mpi needs" : "ranks need",
                        why);
    begin_build();
    teller = (run_voice){voice->host, NULL, voice->data};
    watch_begin(START_SECONDS, start_is_late);
    const int error = found->begin(&place, why, sizeof why);
    watch_end();
    if (error != 0)
        return run_fail(voice, "MPI could not be started: %s", why);
    ops = found;
    if (place.size < expected) {
        ops->about(why, sizeof why);
        const int result = run_misuse(voice,
                                      "the launcher started %d processes, but for %s there are %d: use the launcher of "
                                      "that library, or name the plugin of another one in PLUMB_MPI",
                                      (int)expected, why, (int)place.size);
        ops->end();
        ops = NULL;
        return result;
    }
    if (sched_getaffinity(0, sizeof own_cores, &own_cores) != 0)
        CPU_ZERO(&own_cores);
    ranks_alone(true);
    return RUN_OK;
}

char *ranks_kept(size_t *size)
{
    *size = sizeof kept;
    return kept;
}

void ranks_alone(bool alone)
{
    cpu_set_t all;
    memcpy(&all, place.cores, sizeof all);
    if (ops && place.rank == 0 && CPU_COUNT(&own_cores) > 0) /* where that is not allowed, the own cores must do */
        (void)sched_setaffinity(0, sizeof all, alone ? &all : &own_cores);
}

bool ranks_are_used(void)
{
    return ops != NULL;
}

int32_t ranks_own(void)
{
    return place.rank;
}

int32_t ranks_count(void)
{
    return place.size;
}

bool ranks_is_worker(void)
{
    return place.rank > 0;
}

int32_t ranks_device(int32_t backend)
{
    /* Sixteen processes that ask a driver for its GPUs take a second. */
    const int32_t devices = ops && backend != PLUMB_BACKEND_CPU ? plumb_device_count(NULL, 0) : 0;
    return devices > 0 ? place.local_rank % devices : 0;
}

int32_t ranks_threads(int64_t given)
{
    if (given > 0 || !ops)
        return (int32_t)given;
    cpu_set_t all;
    memcpy(&all, place.cores, sizeof all);
    const int64_t own = CPU_COUNT(&own_cores),
                  each = place.core_shares > 0 ? own * CPU_COUNT(&all) / place.core_shares : 0;
    return each > 0 ? (int32_t)each : 1;
}

int32_t ranks_threads_alone(int64_t given)
{
    if (!ops || place.rank > 0)
        return ranks_threads(given);
    const int64_t cores = team_cores(), all = given > 0 ? given * place.local_size : cores;
    return (int32_t)(all < cores ? all : cores);
}

/* ---- Messages ------------------------------------------------------------------------------------------------------- */

static bool coming; /* the last look found a long message that has not arrived completely */

static void pause_for(long microseconds)
{
    const struct timespec time = {.tv_nsec = 1000 * microseconds};
    nanosleep(&time, NULL);
}

/* Long messages move piece by piece, whenever both sides look: then often. */
static void pause_shortly(void)
{
    pause_for(coming ? 20 : 1000);
}

void ranks_send(int32_t to, ranks_tag tag, const void *bytes, size_t length)
{
    /* A message that cannot be sent is as good as a rank that does not answer. */
    (void)ops->send(to, (int32_t)tag + TAGS * job, bytes, length);
}

void ranks_deliver(void)
{
    const double since = plumb_clock_seconds();
    while (ops && ops->is_sending() && plumb_clock_seconds() < since + DELIVER_SECONDS)
        pause_for(20);
}

/* The next message of a job that has begun meanwhile. */
static bool take_early(ranks_message *message)
{
    for (early_message **place_of = &early, *m; (m = *place_of); place_of = &m->next) {
        if (m->job != job)
            continue;
        *place_of = m->next;
        *message = m->message;
        free(m);
        return true;
    }
    return false;
}

/* Keeps a message for its job, if that is still to come; otherwise it is of no use to anyone. */
static void keep_early(const ranks_message *message, int32_t of_job)
{
    const bool to_come = (of_job - job + JOBS) % JOBS < JOBS / 2;
    early_message *kept_one = to_come ? malloc(sizeof *kept_one) : NULL, **last = &early;
    if (!kept_one) {
        free(message->bytes);
        return;
    }
    *kept_one = (early_message){.message = *message, .job = of_job};
    while (*last)
        last = &(*last)->next;
    *last = kept_one;
}

static bool receive(ranks_message *message)
{
    int32_t tag = 0;
    while (!take_early(message)) {
        const int got = ops->receive(&message->from, &tag, &message->bytes, &message->length);
        coming = got == 2;
        if (got != 1)
            return false;
        message->tag = (ranks_tag)(tag % TAGS);
        ((char *)message->bytes)[message->length] = '\0'; /* the plugin has room for it */
        if (tag / TAGS == job || message->tag == RANKS_QUIT || message->tag == RANKS_BYE)
            return true;
        keep_early(message, tag / TAGS);
    }
    return true;
}

bool ranks_receive(ranks_message *message)
{
    if (!receive(message))
        return false;
    if (message->tag == RANKS_QUIT && message->length == sizeof quit_status) {
        memcpy(&quit_status, message->bytes, sizeof quit_status);
        quit_came = true;
    }
    if (message->tag == RANKS_HOME && message->length == sizeof home_status) {
        memcpy(&home_status, message->bytes, sizeof home_status);
        home_came = true;
    }
    return true;
}

void ranks_send_home(int32_t status)
{
    for (int32_t k = 1; k < place.size; k++)
        ranks_send(k, RANKS_HOME, &status, sizeof status);
    ranks_deliver();
}

bool ranks_is_home(int32_t *status)
{
    *status = home_status;
    return home_came;
}

void ranks_wait_for_home(void)
{
    ranks_message m;
    if (ranks_wait(RANKS_HOME, &m))
        free(m.bytes);
}

void ranks_tell_failure(int status, const char *why)
{
    char text[sizeof status + WHY_ROOM];
    memcpy(text, &status, sizeof status);
    snprintf(text + sizeof status, WHY_ROOM, "%s", why);
    ranks_send(0, RANKS_FAILED, text, sizeof status + strlen(text + sizeof status));
}

void ranks_next_job(void)
{
    job = (job + 1) % JOBS;
    home_came = false;
}

/* ---- The end -------------------------------------------------------------------------------------------------------- */

bool ranks_wait(ranks_tag tag, ranks_message *message)
{
    while (!quit_came && !home_came) {
        if (!ranks_receive(message)) {
            pause_shortly();
            continue;
        }
        if (message->tag == tag)
            return true;
        free(message->bytes);
    }
    return false;
}

/* A rank that somebody has stopped cannot hear that the work is done. Those on this computer are woken, which is better than to end the
 * whole job by force. */
static void wake(const bool *gone)
{
    for (int32_t k = 0; place.processes && k < place.local_size; k++)
        if (!gone[place.processes[k][0]])
            kill((pid_t)place.processes[k][1], SIGCONT);
}

static void end_workers(int status)
{
    const double since = plumb_clock_seconds();
    int32_t left = place.size - 1;
    bool *gone = calloc((size_t)place.size, sizeof *gone), woken = false;
    for (int32_t k = 1; k < place.size; k++)
        ranks_send(k, RANKS_QUIT, &status, sizeof status);
    while (left > 0 && plumb_clock_seconds() < since + PATIENCE) {
        ranks_message m;
        if (gone && !woken && plumb_clock_seconds() > since + PATIENCE / 2) {
            wake(gone);
            woken = true;
        }
        if (!ranks_receive(&m)) {
            pause_shortly();
            continue;
        }
        if (m.tag == RANKS_BYE) {
            left--;
            if (gone)
                gone[m.from] = true;
        }
        free(m.bytes);
    }
    free(gone);
    if (left > 0)
        ops->end_all(status);
}

static int end_worker(int status)
{
    ranks_message m;
    if (status != RUN_OK)
        ranks_tell_failure(status, kept);
    while (!quit_came) {
        if (ranks_receive(&m))
            free(m.bytes);
        else
            pause_shortly();
    }
    ranks_send(0, RANKS_BYE, NULL, 0);
    while (ops->is_sending())
        pause_shortly();
    return quit_status;
}

int ranks_end(int status)
{
    if (!ops)
        return status;
    fflush(stdout);
    fflush(stderr);
    if (place.rank == 0)
        end_workers(status);
    else
        status = end_worker(status);
    quit_status = status;
    watch_begin(END_SECONDS, end_is_late);
    ops->end();
    watch_end();
    ops = NULL;
    return status;
}
