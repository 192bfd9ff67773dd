/* completion.c - see completion.h. */
#include "app/command/completion.h"

#include <stdio.h>
#include <string.h>

#include "app/app.h"

const app_option app_no_options[] = {APP_OPTIONS_END};
const app_completion_words app_completion_defaults = {.file = {NULL}};
const char *const app_completion_files[] = {"SHELL", NULL};

static const app_program *program; /* whose commands are written */

/* The program as part of the name of a shell function: "plumb_bench". */
static const char *function_name(char text[64])
{
    snprintf(text, 64, "%s", program->name);
    for (char *s = text; *s != 0; s++)
        if (*s == '-')
            *s = '_';
    return text;
}

/* "lsq", or "system start" as "system_start" where a name must be one word. */
static const char *one_word(const app_command *command, char text[64])
{
    snprintf(text, 64, "%s", command->name);
    for (char *s = text; *s != 0; s++)
        if (*s == ' ')
            *s = '_';
    return text;
}

/* The two tables of a command one after the other. */
typedef void option_fn(const app_command *command, const app_option *o);
static void each_option(const app_command *command, option_fn *each)
{
    for (const app_option *o = command->options; o != NULL && o->name != NULL; o++)
        each(command, o);
    for (const app_option *o = app_standard_options; o->name != NULL; o++)
        each(command, o);
}

static void list_words(const app_option *o)
{
    for (int i = 0; o->words[i] != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", o->words[i]);
}

static void list_command_words(const app_command *const *commands)
{
    for (const app_command *const *c = commands; *c != NULL; c++)
        if ((*c)->summary != NULL) {
            const char *space = strrchr((*c)->name, ' ');
            printf(" %s", space != NULL ? space + 1 : (*c)->name);
        }
}

/* ---- bash --------------------------------------------------------------------------------------------------------- */

static void bash_name(const app_command *command, const app_option *o)
{
    (void)command;
    if (o->letter != 0)
        printf(" -%c", o->letter);
    printf(" --%s", o->name);
}

/* After an option with a value: its words, files, or nothing. */
static void bash_value(const app_command *command, const app_option *o)
{
    if (o->kind == APP_FLAG)
        return;
    printf("    '%s --%s'%s%s", command->name, o->name, o->letter != 0 ? "|'" : "",
           o->letter != 0 ? command->name : "");
    if (o->letter != 0)
        printf(" -%c'", o->letter);
    fputs(") ", stdout);
    if (o->kind == APP_WORD) {
        fputs("COMPREPLY=($(compgen -W '", stdout);
        list_words(o);
        puts("' -- \"$cur\")) ; return ;;");
    } else if (app_is_file(o->kind) || o->kind == APP_TEXT) {
        puts("COMPREPLY=($(compgen -f -- \"$cur\")) ; return ;;");
    } else {
        puts("return ;;");
    }
}

static void bash_values(const app_command *command, void *data)
{
    (void)data;
    each_option(command, bash_value);
}

static void bash_names(const app_command *command, void *data)
{
    (void)data;
    printf("    '%s') names='", command->name);
    each_option(command, bash_name);
    puts("' ;;");
}

static void write_bash(void)
{
    char function[64];
    function_name(function);
    printf("# bash completion of %s, written by '%s completion bash'\n"
           "_%s()\n",
           program->name, program->name, function);
    fputs("{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} names=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$prev\" = '=' ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
          "    if [ \"$cur\" = '=' ]; then cur=; fi\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W '",
          stdout);
    list_command_words(program->commands);
    puts(" help --help --version' -- \"$cur\"))\n        return\n    fi");
    fputs("    if [ \"$command\" = help ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n        COMPREPLY=($(compgen -W '",
          stdout);
    list_command_words(program->commands);
    puts("' -- \"$cur\"))\n        return\n    fi");
    for (const app_command *const *c = program->commands; *c != NULL; c++)
        if ((*c)->commands != NULL) {
            printf("    if [ \"$command\" = %s ]; then\n"
                   "        if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
                   "            COMPREPLY=($(compgen -W '",
                   (*c)->name);
            list_command_words((*c)->commands);
            puts(" --help' -- \"$cur\"))\n            return\n        fi\n"
                 "        command=\"$command ${COMP_WORDS[2]}\"\n    fi");
        }
    puts("    case \"$command $prev\" in");
    app_each_command(program, bash_values, NULL);
    puts("    esac\n    case \"$command\" in");
    app_each_command(program, bash_names, NULL);
    puts("    esac\n"
         "    case $cur in\n"
         "    -*) COMPREPLY=($(compgen -W \"$names\" -- \"$cur\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
         "    esac\n"
         "}");
    printf("complete -o filenames -F _%s %s\n", function, program->name);
}

/* ---- zsh ---------------------------------------------------------------------------------------------------------- */

/* Text inside '...' and [...] of an _arguments specification. */
static void zsh_text(const char *text)
{
    for (; *text != 0; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (*text == '[' || *text == ']' || *text == ':')
            printf("\\%c", *text);
        else
            putchar(*text);
}

static void zsh_option(const app_command *command, const app_option *o)
{
    (void)command;
    const char *takes = o->kind == APP_FLAG ? "" : "=";
    if (o->kind == APP_TEXTS)
        printf("        '*'{-%c+,--%s=}'[", o->letter, o->name);
    else if (o->letter != 0)
        printf("        '(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter, o->kind == APP_FLAG ? "" : "+",
               o->name, takes);
    else
        printf("        '--%s%s[", o->name, takes);
    zsh_text(o->help);
    putchar(']');
    if (o->kind == APP_WORD) {
        printf(":%s:(", o->value);
        list_words(o);
        putchar(')');
    } else if (app_is_file(o->kind) || o->kind == APP_TEXT) {
        printf(":%s:_files", o->value);
    } else if (o->kind != APP_FLAG) {
        printf(":%s: ", o->value);
    }
    puts("' \\");
}

static void zsh_command(const app_command *command, void *data)
{
    char function[64], name[64];
    (void)data;
    printf("_%s_%s() {\n    _arguments -s -S \\\n", function_name(function), one_word(command, name));
    each_option(command, zsh_option);
    puts("        '*:file:_files'\n}\n");
}

static void zsh_list(const app_command *const *commands)
{
    puts("    local -a commands=(");
    for (const app_command *const *c = commands; *c != NULL; c++)
        if ((*c)->summary != NULL) {
            const char *space = strrchr((*c)->name, ' ');
            printf("        '%s:", space != NULL ? space + 1 : (*c)->name);
            zsh_text((*c)->summary);
            puts("'");
        }
    puts("    )");
}

/* A function that offers the commands, then calls that of the command. prefix: "_plumb" or "_plumb_system". */
static void zsh_dispatch(const char *prefix, const app_command *const *commands)
{
    printf("%s() {\n", prefix);
    zsh_list(commands);
    printf("    if (( CURRENT == 2 )); then\n"
           "        _describe command commands\n"
           "        return\n"
           "    fi\n"
           "    local command=$words[2]\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    (( $+functions[%s_$command] )) && %s_$command\n"
           "}\n\n",
           prefix, prefix);
}

static void write_zsh(void)
{
    char function[64], prefix[160], word[64];
    function_name(function);
    printf("#compdef %s\n# zsh completion of %s, written by '%s completion zsh'\n\n", program->name, program->name,
           program->name);
    app_each_command(program, zsh_command, NULL);
    for (const app_command *const *c = program->commands; *c != NULL; c++)
        if ((*c)->commands != NULL) {
            snprintf(prefix, sizeof prefix, "_%s_%s", function, one_word(*c, word));
            zsh_dispatch(prefix, (*c)->commands);
        }
    snprintf(prefix, sizeof prefix, "_%s", function);
    zsh_dispatch(prefix, program->commands);
    printf("%s \"$@\"\n", prefix);
}

/* ---- fish --------------------------------------------------------------------------------------------------------- */

static void fish_text(const char *text)
{
    putchar('\'');
    for (; *text != 0; text++)
        if (*text == '\'' || *text == '\\')
            printf("\\%c", *text);
        else
            putchar(*text);
    putchar('\'');
}

static void fish_condition(const app_command *command)
{
    char first[64];
    snprintf(first, sizeof first, "%s", command->name);
    char *space = strchr(first, ' ');
    if (space != NULL)
        *space = 0;
    printf("complete -c %s -n '__fish_seen_subcommand_from %s", program->name, first);
    if (space != NULL)
        printf("; and __fish_seen_subcommand_from %s", space + 1);
    putchar('\'');
}

static void fish_option(const app_command *command, const app_option *o)
{
    fish_condition(command);
    if (o->letter != 0)
        printf(" -s %c", o->letter);
    printf(" -l %s", o->name);
    if (o->kind == APP_WORD) {
        fputs(" -x -a '", stdout);
        list_words(o);
        putchar('\'');
    } else if (o->kind != APP_FLAG) {
        fputs(o->kind == APP_COUNT || o->kind == APP_REAL || o->kind == APP_SEED ? " -x" : " -r", stdout);
    }
    fputs(" -d ", stdout);
    fish_text(o->help);
    putchar('\n');
}

static void fish_command(const app_command *command, void *data)
{
    (void)data;
    each_option(command, fish_option);
}

static void fish_list(const app_command *const *commands, const char *condition)
{
    for (const app_command *const *c = commands; *c != NULL; c++)
        if ((*c)->summary != NULL) {
            const char *space = strrchr((*c)->name, ' ');
            printf("complete -c %s -f -n '%s' -a %s -d ", program->name, condition,
                   space != NULL ? space + 1 : (*c)->name);
            fish_text((*c)->summary);
            putchar('\n');
        }
}

static void write_fish(void)
{
    printf("# fish completion of %s, written by '%s completion fish'\n", program->name, program->name);
    fish_list(program->commands, "__fish_use_subcommand");
    for (const app_command *const *c = program->commands; *c != NULL; c++)
        if ((*c)->commands != NULL) {
            char condition[256];
            int used = snprintf(condition, sizeof condition,
                                "__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from", (*c)->name);
            for (const app_command *const *below = (*c)->commands; *below != NULL && used > 0; below++)
                used += snprintf(condition + used, sizeof condition - (size_t)used, " %s",
                                 strrchr((*below)->name, ' ') + 1);
            fish_list((*c)->commands, condition);
        }
    app_each_command(program, fish_command, NULL);
}

/* ---- The list ----------------------------------------------------------------------------------------------------- */

static void list_option(const app_command *command, const app_option *o)
{
    char letter[4] = "-";
    if (o->letter != 0)
        snprintf(letter, sizeof letter, "-%c", o->letter);
    printf("%s\t%s\t--%s\t%s\n", command->name, letter, o->name, o->value != NULL ? o->value : "");
}

static void list_command(const app_command *command, void *data)
{
    (void)data;
    each_option(command, list_option);
}

/* ---- The man page ------------------------------------------------------------------------------------------------- */

/* Text in troff: dashes that can be copied, no escapes of its own, nothing that looks like a request. */
static void man_text(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text != 0; text++)
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
}

static void man_option(const app_command *command, const app_option *o)
{
    char text[1024];
    puts(".TP");
    fputs(".B ", stdout);
    if (o->letter != 0)
        printf("\\-%c\\fR, \\fB", o->letter);
    fputs("\\-\\-", stdout);
    man_text(o->name);
    if (o->value != NULL) {
        fputs("\\fR \\fI", stdout);
        man_text(o->value);
    }
    putchar('\n');
    app_option_text(command, o, text, sizeof text);
    if (text[0] >= 'a' && text[0] <= 'z' && strncmp(text, "mgs:", 4) != 0 && strncmp(text, "unit:", 5) != 0)
        text[0] = (char)(text[0] - 'a' + 'A');
    man_text(text);
    puts(".");
}

static void man_usage(const app_command *command)
{
    for (const char *line = command->arguments; *line != 0;) {
        char text[256];
        size_t length = strcspn(line, "\n");
        snprintf(text, sizeof text, "%s %s %.*s", program->name, command->name, (int)length, line);
        man_text(text);
        line += length + (line[length] == '\n');
        puts(*line != 0 ? "\n.br" : "");
    }
    if (command->arguments[0] == 0) {
        man_text(program->name);
        putchar(' ');
        man_text(command->name);
        putchar('\n');
    }
}

static void man_paragraph(const char *text)
{
    for (; *text != 0;) {
        char line[2048];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (length > 0) {
            puts(".PP");
            man_text(line);
            putchar('\n');
        }
        text += length + (text[length] == '\n');
    }
}

static void man_command(const app_command *command, void *data)
{
    (void)data;
    printf(".SS %s %s\n.nf\n", program->name, command->name);
    man_usage(command);
    puts(".fi");
    man_paragraph(command->about);
    if (command->more != NULL) {
        puts(".PP\n.nf");
        fflush(stdout);
        command->more(stdout);
        puts(".fi");
    }
    for (const app_option *o = command->options; o != NULL && o->name != NULL; o++)
        man_option(command, o);
    if (command->after != NULL)
        man_paragraph(command->after);
}

static void write_options(void)
{
    app_each_command(program, list_command, NULL);
}

static void write_man(void)
{
    app_each_command(program, man_command, NULL);
}

/* ---- All of them -------------------------------------------------------------------------------------------------- */

int app_completion(const app_program *for_program, const char *what)
{
    static const struct {
        const char *name;
        void (*write)(void);
    } kinds[] = {
        {"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}, {"options", write_options}, {"man", write_man}};
    program = for_program;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, what) == 0) {
            kinds[i].write();
            return APP_OK;
        }
    return app_misuse("completion", "found '%s', expected bash, zsh or fish", what);
}
