/* store.c - see store.h. The text has a first line with the version, then for each result a line that begins with its key, a line with
 * the lifting and one line per cell, and a last line with a checksum of all bytes before it. */
#include "solver/cells/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/size.h"
#include "text/memory_file.h"

/* ---- Keys ----------------------------------------------------------------------------------------------------------- */

static const uint64_t SEED = UINT64_C(0xcbf29ce484222325);

/* FNV-1a */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_number(uint64_t hash, int64_t number)
{
    for (int k = 0; k < 8; k++) {
        const unsigned char byte = (unsigned char)((uint64_t)number >> (8 * k));
        hash = hash_bytes(hash, &byte, 1);
    }
    return hash;
}

static uint64_t key_of(const cell_supports *s, const cells_options *options, bool volume)
{
    uint64_t key = hash_bytes(SEED, plumb_version(), strlen(plumb_version()));
    const int64_t points = s->first[s->groups];
    key = hash_number(hash_number(key, s->unknowns), s->groups);
    for (int64_t i = 0; i < s->unknowns; i++)
        key = hash_number(key, s->group[i]);
    for (int64_t g = 0; g <= s->groups; g++)
        key = hash_number(key, s->first[g]);
    for (int64_t i = 0; i < points * s->unknowns; i++)
        key = hash_number(key, s->exponent[i]);
    for (int64_t i = 0; i < points; i++)
        key = hash_number(key, s->added[i]);
    key = hash_number(key, (int64_t)options->seed);
    key = hash_number(key, options->most_steps);
    key = hash_number(key, options->stable);
    key = hash_number(key, options->lifting_bits);
    return hash_number(key, volume);
}

/* ---- Lists ---------------------------------------------------------------------------------------------------------- */

/* A list with room for this number of cells. NULL without memory. */
static mixed_cells *make_cells(int64_t count, int64_t width, int64_t points)
{
    int64_t bytes;
    mixed_cells *c = calloc(1, sizeof *c);
    if (!c || count < 0 || width < 0 || points < 0 ||
        !size_mul(count + 1, (width + 1) * (int64_t)sizeof *c->point, &bytes)) {
        free(c);
        return NULL;
    }
    c->count = count;
    c->width = width;
    c->point = malloc((size_t)bytes);
    c->volume = calloc((size_t)count + 1, sizeof *c->volume);
    c->first_root = calloc((size_t)count + 1, sizeof *c->first_root);
    c->lifting = calloc((size_t)points + 1, sizeof *c->lifting);
    if (c->point && c->volume && c->first_root && c->lifting)
        return c;
    plumb_cells_destroy(c);
    return NULL;
}

static mixed_cells *copy_cells(const mixed_cells *from, int64_t points, bool volume)
{
    mixed_cells *c = make_cells(volume ? 0 : from->count, volume ? 0 : from->width, volume ? 0 : points);
    if (!c)
        return NULL;
    c->mixed_volume = from->mixed_volume;
    c->steps = from->steps;
    c->exact_steps = from->exact_steps;
    c->liftings = from->liftings;
    if (volume)
        return c;
    memcpy(c->point, from->point, (size_t)(c->count * c->width) * sizeof *c->point);
    memcpy(c->volume, from->volume, (size_t)c->count * sizeof *c->volume);
    memcpy(c->first_root, from->first_root, (size_t)(c->count + 1) * sizeof *c->first_root);
    memcpy(c->lifting, from->lifting, (size_t)points * sizeof *c->lifting);
    return c;
}

/* Are the points of each cell, group by group, points of the supports, and do the volumes of all cells add up to the mixed volume? */
static bool fits(const cells_entry *e, const cell_supports *s, bool volume)
{
    const mixed_cells *c = e->cells;
    if (e->status != PLUMB_OK || volume)
        return true;
    if (e->points != s->first[s->groups] || c->mixed_volume != c->first_root[c->count])
        return false;
    for (int64_t i = 0; i < c->count; i++) {
        if (c->width != s->unknowns + s->groups)
            return false;
        const int32_t *p = c->point + i * c->width;
        for (int64_t g = 0; g < s->groups; p += s->size[g] + 1, g++)
            for (int32_t k = 0; k <= s->size[g]; k++)
                if (p[k] < s->first[g] || p[k] >= s->first[g + 1])
                    return false;
    }
    return true;
}

void plumb_store_clear(cells_store *store)
{
    for (int64_t k = 0; k < store->count; k++)
        plumb_cells_destroy(store->entry[k].cells);
    free(store->entry);
    *store = (cells_store){.count = 0};
}

static bool append(cells_store *store, cells_entry entry)
{
    if (store->count == store->room) {
        const int64_t room = 2 * store->room + 4;
        cells_entry *grown = realloc(store->entry, (size_t)room * sizeof *grown);
        if (!grown)
            return false;
        store->entry = grown;
        store->room = room;
    }
    store->entry[store->count++] = entry;
    return true;
}

static bool are_same(const cells_entry *e, const mixed_cells *c, bool volume)
{
    const mixed_cells *o = e->cells;
    if (e->status != PLUMB_OK || o->mixed_volume != c->mixed_volume)
        return false;
    return volume ||
           (o->count == c->count &&
            (c->count == 0 || (memcmp(o->point, c->point, (size_t)(c->count * c->width) * sizeof *c->point) == 0 &&
                               memcmp(o->volume, c->volume, (size_t)c->count * sizeof *c->volume) == 0 &&
                               memcmp(o->lifting, c->lifting, (size_t)e->points * sizeof *c->lifting) == 0)));
}

/* Enumerates again what was read, if that is quick: false if the entry is wrong. */
static bool check(cells_store *store, cells_entry *e, const cell_supports *supports, const cells_options *options,
                  bool volume)
{
    cells_options again = *options;
    mixed_cells *cells = NULL;
    if (e->checked)
        return true;
    if (options->most_steps == 0 || options->most_steps > store->recount)
        again.most_steps = store->recount;
    const plumb_status status = plumb_cells_enumerate(supports, &again, &cells);
    const bool wrong = status == PLUMB_OK && !are_same(e, cells, volume);
    const bool stopped = status == PLUMB_ERR_STOPPED && e->status == status && again.most_steps == options->most_steps;
    plumb_cells_destroy(cells);
    e->checked = !wrong;
    store->refuted += wrong;
    store->believed += status != PLUMB_OK && !stopped;
    return !wrong;
}

bool plumb_store_find(cells_store *store, const cell_supports *supports, const cells_options *options, bool volume,
                      plumb_status *status, mixed_cells **cells)
{
    const uint64_t key = key_of(supports, options, volume);
    *cells = NULL;
    for (int64_t k = 0; k < store->count; k++) {
        cells_entry *e = &store->entry[k];
        if (e->key != key || !fits(e, supports, volume))
            continue;
        if (k < store->read && store->recount > 0 && !check(store, e, supports, options, volume))
            continue;
        if (e->status == PLUMB_OK && !(*cells = copy_cells(e->cells, e->points, volume)))
            return false;
        *status = e->status;
        store->found += k < store->read;
        return true;
    }
    return false;
}

void plumb_store_add(cells_store *store, const cell_supports *supports, const cells_options *options, bool volume,
                     plumb_status status, const mixed_cells *cells)
{
    const int64_t points = volume ? 0 : supports->first[supports->groups];
    cells_entry e = {.key = key_of(supports, options, volume), .status = status, .points = points};
    if (status != PLUMB_OK && status != PLUMB_ERR_STOPPED)
        return;
    e.cells = status == PLUMB_OK ? copy_cells(cells, points, volume) : make_cells(0, 0, points);
    if (e.cells && !append(store, e))
        plumb_cells_destroy(e.cells);
}

/* ---- Text ----------------------------------------------------------------------------------------------------------- */

static const char magic[] = "plumb mixed cells";

/* Writes a number that is not negative, and returns where it ends. */
static char *put_number(char *to, int64_t number)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

/* One line per cell. Ranks wait for their cells: fprintf would take most of the time. */
static bool write_cells(FILE *out, const mixed_cells *c)
{
    enum { VOLUME_ROOM = 20, POINT_ROOM = 11 }; /* bytes: a space before each point */
    char *line = malloc(VOLUME_ROOM + 1 + (size_t)c->width * POINT_ROOM);
    for (int64_t i = 0; line && i < c->count; i++) {
        char *to = put_number(line, c->volume[i]);
        for (int64_t k = 0; k < c->width; k++) {
            *to++ = ' ';
            to = put_number(to, c->point[i * c->width + k]);
        }
        *to++ = '\n';
        fwrite(line, 1, (size_t)(to - line), out);
    }
    free(line);
    return line != NULL;
}

static bool write_entry(FILE *out, const cells_entry *e)
{
    const mixed_cells *c = e->cells;
    fprintf(out, "%016" PRIx64 " %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d\n",
            e->key, (int)e->status, c->mixed_volume, c->count, c->width, e->points, c->steps, c->exact_steps,
            (int)c->liftings);
    for (int64_t k = 0; k < e->points; k++)
        fprintf(out, "%" PRId64 "%c", c->lifting[k], k + 1 < e->points ? ' ' : '\n');
    return write_cells(out, c);
}

char *plumb_store_write(const cells_store *store, size_t *length)
{
    memory_file m;
    bool good = true;
    if (!memory_file_begin(&m))
        return NULL;
    fprintf(m.file, "%s %s\n", magic, plumb_version());
    for (int64_t k = 0; k < store->count; k++)
        good = write_entry(m.file, &store->entry[k]) && good;
    good = fflush(m.file) == 0 && !m.failed && good;
    if (good)
        fprintf(m.file, "check %016" PRIx64 "\n", hash_bytes(SEED, m.text, m.length));
    good = memory_file_end(&m) && good;
    if (!good) {
        free(m.text);
        return NULL;
    }
    *length = m.length;
    return m.text;
}

typedef struct reader {
    const char *at, *end;
    bool good;
} reader;

/* The next number, after white space. Ranks wait for their cells: strtoll would take twice the time. */
static int64_t read_number(reader *r)
{
    const char *at = r->at;
    while (at < r->end && (*at == ' ' || *at == '\n'))
        at++;
    const bool negative = at < r->end && *at == '-';
    at += negative;
    const char *first = at;
    int64_t value = 0;
    bool fits = true;
    for (; at < r->end && *at >= '0' && *at <= '9'; at++) {
        const int digit = *at - '0';
        fits = fits && value <= (INT64_MAX - digit) / 10;
        value = fits ? 10 * value + digit : 0;
    }
    r->good = r->good && at > first && fits;
    r->at = r->good ? at : r->at;
    return r->good && negative ? -value : r->good ? value : 0;
}

static void read_cells(reader *r, cells_entry *e)
{
    mixed_cells *c = e->cells;
    int64_t sum = 0;
    for (int64_t k = 0; k < e->points; k++)
        c->lifting[k] = read_number(r);
    for (int64_t i = 0; i < c->count && r->good; i++) {
        c->volume[i] = read_number(r);
        r->good = r->good && c->volume[i] >= 1 && size_add(sum, c->volume[i], &sum);
        c->first_root[i + 1] = sum;
        for (int64_t k = 0; k < c->width; k++) {
            const int64_t point = read_number(r);
            r->good = r->good && point >= 0 && point <= INT32_MAX;
            c->point[i * c->width + k] = (int32_t)point;
        }
    }
}

static bool read_entry(reader *r, cells_store *store)
{
    char *end = NULL;
    cells_entry e = {.key = strtoull(r->at, &end, 16)};
    r->good = end != r->at;
    r->at = end;
    const int64_t status = read_number(r);
    e.status = status == PLUMB_OK ? PLUMB_OK : PLUMB_ERR_STOPPED;
    const int64_t volume = read_number(r), count = read_number(r), width = read_number(r);
    e.points = read_number(r);
    const int64_t steps = read_number(r), exact_steps = read_number(r), liftings = read_number(r);
    const int64_t left = r->end - r->at; /* each number has a byte, at least */
    if (!r->good || count < 0 || width < 0 || e.points < 0 || volume < 0 || count > left || width > left ||
        e.points > left || (count > 0 && width > left / count) || (status != PLUMB_OK && status != PLUMB_ERR_STOPPED) ||
        liftings < 0 || liftings > INT32_MAX)
        return false;
    e.cells = make_cells(count, width, e.points);
    if (!e.cells)
        return false;
    e.cells->mixed_volume = volume;
    e.cells->steps = steps;
    e.cells->exact_steps = exact_steps;
    e.cells->liftings = (int32_t)liftings;
    read_cells(r, &e);
    if (r->good && append(store, e)) {
        store->read = store->count;
        return true;
    }
    plumb_cells_destroy(e.cells);
    return false;
}

bool plumb_store_read(cells_store *store, const char *text, size_t length)
{
    char first[64], last[64];
    const size_t head = (size_t)snprintf(first, sizeof first, "%s %s\n", magic, plumb_version());
    const size_t tail = strlen("check 0123456789abcdef\n");
    if (length < head + tail || memcmp(text, first, head) != 0)
        return false;
    snprintf(last, sizeof last, "check %016" PRIx64 "\n", hash_bytes(SEED, text, length - tail));
    if (memcmp(text + length - tail, last, tail) != 0)
        return false;
    reader r = {.at = text + head, .end = text + length - tail, .good = true};
    while (r.good && r.at < r.end) {
        r.good = read_entry(&r, store);
        while (r.good && r.at < r.end && *r.at == '\n')
            r.at++;
    }
    return r.good;
}
