/* bertini.c - reads input files of Bertini.
 *
 *   file       = ["CONFIG" {setting} "END" ";"] ["INPUT" [";"]] {statement} ["END" ";" anything]
 *   setting    = name ":" anything ";"
 *   statement  = declaration | definition
 *   declaration = ("variable_group" | "hom_variable_group" | "variable" | "parameter" | "function" | "constant") name {"," name} ";"
 *   definition = name "=" sum ";"
 *
 * A name that is defined without having been declared is a subfunction. Every name has its value before it is used, so
 * that one pass suffices: values of constants and subfunctions are substituted where they occur. The equations are the
 * functions, and the unknowns the variables, both in the order of their declarations. Parameters are those of a family
 * (PARAMETERHOMOTOPY). Settings are ignored, except those that make the file something else than a system or a family:
 * homotopies of the user are refused. */
#include <stdlib.h>
#include <string.h>

#include "text/system/reader.h"

typedef enum word_kind {
    WORD_OTHER,
    WORD_CONFIG,
    WORD_INPUT,
    WORD_END,
    WORD_VARIABLE, /* declarations, from here on */
    WORD_HOMOGENEOUS,
    WORD_FUNCTION,
    WORD_CONSTANT,
    WORD_PARAMETER,
    WORD_PATH,
    WORD_RANDOM,
    WORD_SUBFUNCTION
} word_kind;

static const struct {
    const char *word;
    word_kind kind;
} words[] = {
    {"config", WORD_CONFIG},
    {"input", WORD_INPUT},
    {"end", WORD_END},
    {"variable_group", WORD_VARIABLE},
    {"variable", WORD_VARIABLE},
    {"hom_variable_group", WORD_HOMOGENEOUS},
    {"function", WORD_FUNCTION},
    {"constant", WORD_CONSTANT},
    {"parameter", WORD_PARAMETER},
    {"implicit_parameter", WORD_SUBFUNCTION},
    {"pathvariable", WORD_PATH},
    {"random", WORD_RANDOM},
    {"random_real", WORD_RANDOM},
    {"definedsubfunction", WORD_SUBFUNCTION},
};

/* 100 digits: more than the precisions of plumb have. */
static const char pi_digits[] =
    "3.141592653589793238462643383279502884197169399375105820974944592307816406286208998628034825342117068";

typedef struct bertini_file {
    system_parts *parts;
    system_names names; /* of symbols */
    system_symbol *symbols;
    int64_t room;
    int64_t *function; /* numbers of the symbols that are functions, in order */
    int64_t functions, function_room;
    bool homogeneous_noted;
} bertini_file;

/* ---- Words ------------------------------------------------------------------------------------------------------- */

static bool same_word(const char *at, size_t length, const char *word)
{
    if (strlen(word) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((at[i] >= 'A' && at[i] <= 'Z' ? at[i] + ('a' - 'A') : at[i]) != word[i])
            return false;
    return true;
}

/* The word at the cursor. CONFIG, INPUT and END may be in any case, and declarations too. */
static word_kind word_at(const text_cursor *c, size_t *length)
{
    *length = plumb_system_word(c);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (same_word(c->at, *length, words[i].word))
            return words[i].kind;
    return WORD_OTHER;
}

/* Is this a declaration: its word and a name, on the same line or with ',' or ';' after it? */
static bool declaration_follows(const system_reader *r)
{
    size_t length;
    system_reader ahead = *r;
    if (word_at(&ahead.cursor, &length) < WORD_VARIABLE)
        return false;
    ahead.cursor.at += length;
    const char *after = ahead.cursor.at;
    plumb_system_skip(&ahead);
    length = plumb_system_word(&ahead.cursor);
    if (length == 0 || ahead.cursor.at == after)
        return false;
    if (memchr(after, '\n', (size_t)(ahead.cursor.at - after)) == NULL)
        return true;
    ahead.cursor.at += length;
    plumb_system_skip(&ahead);
    return text_peek(&ahead.cursor, 0) == ',' || text_peek(&ahead.cursor, 0) == ';';
}

/* INPUT is a line of its own, which some programs end with ';'. */
static void skip_semicolon(system_reader *r)
{
    system_reader ahead = *r;
    plumb_system_skip(&ahead);
    if (text_peek(&ahead.cursor, 0) == ';')
        r->cursor.at = ahead.cursor.at + 1;
}

bool plumb_bertini_follows(const system_reader *r)
{
    size_t length;
    system_reader ahead = *r;
    const word_kind kind = word_at(&ahead.cursor, &length);
    if (kind >= WORD_VARIABLE)
        return declaration_follows(r);
    if (kind != WORD_CONFIG && kind != WORD_INPUT)
        return false;
    ahead.cursor.at += length;
    if (kind == WORD_INPUT)
        skip_semicolon(&ahead);
    const char *after = ahead.cursor.at;
    plumb_system_skip(&ahead);
    if (ahead.cursor.at == after)
        return false;
    if (kind == WORD_INPUT)
        return declaration_follows(&ahead);
    /* CONFIG, then a setting or END */
    const word_kind next = word_at(&ahead.cursor, &length);
    ahead.cursor.at += length;
    plumb_system_skip(&ahead);
    return length > 0 && text_peek(&ahead.cursor, 0) == (next == WORD_END ? ';' : ':');
}

/* ---- Settings ---------------------------------------------------------------------------------------------------- */

static plumb_status read_setting(bertini_file *b)
{
    static const struct {
        const char *name, *expected;
    } refused[] = {
        {"userhomotopy", "USERHOMOTOPY: 0: plumb reads systems here, not homotopies"},
    };
    system_reader *r = &b->parts->reader;
    const text_cursor name = r->cursor;
    const size_t length = plumb_system_word(&r->cursor);
    r->cursor.at += length;
    plumb_system_skip(r);
    if (length == 0 || text_peek(&r->cursor, 0) != ':')
        return plumb_text_expected(length == 0 ? &name : &r->cursor,
                                   length == 0 ? "a setting or END" : "':' and the value of a setting", r->error);
    r->cursor.at++;
    plumb_system_skip(r);
    const text_cursor value = r->cursor;
    while (r->cursor.at < r->cursor.end && *r->cursor.at != ';' && *r->cursor.at != '\n')
        r->cursor.at++;
    if (text_peek(&r->cursor, 0) != ';')
        return plumb_text_expected(&r->cursor, "';' after a setting", r->error);
    r->cursor.at++;
    const bool zero = text_peek(&value, 0) == '0' && !text_is_name(text_peek(&value, 1));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (!zero && same_word(name.at, length, refused[i].name))
            return plumb_text_expected(&value, refused[i].expected, r->error);
    if (!zero && same_word(name.at, length, "tracktype"))
        plumb_notes_add(&b->parts->notes, "line %lld: TRACKTYPE is ignored: only isolated solutions are computed",
                        (long long)plumb_text_line(&name, name.at));
    return PLUMB_OK;
}

static plumb_status read_settings(bertini_file *b)
{
    system_reader *r = &b->parts->reader;
    for (;;) {
        size_t length;
        plumb_system_skip(r);
        const word_kind kind = word_at(&r->cursor, &length);
        if (kind == WORD_END) {
            r->cursor.at += length;
            plumb_system_skip(r);
            if (text_peek(&r->cursor, 0) != ';')
                return plumb_text_expected(&r->cursor, "';' after END", r->error);
            r->cursor.at++;
            return PLUMB_OK;
        }
        if (kind == WORD_INPUT || declaration_follows(r))
            return PLUMB_OK;
        plumb_status status = read_setting(b);
        if (status != PLUMB_OK)
            return status;
    }
}

/* ---- Declarations ------------------------------------------------------------------------------------------------ */

static plumb_status no_memory(const system_reader *r)
{
    return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_MEMORY, r->error, "out of memory");
}

/* Adds a name that is neither an unknown nor a symbol so far. */
static plumb_status add_symbol(bertini_file *b, const char *name, size_t length, word_kind kind)
{
    system_reader *r = &b->parts->reader;
    if (b->names.count == b->room) {
        const int64_t room = 2 * b->room + 16;
        system_symbol *larger = realloc(b->symbols, (size_t)room * sizeof *larger);
        if (larger == NULL)
            return no_memory(r);
        b->symbols = larger;
        b->room = room;
    }
    b->symbols[b->names.count] = (system_symbol){.kind = (int)kind};
    if (plumb_names_add(&b->names, name, length) != PLUMB_OK)
        return no_memory(r);
    r->symbol = b->symbols;
    if (kind != WORD_FUNCTION)
        return PLUMB_OK;
    if (b->functions == b->function_room) {
        const int64_t room = 2 * b->function_room + 16;
        int64_t *larger = realloc(b->function, (size_t)room * sizeof *larger);
        if (larger == NULL)
            return no_memory(r);
        b->function = larger;
        b->function_room = room;
    }
    b->function[b->functions++] = b->names.count - 1;
    return PLUMB_OK;
}

static plumb_status declare(bertini_file *b, word_kind kind)
{
    system_reader *r = &b->parts->reader;
    const char *name;
    size_t length;
    plumb_status status = plumb_system_declared_name(r, &name, &length);
    if (status != PLUMB_OK)
        return status;
    if (plumb_names_find(&r->names, name, length) >= 0 || plumb_names_find(&b->names, name, length) >= 0) {
        r->cursor.at = name;
        return plumb_text_expected(&r->cursor, "a name that was not used before", r->error);
    }
    if (kind == WORD_FUNCTION || kind == WORD_CONSTANT)
        return add_symbol(b, name, length, kind);
    if (kind == WORD_PARAMETER && (status = plumb_system_add_parameter(b->parts, name, length)) != PLUMB_OK)
        return status;
    if (r->names.count >= INT32_MAX || plumb_names_add(&r->names, name, length) != PLUMB_OK)
        return no_memory(r);
    return PLUMB_OK;
}

static plumb_status read_declaration(bertini_file *b, word_kind kind, size_t length)
{
    static const char *const refused[] = {
        [WORD_PATH] = "a system: plumb reads no homotopies of the user here",
        [WORD_RANDOM] = "a system without random numbers: declare them as constants and give them values",
        [WORD_SUBFUNCTION] = "a system without functions that are compiled elsewhere",
    };
    system_reader *r = &b->parts->reader;
    if (kind > WORD_PARAMETER)
        return plumb_text_expected(&r->cursor, refused[kind], r->error);
    if (kind == WORD_HOMOGENEOUS && !b->homogeneous_noted) {
        b->homogeneous_noted = true;
        plumb_notes_add(&b->parts->notes,
                        "line %lld: unknowns of a hom_variable_group are read as others: set one of each group to 1 to "
                        "find isolated solutions",
                        (long long)plumb_text_line(&r->cursor, r->cursor.at));
    }
    r->cursor.at += length;
    for (;;) {
        plumb_status status = declare(b, kind);
        if (status != PLUMB_OK)
            return status;
        plumb_system_skip(r);
        const int byte = text_peek(&r->cursor, 0);
        if (byte != ',' && byte != ';')
            return plumb_text_expected(&r->cursor, "',' or ';' after a name", r->error);
        r->cursor.at++;
        if (byte == ';')
            return PLUMB_OK;
    }
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* Does the word occur before the next ';'? */
static bool mentions(const system_reader *r, const char *word)
{
    system_reader ahead = *r;
    while (ahead.cursor.at < ahead.cursor.end && *ahead.cursor.at != ';') {
        const size_t length = plumb_system_word(&ahead.cursor);
        if (length == strlen(word) && memcmp(ahead.cursor.at, word, length) == 0)
            return true;
        ahead.cursor.at += length > 0 ? length : 1;
        plumb_system_skip(&ahead); /* comments may contain anything */
    }
    return false;
}

/* Defines Pi where it is needed, unless it is declared as something else. */
static plumb_status define_pi(bertini_file *b, const char *name)
{
    system_reader *r = &b->parts->reader, digits = *r;
    const int64_t symbol = b->names.count;
    if (!mentions(r, name) || plumb_names_find(&b->names, name, strlen(name)) >= 0 ||
        plumb_names_find(&r->names, name, strlen(name)) >= 0)
        return PLUMB_OK;
    plumb_status status = add_symbol(b, name, strlen(name), WORD_CONSTANT);
    if (status != PLUMB_OK)
        return status;
    digits.cursor = (text_cursor){.begin = pi_digits, .at = pi_digits, .end = pi_digits + sizeof pi_digits - 1};
    status = plumb_system_expression(&digits, &b->symbols[symbol].value);
    b->symbols[symbol].defined = status == PLUMB_OK;
    plumb_notes_add(&b->parts->notes, "line %lld: %s is taken with 100 digits",
                    (long long)plumb_text_line(&r->cursor, r->cursor.at), name);
    return status;
}

static bool is_constant(const polynomial *p)
{
    return p->count == 0 || (p->count == 1 && p->terms[0].degree == 0);
}

static plumb_status read_value(bertini_file *b, int64_t symbol)
{
    system_reader *r = &b->parts->reader;
    polynomial value = {.terms = NULL};
    plumb_system_skip(r);
    const char *start = r->cursor.at;
    plumb_status status = define_pi(b, "Pi");
    if (status == PLUMB_OK)
        status = define_pi(b, "pi");
    if (status == PLUMB_OK)
        status = plumb_system_expression(r, &value);
    if (status == PLUMB_OK && text_peek(&r->cursor, 0) != ';')
        status = plumb_system_expected_operator(r, false, "';'");
    else if (status == PLUMB_OK && b->symbols[symbol].kind == WORD_CONSTANT && !is_constant(&value))
        status = plumb_text_error_at(&r->cursor, start, PLUMB_ERR_PARSE, r->error,
                                     "found unknowns in the value of a constant, expected a number");
    if (status != PLUMB_OK) {
        plumb_poly_clear(&value);
        return status;
    }
    r->cursor.at++;
    b->symbols[symbol].value = value;
    b->symbols[symbol].defined = true;
    return PLUMB_OK;
}

static plumb_status read_definition(bertini_file *b)
{
    system_reader *r = &b->parts->reader;
    const text_cursor start = r->cursor;
    const char *name;
    size_t length;
    if (plumb_system_word(&r->cursor) == 0)
        return plumb_text_expected(&r->cursor, "a declaration, a definition or END", r->error);
    plumb_status status = plumb_system_declared_name(r, &name, &length);
    if (status != PLUMB_OK)
        return status;
    plumb_system_skip(r);
    if (text_peek(&r->cursor, 0) != '=')
        return plumb_text_expected(&r->cursor, "'=' and a value", r->error);
    r->cursor.at++;
    if (plumb_names_find(&r->names, name, length) >= 0)
        return plumb_text_expected(&start, "the name of a function, constant or subfunction, not of an unknown",
                                   r->error);
    int64_t symbol = plumb_names_find(&b->names, name, length);
    if (symbol >= 0 && b->symbols[symbol].defined)
        return plumb_text_expected(&start, "each name to be defined once", r->error);
    if (symbol < 0) {
        symbol = b->names.count;
        status = add_symbol(b, name, length, WORD_SUBFUNCTION);
    }
    return status == PLUMB_OK ? read_value(b, symbol) : status;
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static plumb_status read_statements(bertini_file *b)
{
    system_reader *r = &b->parts->reader;
    for (;;) {
        size_t length;
        plumb_system_skip(r);
        if (r->cursor.at == r->cursor.end)
            return PLUMB_OK;
        const word_kind kind = word_at(&r->cursor, &length);
        if (kind == WORD_END)
            return PLUMB_OK; /* what follows is not read */
        plumb_status status = declaration_follows(r) ? read_declaration(b, kind, length) : read_definition(b);
        if (status != PLUMB_OK)
            return status;
    }
}

/* The values of the functions become the equations. */
static plumb_status collect(bertini_file *b)
{
    const system_reader *r = &b->parts->reader;
    char word[TEXT_SHORT];
    if (b->functions == 0 || r->names.count == b->parts->parameters.count)
        return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                                   "found no %s, expected at least one", b->functions == 0 ? "function" : "unknown");
    for (int64_t i = 0; i < b->functions; i++) {
        system_symbol *symbol = &b->symbols[b->function[i]];
        const char *name = b->names.name[b->function[i]];
        if (!symbol->defined)
            return plumb_text_error_at(&r->cursor, r->cursor.at, PLUMB_ERR_PARSE, r->error,
                                       "found no definition of the function '%s', expected one",
                                       plumb_text_shorten(name, name + strlen(name), word));
        polynomial *p = plumb_system_add(b->parts);
        if (p == NULL)
            return PLUMB_ERR_MEMORY;
        *p = symbol->value;
        symbol->value = (polynomial){.terms = NULL};
    }
    return PLUMB_OK;
}

plumb_status plumb_bertini_read(system_parts *s)
{
    bertini_file b = {.parts = s};
    system_reader *r = &s->reader;
    size_t length;
    plumb_status status = PLUMB_OK;
    r->undeclared = "a name that was declared or defined before";
    r->symbols = &b.names;
    if (word_at(&r->cursor, &length) == WORD_CONFIG) {
        r->cursor.at += length;
        status = read_settings(&b);
        plumb_system_skip(r);
    }
    if (status == PLUMB_OK && word_at(&r->cursor, &length) == WORD_INPUT) {
        r->cursor.at += length;
        skip_semicolon(r);
    }
    if (status == PLUMB_OK)
        status = read_statements(&b);
    if (status == PLUMB_OK)
        status = collect(&b);
    for (int64_t i = 0; i < b.names.count; i++)
        plumb_poly_clear(&b.symbols[i].value);
    free(b.symbols);
    free(b.function);
    plumb_names_clear(&b.names);
    r->symbols = NULL;
    return status;
}
