/* command.c - the parser and the programs' entry; see command.h. help.c writes the help. */
#include "app/command/command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/command/outputs.h"
#include "app/command/suggest.h"
#include "app/stop.h"

const char *const app_precisions[] = {"d", "dd", "qd", NULL};
const char *const app_precisions_auto[] = {"d", "dd", "qd", "auto", NULL};
const char *const app_backends[] = {"auto", "cpu", "gpu", NULL};

const app_option app_standard_options[] = {
    {'h', "help", APP_FLAG, 0, NULL, "show this text", NULL, 0, 0, NULL},
    {'V', "version", APP_FLAG, 0, NULL, "show the version", NULL, 0, 0, NULL},
    APP_OPTIONS_END,
};

int32_t app_precision(int32_t index)
{
    return index >= APP_D && index <= APP_QD ? plumb_prec_from_name(app_precisions[index]) : 0;
}

/* ---- Values ------------------------------------------------------------------------------------------------------- */

/* "-p/--precision", as messages name an option. */
static const char *title(const app_option *o, char text[48])
{
    if (o->letter != 0)
        snprintf(text, 48, "-%c/--%s", o->letter, o->name);
    else
        snprintf(text, 48, "--%s", o->name);
    return text;
}

/* A word that is digits only: strtoll alone would let spaces and signs through. */
static bool is_whole(const char *word)
{
    return word[0] != 0 && strspn(word, "0123456789") == strlen(word);
}

/* "a, b or c". */
static const char *list_words(const char *const *words, char *text, size_t size)
{
    text[0] = 0;
    for (int i = 0; words[i] != NULL; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ", words[i]);
    }
    return text;
}

static int set_count(const char *command, const app_option *o, const char *word, int64_t *to)
{
    char name[48];
    errno = 0;
    long long value = is_whole(word) ? strtoll(word, NULL, 10) : -1;
    if (value < 0 || errno != 0 || (double)value < o->least || (double)value > o->most)
        return app_misuse(command, "%s: found '%s', expected a whole number from %.0f to %.0f", title(o, name), word,
                          o->least, o->most);
    *to = value;
    return APP_OK;
}

static int set_real(const char *command, const app_option *o, const char *word, double *to)
{
    char name[48], *end;
    double value = strtod(word, &end);
    if (end == word || *end != 0 || !(value >= o->least && value <= o->most))
        return app_misuse(command, "%s: found '%s', expected a number from %g to %g", title(o, name), word, o->least,
                          o->most);
    *to = value;
    return APP_OK;
}

static int set_seed(const char *command, const app_option *o, const char *word, uint64_t *to)
{
    char name[48];
    errno = 0;
    unsigned long long value = is_whole(word) ? strtoull(word, NULL, 10) : 0;
    if (!is_whole(word) || errno != 0)
        return app_misuse(command, "%s: found '%s', expected a whole number below 2^64", title(o, name), word);
    *to = value;
    return APP_OK;
}

static int set_word(const char *command, const app_option *o, const char *word, int32_t *to)
{
    char name[48], list[256];
    for (int32_t i = 0; o->words[i] != NULL; i++)
        if (strcmp(o->words[i], word) == 0) {
            *to = i;
            return APP_OK;
        }
    return app_misuse(command, "%s: found '%s', expected %s", title(o, name), word,
                      list_words(o->words, list, sizeof list));
}

static int add_text(const char *command, const app_option *o, const char *word, app_texts *to)
{
    char name[48];
    if (to->count == APP_MOST_TEXTS)
        return app_misuse(command, "%s: found more than %d, expected fewer; a file has room for any number",
                          title(o, name), APP_MOST_TEXTS);
    to->text[to->count++] = word;
    return APP_OK;
}

static int set_value(const char *command, const app_option *o, const char *word, char *values)
{
    char name[48];
    void *to = values + o->offset;
    switch (o->kind) {
    case APP_COUNT:
        return set_count(command, o, word, to);
    case APP_REAL:
        return set_real(command, o, word, to);
    case APP_SEED:
        return set_seed(command, o, word, to);
    case APP_WORD:
        return set_word(command, o, word, to);
    case APP_TEXTS:
        return add_text(command, o, word, to);
    case APP_INPUT:
    case APP_OUTPUT:
    case APP_STORE:
    case APP_FOLDER:
        if (word[0] == 0)
            return app_misuse(command, "%s: found an empty name, expected a file", title(o, name));
        break;
    default:
        break;
    }
    *(const char **)to = word;
    return APP_OK;
}

/* ---- Parsing ------------------------------------------------------------------------------------------------------ */

static const app_option *find_name(const app_option *o, const char *name, size_t length)
{
    for (; o->name != NULL; o++)
        if (strlen(o->name) == length && memcmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static const app_option *find_letter(const app_option *o, char letter)
{
    for (; o->name != NULL; o++)
        if (o->letter == letter)
            return o;
    return NULL;
}

/* One line, with the option that may have been meant. word has its dashes; length leaves a "=value" out. */
static int unknown_option(const app_command *command, const char *word, size_t length)
{
    app_guess guess = app_guess_begin(word + strspn(word, "-"), length - strspn(word, "-"));
    for (const app_option *o = command->options; o->name != NULL; o++)
        app_guess_try(&guess, o->name);
    for (const app_option *o = app_standard_options; o->name != NULL; o++)
        app_guess_try(&guess, o->name);
    if (guess.best != NULL)
        return app_misuse(command->name, "unknown option '%.*s'; did you mean '--%s'?", (int)length, word, guess.best);
    return app_misuse(command->name, "unknown option '%.*s'; '%s %s --help' lists the options", (int)length, word,
                      app_program_name, command->name);
}

/* The command line as it is worked through. */
typedef struct app_words {
    const app_command *command;
    int argc, at;
    char **argv;
    char *values;
} app_words;

static int take_next(app_words *w, const app_option *o)
{
    char name[48];
    if (w->at + 1 >= w->argc)
        return app_misuse(w->command->name, "%s needs a value (%s)", title(o, name), o->value);
    return set_value(w->command->name, o, w->argv[++w->at], w->values);
}

static int parse_long(app_words *w)
{
    const char *word = w->argv[w->at], *equals = strchr(word, '=');
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const app_option *o = find_name(w->command->options, word + 2, length - 2);
    if (o == NULL)
        return unknown_option(w->command, word, length);
    if (o->kind == APP_FLAG && equals != NULL)
        return app_misuse(w->command->name, "--%s takes no value, found '%s'", o->name, equals + 1);
    if (o->kind == APP_FLAG) {
        *(bool *)(w->values + o->offset) = true;
        return APP_OK;
    }
    return equals != NULL ? set_value(w->command->name, o, equals + 1, w->values) : take_next(w, o);
}

/* -x, -xVALUE, or several flags. */
static int parse_letters(app_words *w)
{
    for (const char *word = w->argv[w->at], *s = word + 1; *s != 0; s++) {
        const app_option *o = find_letter(w->command->options, *s);
        if (o == NULL)
            return unknown_option(w->command, word, strlen(word));
        if (o->kind != APP_FLAG)
            return s[1] != 0 ? set_value(w->command->name, o, s + 1, w->values) : take_next(w, o);
        *(bool *)(w->values + o->offset) = true;
    }
    return APP_OK;
}

/* Where there are equations, the first of the files is not on the command line. */
static int make_room_for_equations(const app_command *command, const char *values, const char **file, int *files)
{
    char name[48];
    const app_option *o = command->options;
    while (o->name != NULL && !(o->kind == APP_TEXTS && o->letter == 'e')) /* APP_EQUATIONS */
        o++;
    if (o->name == NULL || ((const app_texts *)(values + o->offset))->count == 0)
        return APP_OK;
    if (*files == command->most_files)
        return app_misuse(command->name, "found %s with %s '%s', expected one of them", title(o, name),
                          command->file_names[0], file[0]);
    memmove(file + 1, file, (size_t)*files * sizeof *file);
    file[0] = NULL;
    ++*files;
    return APP_OK;
}

int app_parse(const app_command *command, int argc, char **argv, void *values)
{
    app_words w = {.command = command, .argc = argc, .argv = argv, .values = values};
    const char **file = (const char **)((char *)values + command->files);
    bool only_files = false;
    int files = 0;
    if (command->size > 0)
        memcpy(values, command->defaults, command->size);
    for (w.at = 1; w.at < argc; w.at++) {
        const char *word = argv[w.at];
        int result = APP_OK;
        if (!only_files && strcmp(word, "--") == 0)
            only_files = true;
        else if (!only_files && word[0] == '-' && word[1] == '-')
            result = parse_long(&w);
        else if (!only_files && word[0] == '-' && word[1] != 0)
            result = parse_letters(&w);
        else if (files == command->most_files)
            result = app_misuse(command->name, "unexpected argument '%s'; usage: %s %s %.*s", word, app_program_name,
                                command->name, (int)strcspn(command->arguments, "\n"), command->arguments);
        else
            file[files++] = word;
        if (result != APP_OK)
            return result;
    }
    int result = make_room_for_equations(command, values, file, &files);
    if (result != APP_OK)
        return result;
    if (files < command->least_files)
        return app_misuse(command->name, "the argument %s is missing; usage: %s %s %.*s", command->file_names[files],
                          app_program_name, command->name, (int)strcspn(command->arguments, "\n"), command->arguments);
    return APP_OK;
}

/* ---- Programs ----------------------------------------------------------------------------------------------------- */

/* The word a command is found by: "start" of "system start". */
static const char *last_word(const app_command *command)
{
    const char *space = strrchr(command->name, ' ');
    return space != NULL ? space + 1 : command->name;
}

static const app_command *find_command(const app_command *const *commands, const char *name)
{
    for (; *commands != NULL; commands++)
        if (strcmp(last_word(*commands), name) == 0)
            return *commands;
    return NULL;
}

/* above: the program, or "plumb system". */
static int unknown_command(const char *above, const app_command *const *commands, const char *name)
{
    app_guess guess = app_guess_begin(name, strlen(name));
    for (; *commands != NULL; commands++)
        if ((*commands)->summary != NULL)
            app_guess_try(&guess, last_word(*commands));
    const char *kind = name[0] == '-' ? "option" : "command";
    if (guess.best != NULL && name[0] != '-')
        return app_misuse(NULL, "unknown command '%s'; did you mean '%s %s'?", name, above, guess.best);
    return app_misuse(NULL, "unknown %s '%s'; '%s --help' lists the commands", kind, name, above);
}

static void list_commands(const app_command *const *commands, const app_heading *headings)
{
    if (headings == NULL)
        printf("commands:\n");
    for (; *commands != NULL; commands++) {
        for (const app_heading *h = headings; h != NULL && h->first != NULL; h++)
            if (h->first == *commands)
                printf("%s%s:\n", h == headings ? "" : "\n", h->title);
        if ((*commands)->summary != NULL)
            printf("  %-10s %s\n", last_word(*commands), (*commands)->summary);
    }
}

static int program_help(const app_program *program)
{
    printf("%s\n\nusage: %s COMMAND [OPTIONS]\n\n", program->about, program->name);
    list_commands(program->commands, program->headings);
    printf("  %-10s %s\n", "help", "show this text, or the help of a command");
    printf("\noptions:\n"
           "  -h, --help     show this text\n"
           "  -V, --version  show the version\n");
    if (program->after != NULL)
        printf("\n%s", program->after);
    return APP_OK;
}

static int version(void)
{
    printf("%s %s\n", app_program_name, plumb_version());
    return APP_OK;
}

static bool is_option(const char *word, const app_option *o)
{
    return (word[0] == '-' && word[1] == '-' && strcmp(word + 2, o->name) == 0) ||
           (word[0] == '-' && word[1] == o->letter && word[2] == 0);
}

/* Is the option anywhere before "--"? */
static bool asks_for(const app_option *o, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_option(argv[i], o))
            return true;
    return false;
}

static int run(const app_command *command, int argc, char **argv)
{
    const app_option *help = &app_standard_options[0], *show_version = &app_standard_options[1];
    if (command->commands != NULL) {
        char above[64];
        snprintf(above, sizeof above, "%s %s", app_program_name, command->name);
        if (argc < 2)
            return app_misuse(command->name, "the command is missing; '%s --help' lists the commands", above);
        const app_command *below = find_command(command->commands, argv[1]);
        if (below != NULL)
            return run(below, argc - 1, argv + 1);
        if (is_option(argv[1], help)) {
            printf("usage: %s COMMAND [OPTIONS]\n\n%s\n\n", above, command->about);
            list_commands(command->commands, NULL);
            printf("\n'%s COMMAND --help' shows the options of a command and their defaults.\n", above);
            return APP_OK;
        }
        return is_option(argv[1], show_version) ? version() : unknown_command(above, command->commands, argv[1]);
    }
    if (command->pass_on != NULL)
        return command->pass_on(argc, argv);
    if (asks_for(help, argc, argv)) {
        app_help(command, stdout);
        return APP_OK;
    }
    if (asks_for(show_version, argc, argv))
        return version();
    void *values = malloc(command->size + 1); /* some have no values */
    if (values == NULL)
        return app_fail(command->name, "out of memory");
    int result = app_parse(command, argc, argv, values);
    if (result == APP_OK)
        result = app_outputs_check(command, values);
    if (result == APP_OK)
        result = command->run(values);
    free(values);
    return result;
}

/* "help lsq" is "lsq --help". */
static int help_about(const app_program *program, int argc, char **argv)
{
    char option[] = "--help";
    char *arguments[] = {argv[0], option, NULL};
    const app_command *const *commands = program->commands;
    const app_command *command = NULL;
    for (int i = 0; i < argc; i++) {
        if (command != NULL && commands == NULL)
            return app_misuse(NULL, "unexpected argument '%s' after 'help %s'", argv[i], command->name);
        command = find_command(commands, argv[i]);
        if (command == NULL)
            return unknown_command(program->name, commands, argv[i]);
        commands = command->commands;
    }
    return run(command, 2, arguments);
}

static int dispatch(const app_program *program, int argc, char **argv)
{
    if (argc < 2)
        return app_misuse(NULL, "the command is missing; '%s --help' lists the commands", program->name);
    bool help = is_option(argv[1], &app_standard_options[0]), show = is_option(argv[1], &app_standard_options[1]);
    if ((help || show) && argc > 2)
        return app_misuse(NULL, "unexpected argument '%s' after %s", argv[2], argv[1]);
    if (show)
        return version();
    if (strcmp(argv[1], "help") == 0 && argc > 2)
        return help_about(program, argc - 2, argv + 2);
    if (help || strcmp(argv[1], "help") == 0)
        return program_help(program);
    const app_command *command = find_command(program->commands, argv[1]);
    return command != NULL ? run(command, argc - 1, argv + 1)
                           : unknown_command(program->name, program->commands, argv[1]);
}

int app_main(const app_program *program, int argc, char **argv)
{
    app_program_name = program->name;
    app_streams_open();
    app_signals_begin();
    int result = dispatch(program, argc, argv);
    /* A full disk or a closed pipe shows up here at the latest. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == APP_OK)
        result = app_fail(NULL, "standard output could not be written");
    return result;
}

static void each_below(const app_command *const *commands, void (*each)(const app_command *command, void *data),
                       void *data)
{
    for (; *commands != NULL; commands++)
        if ((*commands)->commands != NULL)
            each_below((*commands)->commands, each, data);
        else if ((*commands)->summary != NULL)
            each(*commands, data);
}

void app_each_command(const app_program *program, void (*each)(const app_command *command, void *data), void *data)
{
    each_below(program->commands, each, data);
}
