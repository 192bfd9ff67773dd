/* command.h - the grammar of the programs plumb and plumb-bench: commands and their options as tables.
 *
 * One table per command holds everything about an option: its names, what its value may be, where the value
 * goes, and its help. The parser, --help, the suggestions for misspelled names and the shell completions are all made
 * from that table, so they cannot disagree.
 *
 * Grammar: options and files come in any order; --name VALUE, --name=VALUE, -x VALUE, -xVALUE; flags with letters can be
 * joined (-qV); "--" ends the options; "-" alone is a file (standard input or output). The last one of equal options
 * wins, except for options that collect. A command with equations (APP_EQUATIONS) takes them instead of its first
 * file, which is then NULL. Every command takes -h/--help and -V/--version, which come first however wrong the rest is. */
#ifndef PLUMB_APP_COMMAND_H
#define PLUMB_APP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum app_kind {
    APP_FLAG,   /* bool */
    APP_TEXT,   /* const char *: any word */
    APP_TEXTS,  /* app_texts: any words; the option may be given several times */
    APP_INPUT,  /* const char *: a file that is read */
    APP_OUTPUT, /* const char *: a file that is written */
    APP_STORE,  /* const char *: a file that is read if it is there, and otherwise written */
    APP_FOLDER, /* const char *: a folder that files are written into */
    APP_COUNT,  /* int64_t: a whole number from least to most */
    APP_REAL,   /* double: a number from least to most */
    APP_SEED,   /* uint64_t: any whole number below 2^64 */
    APP_WORD    /* int32_t: the index of the word in words */
} app_kind;

static inline bool app_is_file(app_kind kind)
{
    return kind >= APP_INPUT && kind <= APP_FOLDER;
}

enum { APP_MOST_TEXTS = 64 };

typedef struct app_texts {
    const char *text[APP_MOST_TEXTS];
    int64_t count;
} app_texts;

typedef struct app_option {
    char letter;      /* 0: none */
    const char *name; /* without the dashes */
    app_kind kind;
    size_t offset;     /* of the value in the struct of the command */
    const char *value; /* what the help calls the value; NULL for a flag */
    const char *help;  /* a phrase without a full stop; the help adds range, words and default */
    const char *unset; /* text of the help for a default that is NULL, 0, negative or false; may be NULL */
    double least, most;
    const char *const *words; /* of APP_WORD, ends with NULL */
} app_option;

typedef struct app_command {
    const char *name;      /* the words after the program: "lsq", "system start" */
    const char *summary;   /* its line in the list of commands; NULL: not listed */
    const char *arguments; /* the usage after the name, "A b [OPTIONS]"; several forms are separated by newlines */
    const char
        *about; /* what it does: paragraphs, wrapped by the help; lines that begin with a space stay as they are */
    void (*more)(FILE *out);   /* writes more of that where it is no constant text; may be NULL */
    const char *after;         /* likewise, after the options; may be NULL */
    const app_option *options; /* ends with a name of NULL */
    const void *defaults;      /* a struct with the default values */
    size_t size;               /* of that struct */
    int least_files, most_files;
    const char *const
        *file_names;    /* what messages and the usage call each; the last name serves for all further ones */
    size_t files;       /* offset of an array of most_files const char *, NULL where none was given */
    bool only_words;    /* they are words, not files */
    bool summary_shown; /* a summary goes to standard output unless --quiet is given, even if there are files */
    int (*run)(const void *values);            /* the struct, filled in */
    const struct app_command *const *commands; /* of a command that only has commands below it; ends with NULL */
    int (*pass_on)(int argc, char **argv);     /* gets its arguments unread, argv[0] is the name of the command */
} app_command;

/* A title above a command in the list of the help, which stands above the commands after it, too. */
typedef struct app_heading {
    const app_command *first;
    const char *title;
} app_heading;

typedef struct app_program {
    const char *name;                   /* "plumb", as in the usage: "plumb COMMAND" */
    const char *about;                  /* one line */
    const app_command *const *commands; /* ends with NULL */
    const app_heading *headings;        /* ends with NULL; or NULL */
    const char *after;                  /* the end of the help; may be NULL */
} app_program;

/* Finds the command, answers --help and --version, parses and runs. Returns the exit status; a standard output that
 * cannot be written is a failure. */
int app_main(const app_program *program, int argc, char **argv);

/* Fills values, which starts as a copy of the defaults. APP_OK, or one line on stderr and APP_MISUSE. */
int app_parse(const app_command *command, int argc, char **argv, void *values);

void app_help(const app_command *command, FILE *out);

/* The help of an option: its text, range and default. */
void app_option_text(const app_command *command, const app_option *o, char *text, size_t size);

/* Calls each for every command that runs or passes on, at any depth. */
void app_each_command(const app_program *program, void (*each)(const app_command *command, void *data), void *data);

/* The option -h, --help and -V, --version of every command; ends with a name of NULL. */
extern const app_option app_standard_options[];

/* ---- Options that several commands have, with the same names everywhere ------------------------------------------ */

extern const char *const app_precisions[];      /* d, dd, qd */
extern const char *const app_precisions_auto[]; /* d, dd, qd, auto */
extern const char *const app_backends[];        /* auto, cpu, gpu, in the order of PLUMB_BACKEND_... */

enum { APP_D, APP_DD, APP_QD, APP_AUTO }; /* indices of the first two lists */

/* Limbs: PLUMB_D, PLUMB_DD, PLUMB_QD; 0 of auto. */
int32_t app_precision(int32_t index);

#define APP_THREADS(type, member)                                                                    \
    {                                                                                                \
        't', "threads", APP_COUNT, offsetof(type, member), "N",                                      \
            "CPU threads; the result does not depend on their number", "one per core", 1, 1024, NULL \
    }
#define APP_BACKEND(type, member)                                                                                  \
    {                                                                                                              \
        0, "backend", APP_WORD, offsetof(type, member), "NAME",                                                    \
            "machine to use; auto takes a GPU where there is one and enough work for it", NULL, 0, 0, app_backends \
    }
#define APP_MPI(type, member)                                                                                     \
    {                                                                                                             \
        0, "mpi", APP_FLAG, offsetof(type, member), NULL,                                                         \
            "share the paths among the processes that mpirun or srun has started; the result does not depend on " \
            "their number",                                                                                       \
            NULL, 0, 0, NULL                                                                                      \
    }
#define APP_SEED_OPTION(type, member, what)                                                     \
    {                                                                                           \
        0, "seed", APP_SEED, offsetof(type, member), "N", "random seed " what, NULL, 0, 0, NULL \
    }
#define APP_JSON(type, member)                                                                                         \
    {                                                                                                                  \
        0, "json", APP_FLAG, offsetof(type, member), NULL, "write one JSON object to standard output instead of text", \
            NULL, 0, 0, NULL                                                                                           \
    }
#define APP_QUIET(type, member, what)                                                \
    {                                                                                \
        'q', "quiet", APP_FLAG, offsetof(type, member), NULL, what, NULL, 0, 0, NULL \
    }
#define APP_OUTPUT_OPTION(type, member, what, without)                                       \
    {                                                                                        \
        'o', "output", APP_OUTPUT, offsetof(type, member), "FILE", what, without, 0, 0, NULL \
    }
#define APP_EQUATIONS(type, member)                                                                              \
    {                                                                                                            \
        'e', "equation", APP_TEXTS, offsetof(type, member), "EQ",                                                \
            "an equation of the system, such as 'x^2 + y^2 = 5', instead of the file SYSTEM; give one for each " \
            "equation",                                                                                          \
            NULL, 0, 0, NULL                                                                                     \
    }
#define APP_OPTIONS_END                                    \
    {                                                      \
        0, NULL, APP_FLAG, 0, NULL, NULL, NULL, 0, 0, NULL \
    }

#endif
