/* map.c - see map.h. */
#define _GNU_SOURCE /* asprintf */
#include "cli/family/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/run/host.h"
#include "app/stop.h"
#include "text/targets.h"

enum { MOST_CELLS = 10000000, SAMPLES = 201 };

/* ---- The option ---------------------------------------------------------------------------------------------------- */

static int unexpected(const family_map *map, const char *text, size_t length)
{
    return app_misuse(
        map->words->command,
        "--map: found '%.*s', expected NAME=LOW:HIGH:COUNT for one or two parameters, and NAME=VALUE for the others",
        length < 100 ? (int)length : 100, text);
}

/* "LOW:HIGH" or "LOW:HIGH:COUNT". */
static bool read_axis(const char *text, app_map_axis *axis)
{
    char *end;
    axis->low = strtod(text, &end);
    if (end == text || *end != ':')
        return false;
    const char *second = end + 1;
    axis->high = strtod(second, &end);
    axis->count = SAMPLES;
    if (end == second || !isfinite(axis->low) || !isfinite(axis->high) || !(axis->low < axis->high))
        return false;
    if (*end == 0)
        return true;
    const char *third = end + 1;
    const double count = *end == ':' ? strtod(third, &end) : 0.0;
    axis->count = count >= 2.0 && count <= 100000.0 ? (int64_t)count : 0;
    return end != third && *end == 0 && (double)axis->count == count;
}

/* The parameter of this name; -1: none. */
static int64_t find(const char *const *names, int64_t parameters, const char *text, size_t length)
{
    for (int64_t k = 0; k < parameters; k++)
        if (strlen(names[k]) == length && strncmp(names[k], text, length) == 0)
            return k;
    return -1;
}

/* One part of the option: value[k] becomes that of parameter k, or "0" if it varies. */
static int read_part(family_map *map, const char *const *names, const char *text, size_t length, char **value)
{
    const int64_t parameters = plumb_family_parameters(map->family);
    const size_t name = strcspn(text, "=");
    const char *command = map->words->command;
    if (name >= length)
        return unexpected(map, text, length);
    const int64_t k = find(names, parameters, text, name);
    if (k < 0)
        return app_misuse(command, "--map: '%.*s' is no parameter of the family", (int)(name < 100 ? name : 100), text);
    if (value[k] != NULL)
        return app_misuse(command, "--map: found a second value for the parameter %s", names[k]);
    char *own = strndup(text + name + 1, length - name - 1);
    if (own == NULL)
        return app_fail(command, "out of memory");
    if (strchr(own, ':') == NULL) {
        value[k] = own;
        return APP_OK;
    }
    const bool good = map->axes < 2 && read_axis(own, &map->axis[map->axes]);
    free(own);
    if (!good)
        return unexpected(map, text, length);
    map->axis[map->axes].name = names[k];
    map->parameter[map->axes++] = k;
    value[k] = strdup("0");
    return value[k] != NULL ? APP_OK : app_fail(command, "out of memory");
}

/* Adds to a text; false without memory. */
static bool add(char **text, const char *before, const char *name, const char *equals, const char *value)
{
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s%s%s", *text ? *text : "", *text && **text ? before : "", name, equals, value) < 0)
        return false;
    free(*text);
    *text = longer;
    return true;
}

/* The limbs of all values, which are read as a row of targets. */
static int read_values(family_map *map, const char *const *names, char *const *value)
{
    const int64_t parameters = plumb_family_parameters(map->family);
    const char *command = map->words->command;
    char *header = NULL, *row = NULL;
    plumb_text_error error;
    target_columns columns;
    bool good = true;
    map->fixed = strdup("");
    for (int64_t k = 0; k < parameters && good; k++) {
        good = add(&header, ",", names[k], "", "") && add(&row, ",", value[k], "", "");
        const bool varies = k == map->parameter[0] || (map->axes == 2 && k == map->parameter[1]);
        good = good && (varies || add(&map->fixed, ", ", names[k], " = ", value[k]));
    }
    map->limbs = calloc((size_t)parameters + 1, 2 * PLUMB_QD * sizeof *map->limbs);
    int result = APP_OK;
    if (!good || header == NULL || row == NULL || map->fixed == NULL || map->limbs == NULL) {
        result = app_fail(command, "out of memory");
    } else {
        plumb_status status = plumb_targets_header(header, strlen(header), names, parameters, &columns, &error);
        if (status == PLUMB_OK) {
            status = plumb_targets_row(&columns, row, strlen(row), PLUMB_QD, map->limbs, &error);
            plumb_targets_free(&columns);
        }
        if (status != PLUMB_OK)
            result = status == PLUMB_ERR_MEMORY ? app_fail(command, "out of memory")
                                                : app_misuse(command, "--map: %s", error.message);
    }
    free(header);
    free(row);
    return result;
}

static int read_map(family_map *map, const char *const *names)
{
    const int64_t parameters = plumb_family_parameters(map->family);
    const char *command = map->words->command;
    char **value = calloc((size_t)parameters + 1, sizeof *value);
    int result = APP_OK;
    if (value == NULL)
        return app_fail(command, "out of memory");
    for (const char *s = map->words->map; s != NULL && result == APP_OK; s = *s == ',' ? s + 1 : NULL) {
        const size_t length = strcspn(s, ",");
        result = read_part(map, names, s, length, value);
        s += length;
    }
    if (result == APP_OK && map->axes == 0)
        result = app_misuse(command, "--map: found no NAME=LOW:HIGH:COUNT, expected one or two");
    for (int64_t k = 0; k < parameters && result == APP_OK; k++)
        if (value[k] == NULL)
            result = app_misuse(command, "--map: found no value for the parameter %s, expected %s=VALUE", names[k],
                                names[k]);
    if (result == APP_OK && map->axes == 2 && map->axis[0].count * map->axis[1].count > MOST_CELLS)
        result = app_misuse(command, "--map: found %lld x %lld targets, expected at most %d",
                            (long long)map->axis[0].count, (long long)map->axis[1].count, MOST_CELLS);
    if (result == APP_OK)
        result = read_values(map, names, value);
    for (int64_t k = 0; k < parameters; k++)
        free(value[k]);
    free(value);
    return result;
}

/* The unknowns of --plot-coordinates: parameters are none. */
static int read_panels(family_map *map)
{
    const family_words *words = map->words;
    const int64_t n = plumb_family_unknowns(map->family);
    const int result = app_panels_read(words->command, "--plot-coordinates", words->plot_coordinates,
                                       plumb_family_system(map->family), &map->panels);
    if (words->plot_coordinates == NULL && map->panels.count > n)
        map->panels.count = (int)n;
    for (int k = 0; k < map->panels.count && result == APP_OK; k++)
        if (map->panels.panel[k].x >= n || map->panels.panel[k].y >= n)
            return app_misuse(words->command, "--plot-coordinates: found a parameter, expected unknowns of the family");
    return result;
}

int family_map_begin(const family_words *words, const plumb_family *family, const char *const *names, family_map *map)
{
    *map = (family_map){.words = words, .family = family};
    int result = read_map(map, names);
    if (result == APP_OK && words->plot_coordinates != NULL && map->axes == 2)
        result = app_misuse(words->command, "--plot-coordinates belongs to a --map over one parameter");
    if (result == APP_OK)
        result = read_panels(map);
    if (result == APP_OK && words->plot != NULL && map->axes == 2) {
        const int64_t cells = family_map_count(map);
        map->number = malloc((size_t)cells * sizeof *map->number);
        for (int64_t k = 0; k < cells && map->number != NULL; k++)
            map->number[k] = APP_MAP_OPEN;
        if (map->number == NULL)
            result = app_fail(words->command, "out of memory");
    }
    return result;
}

void family_map_end(family_map *map)
{
    free(map->limbs);
    free(map->fixed);
    free(map->number);
}

/* ---- Targets ------------------------------------------------------------------------------------------------------- */

int64_t family_map_count(const family_map *map)
{
    return map->axis[0].count * (map->axes == 2 ? map->axis[1].count : 1);
}

void family_map_target(const family_map *map, int64_t number, double *limbs)
{
    const int64_t parameters = plumb_family_parameters(map->family),
                  place[2] = {number % map->axis[0].count, number / map->axis[0].count};
    memcpy(limbs, map->limbs, (size_t)(2 * PLUMB_QD * parameters) * sizeof *limbs);
    for (int a = 0; a < 2 && a < map->axes; a++) {
        const app_map_axis *axis = &map->axis[a];
        const double part = map->axes == 2 ? ((double)place[a] + 0.5) / (double)axis->count
                                           : (double)place[a] / (double)(axis->count - 1);
        limbs[map->parameter[a]] = part >= 1.0 ? axis->high : axis->low + part * (axis->high - axis->low);
    }
}

/* ---- The picture ----------------------------------------------------------------------------------------------------- */

void family_map_put(family_map *map, int64_t number, const plumb_instance *instance)
{
    if (map->number != NULL && number < family_map_count(map) && instance->code != PLUMB_INSTANCE_INCOMPLETE)
        map->number[number] = (int32_t)(map->words->positive ? instance->positive : instance->real);
}

static plumb_progress shown;

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    if (shown != NULL)
        (void)shown(data, done, failed, total);
    return app_stopped();
}

/* The targets at the ends of the line, in doubles. */
static int make_end(const family_map *map, plumb_context *context, double value, plumb_view *view)
{
    const int64_t parameters = plumb_family_parameters(map->family);
    const plumb_status status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, parameters, 1, 1, view);
    if (status != PLUMB_OK)
        return app_context_fail(map->words->command, context, status);
    for (int64_t k = 0; k < parameters; k++)
        view->data[k] = k == map->parameter[0] ? value : map->limbs[k];
    return APP_OK;
}

static int save_branches(family_map *map, plumb_context *context)
{
    const family_words *words = map->words;
    plumb_branches_options options;
    plumb_branches_report report = {.targets = 0};
    plumb_branches *branches = NULL;
    plumb_view from = {.data = NULL}, to = {.data = NULL};
    plumb_branches_options_init(&options);
    options.prec = words->prec == APP_AUTO ? 0 : app_precision(words->prec);
    options.reruns = (int32_t)words->reruns;
    options.samples = map->axis[0].count;
    options.max_steps = words->max_steps;
    options.seed = words->seed;
    options.progress = on_progress;
    shown = app_targets_progress(words->quiet);
    int result = make_end(map, context, map->axis[0].low, &from);
    if (result == APP_OK)
        result = make_end(map, context, map->axis[0].high, &to);
    if (result == APP_OK) {
        const plumb_status status =
            plumb_family_branches(context, map->family, &from, &to, &options, &branches, &report);
        app_progress_end();
        if (status == PLUMB_ERR_ARGUMENT)
            result = app_misuse(words->command, "--map: %s", plumb_context_message(context));
        else if (status != PLUMB_OK)
            result = app_context_fail(words->command, context, status);
        else if (report.stopped)
            result = app_fail(words->command, "stopped; there is no picture");
    }
    const app_map_branches picture = {.axis = map->axis[0],
                                      .branches = branches,
                                      .report = &report,
                                      .system = plumb_family_system(map->family),
                                      .panels = &map->panels,
                                      .unknowns = plumb_family_unknowns(map->family),
                                      .positive = words->positive,
                                      .fixed = map->fixed};
    if (result == APP_OK)
        result = app_map_save_branches(words->command, &picture, words->plot);
    if (result == APP_OK && !words->quiet && !words->json && !app_is_stream(words->output))
        printf("%lld branch%s of %lld to %lld real solutions, %lld turning points, %lld crossings, %lld open ends; "
               "%lld targets\n",
               (long long)report.branches, report.branches == 1 ? "" : "es", (long long)report.least,
               (long long)report.most, (long long)report.turns, (long long)report.crossings, (long long)report.open,
               (long long)report.targets);
    if (result == APP_OK && report.incomplete > 0)
        result = app_fail(words->command, "solutions of %lld target%s may be missing", (long long)report.incomplete,
                          report.incomplete == 1 ? "" : "s");
    plumb_branches_destroy(branches);
    plumb_array_destroy(context, &from);
    plumb_array_destroy(context, &to);
    return result;
}

int family_map_save(family_map *map, plumb_context *context)
{
    if (map->axes == 1)
        return save_branches(map, context);
    const app_map picture = {.axis = {map->axis[0], map->axis[1]},
                             .number = map->number,
                             .what = map->words->positive ? "positive solutions" : "real solutions",
                             .fixed = map->fixed};
    return app_map_save(map->words->command, &picture, map->words->plot);
}
