/* crew.c - the ranks of plumb solve --at --mpi; see run.h. Rank 0 reads targets, hands them out in blocks, solves some itself, and writes what
 * comes back in the order of the targets. A block has the targets and how many come before it; the answer is the text that shows them. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/app.h"
#include "app/run/host.h"
#include "app/stop.h"
#include "base/os/clock.h"
#include "cli/family/run.h"
#include "solver/ranks/ranks.h"

/* Blocks that a rank has, so that it need not wait for rank 0; and blocks that may wait for an earlier one, per rank. */
enum { BLOCKS_EACH = 2, WAITING_EACH = 4 };

/* Seconds that rank 0 waits for an answer, the first time. */
static const double PATIENCE = 2;

/* Before the limbs of the targets, and before the text of an answer. */
typedef struct block_head {
    int64_t number, before, again,
        count; /* before: targets of earlier blocks; of the count, `again` are some of them */
} block_head;

typedef struct answer_head {
    int64_t number;
    family_totals totals;
} answer_head;

/* ---- Generic solutions ------------------------------------------------------------------------------------------- */

/* A context with the threads of this rank alone. */
static int share_cores(family_job *job)
{
    const family_words *words = job->words;
    plumb_context_options options;
    plumb_context_options_init(&options);
    app_ranks_context(&options, words->threads, words->backend);
    options.threads = ranks_threads(words->threads);
    ranks_alone(false);
    plumb_context_destroy(job->batch.context);
    job->batch.context = NULL;
    return app_context_create(words->command, &options, &job->batch.context);
}

int family_crew_begin(family_job *job)
{
    size_t needed = 0;
    const uint64_t build = ranks_build();
    char *bytes = NULL;
    const char *command = job->words->command;
    if (plumb_family_write(job->batch.family, NULL, 0, &needed) == PLUMB_ERR_BUFFER)
        bytes = malloc(sizeof build + needed);
    if (bytes == NULL)
        return app_fail(command, "out of memory");
    memcpy(bytes, &build, sizeof build);
    const plumb_status status = plumb_family_write(job->batch.family, bytes + sizeof build, needed, NULL);
    for (int32_t k = 1; k < ranks_count() && status == PLUMB_OK; k++)
        ranks_send(k, RANKS_CELLS, bytes, sizeof build + needed);
    ranks_deliver();
    free(bytes);
    return status == PLUMB_OK ? share_cores(job) : app_fail(command, "%s", plumb_status_text(status));
}

/* ---- Another rank ------------------------------------------------------------------------------------------------ */

static int receive_family(family_job *job, bool *over)
{
    ranks_message m;
    uint64_t build = 0;
    plumb_text_error error;
    const char *command = job->words->command;
    *over = !ranks_wait(RANKS_CELLS, &m);
    if (*over)
        return APP_OK;
    int result = APP_OK;
    if (m.length >= sizeof build)
        memcpy(&build, m.bytes, sizeof build);
    if (build != ranks_build())
        result = app_misuse(command, "another build of plumb than that of rank 0");
    else if (plumb_family_read(job->batch.family, (const char *)m.bytes + sizeof build,
                               strlen((const char *)m.bytes + sizeof build), &error) != PLUMB_OK)
        result = app_misuse(command, "the family differs from that of rank 0: %s", error.message);
    free(m.bytes);
    return result;
}

/* Solves targets that are in the batch, of which `before` come first, and packs the answer: to be freed. */
static int make_answer(family_job *job, const block_head *head, void **bytes, size_t *length)
{
    answer_head answer = {.number = head->number};
    memory_file text = {.text = NULL};
    int result = family_batch_solve(&job->batch, head->before, head->again, head->count, &text, &answer.totals);
    *bytes = result == APP_OK ? malloc(sizeof answer + text.length + 1) : NULL;
    if (*bytes != NULL) {
        memcpy(*bytes, &answer, sizeof answer);
        if (text.length > 0)
            memcpy((char *)*bytes + sizeof answer, text.text, text.length);
        *length = sizeof answer + text.length;
    } else if (result == APP_OK) {
        result = app_fail(job->words->command, "out of memory");
    }
    free(text.text);
    return result;
}

static int solve_block(family_job *job, const ranks_message *m)
{
    const int64_t each = 2 * PLUMB_QD * plumb_family_parameters(job->batch.family);
    block_head head;
    void *bytes;
    size_t length;
    memcpy(&head, m->bytes, sizeof head);
    memcpy(job->batch.limbs, (const char *)m->bytes + sizeof head, (size_t)(head.count * each) * sizeof(double));
    const int result = make_answer(job, &head, &bytes, &length);
    if (result == APP_OK)
        ranks_send(0, RANKS_RESULTS, bytes, length);
    free(bytes);
    return result;
}

int family_crew_serve(family_job *job)
{
    ranks_message m;
    bool over = false;
    app_stop_on_signals();
    int result = receive_family(job, &over);
    if (result != APP_OK || over)
        return result;
    result = share_cores(job);
    job->batch.form = family_form_of(job->words);
    job->batch.each = family_batch_size(job->batch.family, job->words->neighbours, CREW_TARGETS);
    if (result == APP_OK)
        result = family_batch_begin(&job->batch);
    while (result == APP_OK && ranks_wait(RANKS_BLOCK, &m)) {
        result = solve_block(job, &m);
        free(m.bytes);
        if (app_stopped())
            ranks_send(0, RANKS_STOP, NULL, 0);
    }
    return result;
}

/* ---- Rank 0 ------------------------------------------------------------------------------------------------------ */

typedef struct crew_block {
    int64_t before, again,
        count;     /* targets: of earlier blocks, those of them that are repeated, and these with its own */
    double *limbs; /* of them, for the hash; to be freed */
    void *answer;  /* head and text; NULL: it has not come; to be freed */
    size_t length;
} crew_block;

typedef struct crew {
    family_job *job;
    crew_block *ring;             /* block k is at k % room */
    int64_t room, written, given; /* blocks: the first `written` are done, `given` were handed out */
    int64_t before;               /* targets of those */
    int64_t *held;                /* blocks that each rank has */
    bool ended;                   /* there are no more targets */
    double since, patience;       /* when an answer was written last; seconds after which a rank is not waited for */
} crew;

static int take_failure(const crew *c, const ranks_message *m)
{
    int status = APP_FAILED;
    const bool whole = m->length >= sizeof status;
    if (whole)
        memcpy(&status, m->bytes, sizeof status);
    const char *why = whole && m->length > sizeof status ? (const char *)m->bytes + sizeof status : "it failed";
    return status == APP_MISUSE ? app_misuse(c->job->words->command, "rank %d: %s", (int)m->from, why)
                                : app_fail(c->job->words->command, "rank %d: %s", (int)m->from, why);
}

/* Takes a message; an answer keeps its bytes. */
static int take_message(crew *c, ranks_message *m)
{
    int64_t number = -1;
    if (m->tag == RANKS_STOP)
        app_stop_request();
    if (m->tag == RANKS_FAILED)
        return take_failure(c, m);
    if (m->tag != RANKS_RESULTS || m->length < sizeof(answer_head))
        return APP_OK;
    memcpy(&number, m->bytes, sizeof number);
    c->held[m->from]--;
    if (number < c->written || number >= c->given || c->ring[number % c->room].answer != NULL)
        return APP_OK; /* it was solved here meanwhile */
    crew_block *b = &c->ring[number % c->room];
    b->answer = m->bytes;
    b->length = m->length;
    m->bytes = NULL;
    return APP_OK;
}

/* Writes the answers that come next. *cut: one of them was stopped, and those after it do not count. */
static int write_answers(crew *c, bool *cut)
{
    const int64_t each = 2 * PLUMB_QD * plumb_family_parameters(c->job->batch.family);
    int result = APP_OK;
    while (result == APP_OK && !*cut && c->written < c->given && c->ring[c->written % c->room].answer != NULL) {
        crew_block *b = &c->ring[c->written++ % c->room];
        answer_head head;
        memcpy(&head, b->answer, sizeof head);
        family_kept_read(&c->job->kept, b->limbs + b->again * each, head.totals.targets * each);
        result = family_take(c->job, (const char *)b->answer + sizeof head, b->length - sizeof head, &head.totals);
        *cut = head.totals.targets < b->count - b->again;
        free(b->answer);
        free(b->limbs);
        *b = (crew_block){.answer = NULL};
        c->since = plumb_clock_seconds();
    }
    return result;
}

/* The rank that has the fewest blocks, if it may have one more; otherwise 0, ourselves. */
static int32_t free_rank(const crew *c)
{
    int32_t best = 0;
    for (int32_t k = 1; k < ranks_count(); k++)
        if (c->held[k] < BLOCKS_EACH && (best == 0 || c->held[k] < c->held[best]))
            best = k;
    return best;
}

/* Solves a block here. */
static int solve_own(crew *c, int64_t number)
{
    crew_block *b = &c->ring[number % c->room];
    family_batch *batch = &c->job->batch;
    const int64_t each = 2 * PLUMB_QD * plumb_family_parameters(batch->family);
    const block_head head = {.number = number, .before = b->before, .again = b->again, .count = b->count};
    if (b->limbs == NULL || batch->limbs == NULL)
        return app_fail(c->job->words->command, "out of memory");
    memcpy(batch->limbs, b->limbs, (size_t)(b->count * each) * sizeof *b->limbs);
    return make_answer(c->job, &head, &b->answer, &b->length);
}

/* Reads the next targets and hands them out, or solves them. */
static int give(crew *c, int *rows)
{
    family_batch *batch = &c->job->batch;
    const int64_t each = 2 * PLUMB_QD * plumb_family_parameters(batch->family);
    block_head head = {.number = c->given, .before = c->before, .again = c->job->again};
    const int32_t rank = free_rank(c);
    c->job->again = 0;
    *rows = family_rows_next(c->job->rows, batch->each - head.again, batch->limbs + head.again * each, &head.count);
    c->ended = *rows != APP_OK || head.count == 0;
    if (head.count == 0)
        return APP_OK;
    head.count += head.again;
    const size_t size = (size_t)(head.count * each) * sizeof(double);
    char *bytes = malloc(sizeof head + size);
    double *limbs = malloc(size);
    if (bytes == NULL || limbs == NULL) {
        free(bytes);
        free(limbs);
        return app_fail(c->job->words->command, "out of memory");
    }
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, batch->limbs, size);
    memcpy(limbs, batch->limbs, size);
    c->ring[c->given % c->room] =
        (crew_block){.before = head.before, .again = head.again, .count = head.count, .limbs = limbs};
    c->given++;
    c->before += head.count - head.again;
    if (rank > 0) {
        ranks_send(rank, RANKS_BLOCK, bytes, sizeof head + size);
        c->held[rank]++;
    }
    free(bytes);
    return rank > 0 ? APP_OK : solve_own(c, head.number);
}

/* Nothing is left to do but to wait: for a while, and then the block that all others wait for is solved here. */
static int wait_for_answer(crew *c)
{
    if (plumb_clock_seconds() < c->since + c->patience) {
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
        return APP_OK;
    }
    c->patience *= 2;
    return solve_own(c, c->written);
}

static int work(crew *c, int *rows)
{
    int result = APP_OK;
    bool cut = false;
    while (result == APP_OK && !cut && !app_stopped() && !(c->ended && c->written == c->given)) {
        ranks_message m;
        while (result == APP_OK && ranks_receive(&m)) {
            result = take_message(c, &m);
            free(m.bytes);
        }
        if (result == APP_OK)
            result = write_answers(c, &cut);
        if (result != APP_OK || cut || app_stopped())
            break;
        if (!c->ended && c->given - c->written < c->room)
            result = give(c, rows);
        else
            result = wait_for_answer(c);
    }
    return result == APP_OK && !cut ? write_answers(c, &cut) : result;
}

int family_crew_solve(family_job *job, int *rows)
{
    const int64_t ranks = ranks_count(), room = WAITING_EACH * ranks;
    crew c = {.job = job,
              .room = room,
              .before = job->totals.targets,
              .since = plumb_clock_seconds(),
              .patience = PATIENCE,
              .ring = calloc((size_t)room, sizeof *c.ring),
              .held = calloc((size_t)ranks, sizeof *c.held)};
    const int result =
        c.ring != NULL && c.held != NULL ? work(&c, rows) : app_fail(job->words->command, "out of memory");
    for (int64_t k = 0; k < room && c.ring != NULL; k++) {
        free(c.ring[k].answer);
        free(c.ring[k].limbs);
    }
    free(c.ring);
    free(c.held);
    return result;
}
