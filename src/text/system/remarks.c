/* remarks.c - notes about names of unknowns that may not mean what their author meant: pi and e, which are numbers
 * elsewhere, xy beside x and y, e3 where 2e3 was read as a number, and i beside j, which is the imaginary unit. */
#include <string.h>

#include "text/system/reader.h"

enum { LONGEST = 32, MOST_NAMES = 1000 }; /* of names that are compared with products of other names */

static bool has_name(const system_names *names, const char *name)
{
    return plumb_names_find(names, name, strlen(name)) >= 0;
}

static void remark_numbers(system_parts *s)
{
    static const struct {
        const char *name, *value;
    } numbers[] = {
        {"pi", "3.14159..."}, {"Pi", "3.14159..."}, {"PI", "3.14159..."}, {"e", "2.71828..."}, {"E", "2.71828..."}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (has_name(&s->reader.names, numbers[i].name))
            plumb_notes_add(&s->notes, "%s is an unknown here, not the number %s", numbers[i].name, numbers[i].value);
}

/* Is the name other names one after the other? Then product is that product: x*y. */
static bool is_product(const system_names *names, const char *name, char *product)
{
    const size_t length = strlen(name);
    size_t last[LONGEST + 1] = {0}; /* where the last of the names begins that end at a byte, + 1; 0: none do */
    if (length < 2 || length > LONGEST)
        return false;
    for (size_t end = 1; end <= length; end++)
        for (size_t begin = 0; begin < end && last[end] == 0; begin++)
            if ((begin == 0 || last[begin] != 0) && end - begin < length &&
                plumb_names_find(names, name + begin, end - begin) >= 0)
                last[end] = begin + 1;
    if (last[length] == 0)
        return false;
    bool first[LONGEST + 1] = {false};
    for (size_t end = length; end > 0; end = last[end] - 1)
        first[last[end] - 1] = true;
    for (size_t i = 0; i < length; i++) {
        if (first[i] && i > 0)
            *product++ = '*';
        *product++ = name[i];
    }
    *product = 0;
    return true;
}

static void remark_products(system_parts *s)
{
    const system_names *names = &s->reader.names;
    char product[2 * LONGEST + 1], shown[2 * LONGEST + 1] = "";
    const char *name = NULL;
    int64_t others = 0;
    for (int64_t i = 0; i < names->count && names->count <= MOST_NAMES; i++)
        if (is_product(names, names->name[i], product)) {
            others += name != NULL;
            if (name == NULL) {
                name = names->name[i];
                memcpy(shown, product, sizeof shown);
            }
        }
    if (name != NULL && others == 0)
        plumb_notes_add(&s->notes, "%s is an unknown of its own; the product is written %s", name, shown);
    else if (name != NULL)
        plumb_notes_add(&s->notes,
                        "%s is an unknown of its own, as are %lld other names like it; the product is written %s", name,
                        (long long)others, shown);
}

static void remark_exponents(system_parts *s)
{
    const system_names *endings = &s->reader.decimal_endings;
    for (int64_t i = 0; i < endings->count; i++)
        if (has_name(&s->reader.names, endings->name[i]))
            plumb_notes_add(&s->notes, "2%s is a number here, 2*10^%s, although %s is also an unknown: write 2*%s",
                            endings->name[i], endings->name[i] + 1, endings->name[i], endings->name[i]);
}

static void remark_imaginary(system_parts *s)
{
    static const char *const beside[] = {"j", "k", "J", "K"};
    const system_reader *r = &s->reader;
    if (r->powers_of_i != NULL) {
        plumb_notes_add(&s->notes, "%c is the imaginary unit and not an unknown, also where it has an exponent",
                        *r->powers_of_i);
        return;
    }
    for (size_t i = 0; r->imaginary != NULL && i < sizeof beside / sizeof *beside; i++)
        if (has_name(&r->names, beside[i])) {
            plumb_notes_add(&s->notes, "%c is the imaginary unit and not an unknown like %s", *r->imaginary, beside[i]);
            return;
        }
}

void plumb_system_remark(system_parts *s)
{
    remark_numbers(s);
    remark_imaginary(s);
    remark_exponents(s);
    remark_products(s);
}
