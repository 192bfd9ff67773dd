/* identity.c - see identity.h. The text is the version, the hash of the program and the first line of the journal, in three lines. */
#include "solver/run/identity.h"

#include <stdlib.h>
#include <string.h>

#include "solver/ranks/ranks.h"
#include "solver/run/header.h"
#include "solver/run/line.h"

int run_identity_make(const run_job *job, char **text, uint64_t *check)
{
    run_header header = {.line = NULL};
    const size_t room = 128;
    int result = run_header_make(job, &header);
    *text = result == RUN_OK ? malloc(room + header.length + 1) : NULL;
    if (*text != NULL)
        snprintf(*text, room + header.length + 1, "%s\n%016llx\n%s", plumb_version(), (unsigned long long)ranks_build(),
                 header.line);
    else if (result == RUN_OK)
        result = run_no_memory(job->voice);
    *check = header.check;
    free(header.line);
    return result;
}

/* The lines of a text, without their line breaks; "" where there is none. */
static void split(const char *text, const char *line[3], size_t length[3])
{
    for (int k = 0; k < 3; k++) {
        line[k] = text;
        length[k] = strcspn(text, "\n");
        text += length[k] + (text[length[k]] == '\n');
    }
}

int run_identity_compare(const run_job *job, int32_t rank, const char *own, const char *other)
{
    const char *a[3], *b[3];
    size_t a_length[3], b_length[3];
    json_node *ours = NULL, *theirs = NULL;
    if (strcmp(own, other) == 0)
        return RUN_OK;
    split(own, a, a_length);
    split(other, b, b_length);
    if (a_length[0] != b_length[0] || memcmp(a[0], b[0], a_length[0]) != 0)
        return run_misuse(job->voice, "rank %d runs plumb %.*s, rank 0 runs plumb %.*s", (int)rank, (int)b_length[0],
                          b[0], (int)a_length[0], a[0]);
    if (a_length[1] != b_length[1] || memcmp(a[1], b[1], a_length[1]) != 0)
        return run_misuse(job->voice, "rank %d runs another build of plumb %s than rank 0", (int)rank, plumb_version());
    int result = RUN_MISUSE;
    if (json_read(a[2], a_length[2], &ours, NULL) == PLUMB_OK &&
        json_read(b[2], b_length[2], &theirs, NULL) == PLUMB_OK)
        for (const json_node *m = ours->child; m != NULL; m = m->next) {
            const char *there = json_member_string(theirs, m->key, "missing");
            if (strcmp(m->key, LINE_CHECK) != 0 && m->kind == JSON_STRING && strcmp(m->string, there) != 0) {
                result = run_misuse(job->voice, "rank %d is different: %s is %s there, and %s on rank 0", (int)rank,
                                    m->key, there, m->string);
                json_free(ours);
                json_free(theirs);
                return result;
            }
        }
    json_free(ours);
    json_free(theirs);
    return run_misuse(job->voice, "rank %d is different: it would compute something else", (int)rank);
}
