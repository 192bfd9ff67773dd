/* permutations.c - lists of permutations, and what they generate; see permutations.h. */
#include "solver/monodromy/permutations.h"

#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/size.h"

#define SAY(status, ...) plumb_say(status, NULL, 0, __VA_ARGS__)

static plumb_status check(int64_t points, int64_t count, const int64_t *images)
{
    int64_t numbers;
    if (points < 1 || points > INT32_MAX || count < 0 || count > INT32_MAX || (count > 0 && !images))
        return SAY(PLUMB_ERR_ARGUMENT, "found %lld permutations of %lld points, expected at least one point",
                   (long long)count, (long long)points);
    if (!size_mul(points, count, &numbers) || !size_mul(numbers, (int64_t)sizeof(int32_t), &numbers))
        return PLUMB_ERR_SIZE;
    unsigned char *seen = malloc((size_t)points);
    plumb_status status = seen ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        memset(seen, 0, (size_t)points);
        for (int64_t i = 0; i < points && status == PLUMB_OK; i++) {
            const int64_t to = images[k * points + i];
            if (to < 0 || to >= points || seen[to]++)
                status = SAY(PLUMB_ERR_ARGUMENT,
                             "permutation %lld: found the image %lld of %lld, expected each of 0 to %lld once",
                             (long long)k, (long long)to, (long long)i, (long long)(points - 1));
        }
    }
    free(seen);
    return status;
}

static plumb_status create(int64_t points, int64_t count, const int64_t *images, plumb_permutations **permutations)
{
    if (!permutations)
        return SAY(PLUMB_ERR_ARGUMENT, "permutations is NULL");
    *permutations = NULL;
    plumb_status status = check(points, count, images);
    if (status != PLUMB_OK)
        return status;
    plumb_permutations *p = calloc(1, sizeof *p);
    if (p)
        p->image = malloc((size_t)(points * count + 1) * sizeof *p->image);
    if (!p || !p->image) {
        free(p);
        return PLUMB_ERR_MEMORY;
    }
    p->points = (int32_t)points;
    p->count = (int32_t)count;
    for (int64_t i = 0; i < points * count; i++)
        p->image[i] = (int32_t)images[i];
    *permutations = p;
    return PLUMB_OK;
}

plumb_status plumb_permutations_create(int64_t points, int64_t count, const int64_t *images,
                                       plumb_permutations **permutations)
{
    plumb_call_begin();
    return plumb_call_end(create(points, count, images, permutations));
}

void plumb_permutations_destroy(plumb_permutations *permutations)
{
    if (permutations)
        free(permutations->image);
    free(permutations);
}

int64_t plumb_permutations_points(const plumb_permutations *permutations)
{
    return permutations ? permutations->points : 0;
}

int64_t plumb_permutations_count(const plumb_permutations *permutations)
{
    return permutations ? permutations->count : 0;
}

plumb_status plumb_permutations_get(const plumb_permutations *permutations, int64_t k, int64_t *images)
{
    plumb_call_begin();
    if (!permutations || !images)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", permutations ? "images" : "permutations");
    if (k < 0 || k >= permutations->count)
        return SAY(PLUMB_ERR_ARGUMENT, "there is no permutation %lld, expected a number below %lld", (long long)k,
                   (long long)permutations->count);
    for (int32_t i = 0; i < permutations->points; i++)
        images[i] = permutations->image[k * permutations->points + i];
    return plumb_call_end(PLUMB_OK);
}

plumb_status plumb_permutations_order(const plumb_permutations *permutations, char *buffer, size_t size, size_t *needed,
                                      int32_t *proven)
{
    order_state state;
    mpz_t order;
    plumb_call_begin();
    if (!permutations || (!buffer && size > 0))
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", permutations ? "buffer" : "permutations");
    mpz_init(order);
    plumb_status status = plumb_group_order(permutations, order, &state);
    if (status == PLUMB_OK && state == ORDER_UNKNOWN)
        status =
            SAY(PLUMB_ERR_SIZE, "the order of a group of %d points would take too long", (int)permutations->points);
    if (status == PLUMB_OK) {
        char *text = mpz_get_str(NULL, 10, order);
        const size_t length = strlen(text) + 1;
        if (needed)
            *needed = length;
        if (proven)
            *proven = state == ORDER_EXACT;
        if (length <= size)
            memcpy(buffer, text, length);
        else
            status = SAY(PLUMB_ERR_BUFFER, "the order has %lld characters, and there is room for %lld",
                         (long long)length, (long long)size);
        free(text);
    }
    mpz_clear(order);
    return plumb_call_end(status);
}
