/* plot_data.c - see plot.h. Long paths are thinned out while they are read, so that memory stays small however long the log is. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/plot/plot.h"
#include "model/name.h"
#include "solver/run/run.h"
#include "text/lines.h"

enum { TABLE = 4096 }; /* of a hash table with room for PLOT_PATHS */

typedef struct plot_reader {
    app_plot_data *data;
    int16_t slot[TABLE]; /* 1 + index of a path, 0: free */
} plot_reader;

/* Finds the path of that number, or makes it if there is room. Otherwise NULL, with *whole set when there is no room. */
static plot_path *find_path(plot_reader *r, int64_t number, bool *whole)
{
    app_plot_data *data = r->data;
    uint64_t h = ((uint64_t)number * 0x9e3779b97f4a7c15u) >> 52;
    for (; r->slot[h % TABLE] != 0; h++)
        if (data->path[r->slot[h % TABLE] - 1].path == number)
            return &data->path[r->slot[h % TABLE] - 1];
    *whole = data->count == PLOT_PATHS;
    if (*whole)
        return NULL;
    plot_path *path = &data->path[data->count++];
    *path = (plot_path){.path = number, .last_step = -1, .stride = 1, .end = PLOT_FAILED};
    r->slot[h % TABLE] = (int16_t)data->count;
    return path;
}

static void restart(plot_path *path)
{
    path->met = path->count = 0;
    path->stride = 1;
    path->last_step = -1;
    path->ended = path->far = false;
}

static bool add_point(plot_path *path, const plot_point *point)
{
    path->last = *point;
    if (path->met++ % path->stride != 0)
        return true;
    if (path->count == PLOT_POINTS) { /* drop every second one */
        for (int64_t i = 0; i < PLOT_POINTS / 2; i++)
            path->point[i] = path->point[2 * i];
        path->count = PLOT_POINTS / 2;
        path->stride *= 2;
        if ((path->met - 1) % path->stride != 0)
            return true;
    }
    if (path->count == path->room) {
        int64_t room = path->room > 0 ? 2 * path->room : 64;
        plot_point *larger = realloc(path->point, (size_t)room * sizeof *larger);
        if (larger == NULL)
            return false;
        path->point = larger;
        path->room = room;
    }
    path->point[path->count++] = *point;
    return true;
}

static int8_t level_of(const char *prec)
{
    return strcmp(prec, "qd") == 0 ? 3 : strcmp(prec, "dd") == 0 ? 2 : 1;
}

/* Coordinates as doubles; false when they are not pairs of numbers. */
static bool read_coordinates(app_plot_data *data, const json_node *x, plot_point *point)
{
    int64_t unknowns = 0;
    if (x == NULL || x->kind != JSON_ARRAY)
        return false;
    for (const json_node *pair = x->child; pair != NULL; pair = pair->next, unknowns++) {
        const json_node *part = pair->child;
        for (int p = 0; p < 2; p++, part = part->next) {
            if (part == NULL || part->string == NULL)
                return false;
            if (unknowns < PLOT_COORDINATES)
                point->x[2 * unknowns + p] = strtod(part->string, NULL);
        }
    }
    data->unknowns = unknowns;
    data->coordinates = unknowns < PLOT_COORDINATES ? (int)unknowns : PLOT_COORDINATES;
    return unknowns > 0;
}

/* A whole number that a double holds exactly. */
static bool is_count(double x)
{
    return x >= 0 && x < 0x1p53 && x == floor(x);
}

static bool read_step(plot_reader *r, const json_node *node, plot_path *path, bool *memory)
{
    plot_point point = {.size = json_member_number(node, "size", 0)};
    double t_imag;
    run_t_read(node, &point.t, &t_imag);
    point.level = level_of(json_member_string(node, "precision", ""));
    point.on_axis = t_imag == 0;
    const double step = json_member_number(node, "step", 0), rerun = json_member_number(node, "rerun", 0);
    if (!is_count(step) || !is_count(rerun) || !read_coordinates(r->data, json_member(node, "x"), &point))
        return false;
    if (step < (double)path->last_step || rerun != (double)path->rerun)
        restart(path);
    path->last_step = (int64_t)step;
    path->rerun = (int64_t)rerun;
    *memory = add_point(path, &point);
    return *memory;
}

/* Names of unknowns are those of systems; any other string in their place is no name. Long names are cut. */
static bool read_names(app_plot_data *data, const json_node *names)
{
    int i = 0;
    if (names == NULL)
        return true;
    for (const json_node *name = names->child; name != NULL; name = name->next, i++) {
        if (name->kind != JSON_STRING || !name_is_valid(name->string))
            return false;
        if (i < PLOT_COORDINATES)
            snprintf(data->name[i], PLOT_NAME, strlen(name->string) < PLOT_NAME ? "%s" : "%.20s...", name->string);
    }
    return names->kind == JSON_ARRAY;
}

/* The endpoint, which is no step: circles and limits end there, too. Logs of older versions have none. */
static bool read_end(app_plot_data *data, const json_node *node, plot_path *path)
{
    const json_node *x = json_member(node, "x");
    plot_point end = path->last;
    if (x == NULL)
        return true;
    if (!read_coordinates(data, x, &end))
        return false;
    path->far = path->end == PLOT_INFINITY;
    double most = 1; /* of a direction; the end of a path that was given up far out becomes one */
    for (int k = 0; path->far && k < 2 * PLOT_COORDINATES; k++)
        most = fmax(most, fabs(end.x[k]));
    for (int k = 0; path->far && k < 2 * PLOT_COORDINATES; k++)
        path->far_x[k] = end.x[k] / most;
    if (path->far)
        return true;
    if (path->end != PLOT_FAILED && path->end != PLOT_UNDECIDED)
        memcpy(path->last.x, end.x, sizeof end.x);
    return true;
}

static bool read_record(app_plot_data *data, const json_node *node, plot_path *path)
{
    static const plot_end ends[PLUMB_PATH_CODES] = {[PLUMB_PATH_SUCCESS] = PLOT_SUCCESS,
                                                    [PLUMB_PATH_AT_INFINITY] = PLOT_INFINITY,
                                                    [PLUMB_PATH_SINGULAR] = PLOT_SINGULAR,
                                                    [PLUMB_PATH_STEP_TOO_SMALL] = PLOT_FAILED,
                                                    [PLUMB_PATH_PRECISION_EXHAUSTED] = PLOT_FAILED,
                                                    [PLUMB_PATH_TOO_MANY_STEPS] = PLOT_FAILED,
                                                    [PLUMB_PATH_BAD_START] = PLOT_FAILED,
                                                    [PLUMB_PATH_STOPPED] = PLOT_FAILED,
                                                    [PLUMB_PATH_NOT_ISOLATED] = PLOT_NOT_ISOLATED,
                                                    [PLUMB_PATH_UNDECIDED] = PLOT_UNDECIDED,
                                                    [PLUMB_PATH_BEYOND] = PLOT_INFINITY};
    const char *code = json_member_string(node, "code", "");
    path->end = PLOT_FAILED;
    path->ended = true;
    for (int i = 0; i < PLUMB_PATH_CODES; i++)
        if (strcmp(code, plumb_path_text((plumb_path_code)i)) == 0)
            path->end = ends[i];
    return read_end(data, node, path) && read_names(data, json_member(node, "unknowns"));
}

/* Sets *memory to false when it ran out. */
static bool read_line(plot_reader *r, const char *text, size_t length, bool *memory)
{
    json_node *node = NULL;
    const plumb_status status = json_read(text, length, &node, NULL);
    bool whole = false, good = status == PLUMB_OK;
    *memory = status != PLUMB_ERR_MEMORY;
    double number = json_member_number(node, "path", 0);
    good = good && number >= 1 && is_count(number);
    bool is_record = json_member(node, "code") != NULL;
    plot_path *path = good ? find_path(r, (int64_t)number, &whole) : NULL;
    if (path != NULL && is_record)
        good = read_record(r->data, node, path);
    else if (path != NULL)
        good = read_step(r, node, path, memory);
    else if (good)
        r->data->left_out += is_record;
    json_free(node);
    return good;
}

int app_plot_data_read(const char *command, FILE *log, const char *name, app_plot_data *data)
{
    bool memory = true;
    int result = APP_OK;
    plot_reader reader = {.data = data};
    *data = (app_plot_data){.path = calloc(PLOT_PATHS, sizeof *data->path)};
    for (int i = 0; i < PLOT_COORDINATES; i++)
        snprintf(data->name[i], PLOT_NAME, "x%d", i + 1);
    if (data->path == NULL)
        return app_fail(command, "out of memory");
    text_lines lines = lines_begin(log);
    do {
        plumb_status status = lines_next(&lines);
        if (status != PLUMB_OK)
            result = status == PLUMB_ERR_MEMORY ? app_fail(command, "out of memory")
                     : status == PLUMB_ERR_SIZE
                         ? app_misuse(NULL, "%s:%lld: found a line of more than %d bytes, expected a path log", name,
                                      (long long)lines.number + 1, LINES_MOST)
                         : app_misuse(command, "%s could not be read: %s", name, strerror(errno));
        else if (lines.text != NULL && !read_line(&reader, lines.text, lines.length, &memory) && lines.complete)
            result = memory ? app_misuse(NULL, "%s:%lld: expected a step or a record of a path", name,
                                         (long long)lines.number)
                            : app_fail(command, "out of memory");
    } while (result == APP_OK && lines.text != NULL);
    lines_end(&lines);
    return result;
}

void app_plot_data_clear(app_plot_data *data)
{
    for (int64_t i = 0; data->path != NULL && i < data->count; i++)
        free(data->path[i].point);
    free(data->path);
    *data = (app_plot_data){.path = NULL};
}
