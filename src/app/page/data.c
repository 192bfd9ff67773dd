/* data.c - see data.h. */
#include "app/page/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/page/page.h"

int app_page_begin(app_page_data *page, const char *title)
{
    char name[64];
    page->file = app_unnamed_file();
    if (page->file == NULL)
        return app_fail(page->command, "a temporary file could not be written");
    page->w = json_begin_line(page->file);
    snprintf(name, sizeof name, "plumb %s", page->command);
    json_open_object(&page->w, NULL);
    json_string(&page->w, "schema", "plumb-page/1");
    json_string(&page->w, "title", title != NULL ? title : name);
    return APP_OK;
}

void app_page_discard(app_page_data *page)
{
    if (page->file != NULL)
        fclose(page->file);
    page->file = NULL;
}

int app_page_save(app_page_data *page, const char *path)
{
    app_output output = {.path = NULL};
    json_close_object(&page->w);
    json_end(&page->w);
    int result =
        page->failed ? app_fail(page->command, "out of memory") : app_output_open(page->command, &output, path);
    if (result == APP_OK && !app_page_write(output.file, page->file) && !ferror(output.file))
        result = app_fail(page->command, "a temporary file could not be written");
    if (result == APP_OK)
        result = app_output_commit(page->command, &output);
    app_output_discard(&output);
    app_page_discard(page);
    return result;
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

void app_page_texts(app_page_data *page, const char *key, const plumb_system *system)
{
    size_t needed = 0, used = 0;
    json_open_array(&page->w, key);
    (void)!plumb_system_write(system, PLUMB_FORMAT_TXT, NULL, 0, &needed);
    char *text = malloc(needed + 1);
    const bool good = text != NULL && plumb_system_write(system, PLUMB_FORMAT_TXT, text, needed, NULL) == PLUMB_OK;
    char *s = good ? text : NULL;
    if (s != NULL && plumb_system_parameters(system) > 0) /* the line that declares them */
        s = strchr(s, ';') != NULL ? strchr(s, ';') + 1 : s;
    for (char *end; s != NULL && (end = strchr(s, ';')) != NULL; s = end + 1) {
        *end = 0;
        s += strspn(s, " \n");
        used += strlen(s);
        if (used > APP_PAGE_TEXT)
            break;
        for (char *c = s; *c != 0; c++)
            *c = *c == '\n' ? ' ' : *c;
        json_string(&page->w, NULL, s);
    }
    free(text);
    json_close_array(&page->w);
    page->failed |= !good;
}

void app_page_equations(app_page_data *page, const plumb_system *system)
{
    json_int(&page->w, "equation_count", plumb_system_equations(system));
    app_page_texts(page, "equations", system);
}

void app_page_names(app_page_data *page, const char *key, const plumb_system *system, int64_t first, int64_t count)
{
    json_open_array(&page->w, key);
    for (int64_t i = first; i < first + count; i++)
        json_string(&page->w, NULL, plumb_system_name(system, i));
    json_close_array(&page->w);
}

void app_page_account(app_page_data *page, const char *name, int64_t count, const char *meaning)
{
    json_open_array(&page->w, NULL);
    json_string(&page->w, NULL, name);
    json_int(&page->w, NULL, count);
    json_string(&page->w, NULL, meaning);
    json_close_array(&page->w);
}

void app_page_cost(app_page_data *page, const char *name, const char *value)
{
    json_open_array(&page->w, NULL);
    json_string(&page->w, NULL, name);
    json_string(&page->w, NULL, value);
    json_close_array(&page->w);
}

void app_page_footer(app_page_data *page, uint64_t seed)
{
    char footer[128];
    snprintf(footer, sizeof footer, "plumb %s, random seed %llu", plumb_version(), (unsigned long long)seed);
    json_string(&page->w, "footer", footer);
}

/* ---- Solutions --------------------------------------------------------------------------------------------------- */

/* [kind, multiplicity, real, positive, error, residual, condition, digits, certificate, x]; names in page.js. */
void app_page_solution_begin(app_page_data *page, const app_page_solution *solution)
{
    json_writer *w = &page->w;
    json_open_array(w, NULL);
    json_string(w, NULL, plumb_solution_kind_name(solution->kind));
    json_int(w, NULL, solution->multiplicity);
    json_int(w, NULL, solution->real);
    json_int(w, NULL, solution->positive);
    json_double(w, NULL, solution->error);
    json_double(w, NULL, solution->residual);
    json_double(w, NULL, solution->rcond > 0 ? 1 / solution->rcond : INFINITY);
    json_int(w, NULL, solution->known);
    json_string(w, NULL, solution->certificate);
    json_open_array(w, NULL);
}

void app_page_number(app_page_data *page, const char *re, const char *im)
{
    json_open_array(&page->w, NULL);
    json_string(&page->w, NULL, re);
    json_string(&page->w, NULL, im);
    json_close_array(&page->w);
}

void app_page_solution_end(app_page_data *page)
{
    json_close_array(&page->w);
    json_close_array(&page->w);
    page->solutions++;
}
