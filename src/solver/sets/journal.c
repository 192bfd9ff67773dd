/* journal.c - see journal.h. */
#define _GNU_SOURCE /* asprintf */
#include "solver/sets/journal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/call/message.h"
#include "model/components.h"
#include "model/system/system.h"
#include "solver/run/line.h"
#include "text/json/read.h"
#include "text/lines.h"
#include "text/output.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

static const char HEADER[] = "decompose"; /* the file that says what is decomposed */
static const char DONE[] = "done";        /* end of the name of a finished dimension */

/* Temporary files are left over where the file system has no files without a name, and a process was killed. */
static bool is_ours(const char *name)
{
    const size_t first = strspn(name, "0123456789");
    if (strcmp(name, HEADER) == 0 || strncmp(name, ".plumb-", 7) == 0)
        return true;
    if (first == 0 || name[first] != '-')
        return false;
    const char *rest = name + first + 1;
    return strcmp(rest, DONE) == 0 || (*rest != 0 && strspn(rest, "0123456789") == strlen(rest));
}

typedef struct folder_contents {
    int64_t journals, others; /* others: neither a journal nor the header */
    bool header;
} folder_contents;

/* False: there is no such folder; errno is set. */
static bool look(const char *folder, folder_contents *found)
{
    DIR *list = opendir(folder);
    *found = (folder_contents){0};
    if (!list)
        return false;
    for (const struct dirent *e; (e = readdir(list));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (strcmp(e->d_name, HEADER) == 0)
            found->header = true;
        else if (!is_ours(e->d_name))
            found->others++;
        else if (e->d_name[0] != '.')
            found->journals++;
    }
    closedir(list);
    return true;
}

/* 0 or an errno. */
static int remove_folder(const char *folder)
{
    DIR *list = opendir(folder);
    if (!list)
        return errno;
    const int fd = dirfd(list);
    for (const struct dirent *e; (e = readdir(list));)
        if (is_ours(e->d_name))
            (void)unlinkat(fd, e->d_name, 0);
    closedir(list);
    return rmdir(folder) == 0 ? 0 : errno;
}

plumb_status plumb_decompose_remove_journal(const char *journal)
{
    plumb_call_begin();
    if (!journal)
        return plumb_call_end(plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "journal: expected the name of a folder"));
    const int reason = remove_folder(journal);
    return plumb_call_end(
        reason == 0 ? PLUMB_OK
                    : plumb_say(PLUMB_ERR_IO, NULL, 0, "%s could not be removed: %s", journal, strerror(reason)));
}

/* ---- What is decomposed ---------------------------------------------------------------------------------------------- */

enum { FIELDS = 3, VALUE_ROOM = 32 };

typedef struct field {
    const char *name;
    char value[VALUE_ROOM];
} field;

static plumb_status collect(const plumb_system *system, const plumb_decompose_options *options, field f[FIELDS])
{
    size_t needed = 0;
    plumb_status status = plumb_system_write(system, PLUMB_FORMAT_TXT, NULL, 0, &needed);
    if (status != PLUMB_ERR_BUFFER)
        return status == PLUMB_OK ? PLUMB_ERR_ARGUMENT : status;
    char *text = malloc(needed);
    status = text ? plumb_system_write(system, PLUMB_FORMAT_TXT, text, needed, NULL) : PLUMB_ERR_MEMORY;
    uint64_t hash = LINE_SEED;
    for (int64_t i = 0; i < system->unknowns && status == PLUMB_OK; i++) /* in their order */
        hash = run_line_hash(hash, system->names[i], strlen(system->names[i]) + 1);
    if (status == PLUMB_OK)
        hash = run_line_hash(hash, text, needed);
    free(text);
    f[0].name = "plumb";
    snprintf(f[0].value, VALUE_ROOM, "%s", plumb_version());
    f[1].name = "the system";
    snprintf(f[1].value, VALUE_ROOM, "%016llx", (unsigned long long)hash);
    f[2].name = "--seed";
    snprintf(f[2].value, VALUE_ROOM, "%llu", (unsigned long long)options->seed);
    return status;
}

static plumb_status no_disk(plumb_context *context, const char *path, int reason)
{
    return SAY(PLUMB_ERR_IO, "%s could not be written: %s", path, strerror(reason));
}

static plumb_status foreign(plumb_context *context, const char *path)
{
    return SAY(
        PLUMB_ERR_ARGUMENT,
        "%s is not a journal of plumb decompose, or one of another version; it was left as it is: move it away or "
        "give the output another name",
        path);
}

/* Writes the header, if there is none: EEXIST otherwise. */
static int write_header(const char *path, const field f[FIELDS])
{
    run_line_writer line;
    uint64_t check;
    file_output output;
    bool good = run_line_begin(&line);
    if (good) {
        json_string(&line.json, "journal", "plumb decompose");
        for (int i = 0; i < FIELDS; i++)
            json_string(&line.json, f[i].name, f[i].value);
    }
    good = run_line_end(&line, LINE_SEED, &check) && good;
    int reason = good ? file_output_open(&output, path) : ENOMEM;
    if (good && reason == 0) {
        fwrite(line.text, 1, line.length, output.file);
        reason = file_output_finish(&output);
        if (reason == 0)
            reason = file_output_place(&output, false);
        const int last = file_output_close(&output);
        reason = reason != 0 ? reason : last;
    }
    free(line.text);
    return reason;
}

/* Compares what the header says with what is wanted. */
static plumb_status compare(plumb_context *context, const char *folder, FILE *file, const field f[FIELDS])
{
    uint64_t check;
    json_node *root = NULL;
    text_lines lines = lines_begin(file);
    plumb_status status = lines_next(&lines);
    if (status == PLUMB_ERR_MEMORY) {
        lines_end(&lines);
        return status;
    }
    if (status != PLUMB_OK || !lines.text || !lines.complete ||
        !run_line_check(lines.text, lines.length, LINE_SEED, &check) ||
        json_read(lines.text, lines.length, &root, NULL) != PLUMB_OK ||
        strcmp(json_member_string(root, "journal", ""), "plumb decompose") != 0)
        status = foreign(context, folder);
    for (int i = 0; i < FIELDS && status == PLUMB_OK; i++) {
        const char *was = json_member_string(root, f[i].name, "missing");
        if (strcmp(was, f[i].value) != 0)
            status =
                i == 1 ? SAY(PLUMB_ERR_ARGUMENT, "cannot resume: %s differs from what it was for %s", f[i].name, folder)
                       : SAY(PLUMB_ERR_ARGUMENT, "cannot resume: %s is %s, for %s it was %s", f[i].name, f[i].value,
                             folder, was);
    }
    json_free(root);
    lines_end(&lines);
    return status;
}

/* Opens and locks the header; *again: it was removed meanwhile, or was that of a run that has left nothing. */
static plumb_status take(plumb_context *context, set_journal *journal, const char *path, const field f[FIELDS],
                         bool used, bool *again)
{
    pid_t holder;
    FILE *file = fopen(path, "r+b");
    *again = !file && errno == ENOENT;
    if (!file)
        return *again ? PLUMB_OK : no_disk(context, path, errno);
    plumb_status status = PLUMB_OK;
    if (file_lock(file, &holder) != 0) {
        fclose(file);
        return holder > 0 ? SAY(PLUMB_ERR_ARGUMENT, "%s is in use: process %ld is tracking paths for this output",
                                journal->folder, (long)holder)
                          : SAY(PLUMB_ERR_ARGUMENT, "%s is in use: another run is tracking paths for this output",
                                journal->folder);
    }
    if (!file_is_at(file, path))
        *again = true;
    else
        status = compare(context, journal->folder, file, f);
    if (status == PLUMB_ERR_ARGUMENT && !used && file_is_at(file, path) && unlink(path) == 0) {
        status = PLUMB_OK;
        *again = true;
    }
    if (status != PLUMB_OK || *again)
        fclose(file);
    else
        journal->lock = file;
    return status;
}

static plumb_status open_folder(plumb_context *context, const plumb_decompose_options *options, set_journal *journal,
                                const field f[FIELDS])
{
    enum { ATTEMPTS = 100 };
    const char *folder = journal->folder;
    folder_contents found;
    bool again = true, is_new = false;
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, HEADER) < 0)
        return PLUMB_ERR_MEMORY;
    plumb_status status = PLUMB_OK;
    for (int k = 0; k < ATTEMPTS && again && status == PLUMB_OK; k++) {
        int reason = mkdir(folder, 0777) == 0 ? 0 : errno;
        is_new = is_new || reason == 0;
        if (reason != 0 && reason != EEXIST)
            status = no_disk(context, folder, reason);
        else if (!look(folder, &found))
            status = errno == ENOTDIR ? foreign(context, folder) : no_disk(context, folder, errno);
        else if (found.others > 0 || (!found.header && found.journals > 0))
            status = foreign(context, folder);
        else if (!found.header && (reason = write_header(path, f)) != 0 && reason != EEXIST)
            status = no_disk(context, path, reason);
        if (status == PLUMB_OK)
            status = take(context, journal, path, f, found.journals > 0, &again);
    }
    if (status == PLUMB_OK && again)
        status = SAY(PLUMB_ERR_IO, "%s is replaced again and again by others", folder);
    if (status == PLUMB_OK && !options->resume && found.journals > 0)
        status =
            SAY(PLUMB_ERR_ARGUMENT,
                "%s holds a run that was stopped: resume it (--resume), or remove the folder to start again", folder);
    if (status == PLUMB_OK && options->resume && is_new && options->note) {
        char line[512]; /* a run that was killed before it had a journal, or another name */
        snprintf(line, sizeof line, "there is no %.400s to continue: the run starts from the beginning", folder);
        options->note(options->data, line);
    }
    if (status != PLUMB_OK && is_new && !journal->lock)
        (void)remove_folder(folder);
    free(path);
    return status;
}

plumb_status set_journal_open(plumb_context *context, const plumb_system *system,
                              const plumb_decompose_options *options, set_journal *journal)
{
    field f[FIELDS];
    *journal = (set_journal){.folder = NULL};
    if (!options->journal)
        return options->resume ? SAY(PLUMB_ERR_ARGUMENT, "options: resume needs a journal") : PLUMB_OK;
    plumb_status status = collect(system, options, f);
    if (status == PLUMB_OK && !(journal->folder = strdup(options->journal)))
        status = PLUMB_ERR_MEMORY;
    return status == PLUMB_OK ? open_folder(context, options, journal, f) : status;
}

void set_journal_close(set_journal *journal, bool keep)
{
    folder_contents found;
    if (journal->lock && !keep && look(journal->folder, &found) && found.journals == 0)
        (void)remove_folder(journal->folder); /* before the lock ends */
    if (journal->lock)
        fclose(journal->lock);
    free(journal->folder);
    *journal = (set_journal){.folder = NULL};
}

char *set_journal_file(const set_journal *journal, int64_t dimension, int64_t attempt, bool *exists)
{
    struct stat there;
    char *path = NULL;
    if (asprintf(&path, "%s/%lld-%lld", journal->folder, (long long)dimension, (long long)attempt) < 0)
        return NULL;
    *exists = stat(path, &there) == 0;
    return path;
}

/* ---- Finished dimensions --------------------------------------------------------------------------------------------- */

static char *done_file(const set_journal *journal, int64_t dimension)
{
    char *path = NULL;
    return asprintf(&path, "%s/%lld-%s", journal->folder, (long long)dimension, DONE) < 0 ? NULL : path;
}

plumb_status set_journal_keep(plumb_context *context, const set_journal *journal, const plumb_components *done)
{
    if (!journal->folder)
        return PLUMB_OK;
    char *path = done_file(journal, done->dimension[0].info.dimension);
    errno = 0;
    plumb_status status = path ? plumb_components_write_file(done, path) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_ERR_IO)
        status = no_disk(context, path, errno);
    free(path);
    return status;
}

plumb_status set_journal_take(const set_journal *journal, int64_t dimension, plumb_components **done)
{
    char *path = journal->folder ? done_file(journal, dimension) : NULL;
    struct stat there;
    *done = NULL;
    if (!path)
        return journal->folder ? PLUMB_ERR_MEMORY : PLUMB_OK;
    const plumb_status status = stat(path, &there) == 0 ? plumb_components_read_file(path, done, NULL) : PLUMB_OK;
    free(path);
    if (status == PLUMB_ERR_MEMORY)
        return status;
    if (*done && ((*done)->dimensions != 1 || (*done)->dimension[0].info.dimension != dimension)) {
        plumb_components_destroy(*done);
        *done = NULL;
    }
    return PLUMB_OK; /* what cannot be read is computed again */
}
