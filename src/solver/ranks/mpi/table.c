/* table.c - the plugin: messages between the processes of a job by an MPI library; see solver/ranks/mpi.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os/plugin.h"
#include "solver/ranks/mpi.h"

/* Messages that are on their way, in the order in which they were sent. */
typedef struct sending {
    MPI_Request request;
    void *bytes;
    struct sending *next;
} sending;

/* Messages that are being received, in the order in which they were announced. */
typedef struct receiving {
    MPI_Request request;
    int32_t from, tag;
    void *bytes;
    size_t length;
    struct receiving *next;
} receiving;

static sending *first;
static receiving *incoming;
static MPI_Comm all; /* of our own, so that our tags are, too */

static void about(char *text, size_t size)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (size == 0)
        return;
    text[0] = '\0';
    if (MPI_Get_library_version(version, &length) != MPI_SUCCESS)
        return;
    version[strcspn(version, ",\n")] = '\0'; /* libraries print much more */
    for (char *c = version; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    const size_t room = strlen(version) < size ? strlen(version) : size - 1;
    memcpy(text, version, room);
    text[room] = '\0';
}

static int explain(int error, char *text, size_t size)
{
    char line[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (error != MPI_SUCCESS && size > 0) {
        line[0] = '\0';
        MPI_Error_string(error, line, &length);
        line[strcspn(line, "\n")] = '\0';
        const size_t room = strlen(line) < size ? strlen(line) : size - 1;
        memcpy(text, line, room);
        text[room] = '\0';
    }
    return error;
}

_Static_assert(sizeof(cpu_set_t) == MPI_CORE_BYTES, "the size of a set of cores");

static void add_cores(MPI_Comm local, mpi_place *place)
{
    cpu_set_t own;
    CPU_ZERO(&own);
    (void)sched_getaffinity(0, sizeof own, &own);
    const int32_t count = CPU_COUNT(&own);
    MPI_Allreduce(&own, place->cores, MPI_CORE_BYTES, MPI_UNSIGNED_CHAR, MPI_BOR, local);
    MPI_Allreduce(&count, &place->core_shares, 1, MPI_INT32_T, MPI_SUM, local);
}

static void add_processes(MPI_Comm local, int32_t rank, int32_t count, mpi_place *place)
{
    const int32_t own[2] = {rank, (int32_t)getpid()};
    int32_t(*processes)[2] = malloc((size_t)count * sizeof *processes);
    int there = processes != NULL, everywhere = 0;
    MPI_Allreduce(&there, &everywhere, 1, MPI_INT, MPI_MIN, local);
    if (everywhere && MPI_Allgather(own, 2, MPI_INT32_T, processes, 2, MPI_INT32_T, local) == MPI_SUCCESS)
        place->processes = (const int32_t(*)[2])processes;
    else
        free(processes);
}

static int others; /* the program has started the library itself, and will end it */

static int begin(mpi_place *place, char *text, size_t size)
{
    int provided = 0, rank = 0, count = 1, local_rank = 0, local_count = 1;
    MPI_Comm local;
    *place = (mpi_place){.size = 1, .local_size = 1};
    int error = MPI_Initialized(&others);
    if (error == MPI_SUCCESS && !others)
        error = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_dup(MPI_COMM_WORLD, &all);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_rank(all, &rank);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_size(all, &count);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &local);
    if (error == MPI_SUCCESS) {
        MPI_Comm_rank(local, &local_rank);
        MPI_Comm_size(local, &local_count);
        add_cores(local, place);
        add_processes(local, rank, local_count, place);
        MPI_Comm_free(&local);
    }
    place->rank = rank;
    place->size = count;
    place->local_rank = local_rank;
    place->local_size = local_count;
    return explain(error, text, size);
}

/* Lets the library go on with what is on its way, and frees what has arrived. */
static void clean(void)
{
    for (sending **at = &first; *at;) {
        sending *s = *at;
        int done = 0;
        if (MPI_Test(&s->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        free(s->bytes);
        free(s);
    }
}

static int send_bytes(int32_t to, int32_t tag, const void *bytes, size_t length)
{
    sending *s = calloc(1, sizeof *s);
    void *copy = malloc(length + 1);
    sending **last = &first;
    if (!s || !copy || length > (size_t)1 << 30) {
        free(s);
        free(copy);
        return MPI_ERR_NO_MEM;
    }
    if (length > 0)
        memcpy(copy, bytes, length);
    s->bytes = copy;
    const int error = MPI_Isend(copy, (int)length, MPI_BYTE, to, tag, all, &s->request);
    if (error != MPI_SUCCESS) {
        free(s);
        free(copy); // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): there is no request
        return error;
    }
    while (*last)
        last = &(*last)->next;
    *last = s;
    clean();
    return MPI_SUCCESS; // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): clean waits for the request
}

/* Begins to receive every message that is announced. */
static int begin_receiving(void)
{
    receiving **last = &incoming;
    while (*last)
        last = &(*last)->next;
    for (int there = 1; there;) {
        MPI_Message message;
        MPI_Status status;
        int count = 0;
        int error = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, all, &there, &message, &status);
        if (error != MPI_SUCCESS || !there)
            return error;
        error = MPI_Get_count(&status, MPI_BYTE, &count);
        receiving *r = calloc(1, sizeof *r);
        if (error != MPI_SUCCESS || !r || !(r->bytes = malloc((size_t)count + 1))) {
            free(r);
            return MPI_ERR_NO_MEM;
        }
        r->from = status.MPI_SOURCE;
        r->tag = status.MPI_TAG;
        r->length = (size_t)count;
        error = MPI_Imrecv(r->bytes, count, MPI_BYTE, &message, &r->request);
        if (error != MPI_SUCCESS) {
            free(r->bytes);
            free(r);
            return error;
        }
        *last = r;
        last = &r->next;
    }
    return MPI_SUCCESS;
}

/* A long message takes its sender's help, which one that is stopped does not give: so nothing here waits. Messages of a sender come in
 * their order. */
static int receive(int32_t *from, int32_t *tag, void **bytes, size_t *length)
{
    *bytes = NULL;
    clean();
    if (begin_receiving() != MPI_SUCCESS)
        return -1;
    for (receiving **at = &incoming; *at; at = &(*at)->next) {
        receiving *r = *at;
        bool earlier = false;
        for (const receiving *e = incoming; e != r; e = e->next)
            earlier = earlier || e->from == r->from;
        int done = 0;
        if (earlier || MPI_Test(&r->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !done)
            continue;
        *at = r->next;
        *from = r->from;
        *tag = r->tag;
        *bytes = r->bytes;
        *length = r->length;
        free(r);
        return 1;
    }
    return incoming ? 2 : 0;
}

static int is_sending(void)
{
    clean();
    return first != NULL;
}

/* The library says goodbye to the launcher in several short messages. TCP holds back all but the first one until that is acknowledged,
 * which takes 40 ms, unless it is told not to. */
static void hurry_sockets(void)
{
    enum { MOST = 256 };
    const int yes = 1;
    for (int fd = 3; fd < MOST; fd++)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* fails for everything else */
}

static void end(void)
{
    if (others) {
        MPI_Comm_free(&all);
        return;
    }
    hurry_sockets();
    MPI_Finalize();
}

static void end_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

PLUMB_API const mpi_ops *plumb_mpi(void);

const mpi_ops *plumb_mpi(void)
{
    static const mpi_ops ops = {
        .interface = MPI_OPS_INTERFACE,
        .plumb = PLUGIN_VERSION,
        .about = about,
        .begin = begin,
        .send = send_bytes,
        .receive = receive,
        .is_sending = is_sending,
        .end = end,
        .end_all = end_all,
    };
    return &ops;
}
