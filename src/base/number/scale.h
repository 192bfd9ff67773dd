/* scale.h - multiplication by a power of two whose exponent may exceed that of any double.
 *
 * Such a power is split into three factors on the same side of 1, so that no intermediate product overflows or
 * underflows unless the result does. The factors are made from their bits, because ldexp would take a tenth of the
 * time of a small system. */
#ifndef PLUMB_BASE_NUMBER_SCALE_H
#define PLUMB_BASE_NUMBER_SCALE_H

#include <stdint.h>
#include <string.h>

typedef struct power_of_two {
    double factor[3];
} power_of_two;

static inline double scale_normal_power(int32_t e) /* 2^e for -1022 <= e <= 1023 */
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* True if 2^e is a normal number, so that one factor is enough. */
static inline int scale_is_normal(int32_t e)
{
    return e >= -1022 && e <= 1023;
}

static inline power_of_two scale_power(int32_t e)
{
    if (scale_is_normal(e))
        return (power_of_two){{scale_normal_power(e), 1.0, 1.0}};
    const int32_t most = 3000; /* enough to turn every double into 0 or infinity */
    e = e > most ? most : e < -most ? -most : e;
    int32_t third = e / 3, half = (e - third) / 2;
    return (power_of_two){{scale_normal_power(third), scale_normal_power(half), scale_normal_power(e - third - half)}};
}

static inline double scale_by(double x, const power_of_two *power)
{
    return x * power->factor[0] * power->factor[1] * power->factor[2];
}

#endif
