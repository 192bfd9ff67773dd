/* certificates.c - access to certificates. */
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "solver/certify/certify.h"
#include "text/file.h"
#include "text/number/number.h"
#include "text/solutions/certificate.h"

const char *plumb_certify_text(plumb_certify_code code)
{
    static const char *const texts[] = {
#define CERTIFY_TEXT(code, text) text,
        PLUMB_CERTIFY_LIST(CERTIFY_TEXT)
#undef CERTIFY_TEXT
    };
    return (unsigned)code < PLUMB_CERTIFY_CODES ? texts[code] : "unknown code";
}

void plumb_certificates_destroy(plumb_certificates *c)
{
    if (!c)
        return;
    for (int64_t k = 0; c->number && k < c->count * c->unknowns * CERTIFICATE_NUMBERS; k++)
        free(c->number[k]);
    free(c->number);
    free(c->record);
    free(c->square);
    free(c);
}

int64_t plumb_certificates_count(const plumb_certificates *certificates)
{
    return certificates ? certificates->count : 0;
}

static plumb_status check(const plumb_certificates *c, int64_t index)
{
    if (!c)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "certificates is NULL");
    if (index < 0 || index >= c->count)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "index: found %lld, expected 0 to %lld", (long long)index,
                         (long long)c->count - 1);
    return PLUMB_OK;
}

plumb_status plumb_certificates_get(const plumb_certificates *certificates, int64_t index,
                                    plumb_certificate *certificate)
{
    plumb_call_begin();
    plumb_status status =
        certificate ? check(certificates, index) : plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "certificate is NULL");
    if (status == PLUMB_OK)
        *certificate = certificates->record[index];
    return plumb_call_end(status);
}

/* ---- Rounded boxes ------------------------------------------------------------------------------------------------ */

/* A double that is at least x. */
static double up(mpq_srcptr x)
{
    double d = mpq_get_d(x); /* rounds towards zero */
    mpq_t back;
    if (!isfinite(d))
        return (double)INFINITY;
    mpq_init(back);
    mpq_set_d(back, d);
    if (mpq_cmp(back, x) < 0)
        d = nextafter(d, (double)INFINITY);
    mpq_clear(back);
    return d;
}

/* Rounds one part of the centre to limbs; *gap = |exact - rounded| if that is larger. PLUMB_ERR_RANGE for a number beyond the
 * range of a double. */
static plumb_status round_part(const char *text, int32_t prec, double *limbs, mpq_ptr gap)
{
    plumb_text_error error;
    mpq_t exact, limb, zero;
    mpq_init(exact);
    mpq_init(limb);
    mpq_init(zero);
    plumb_status status = plumb_complex_exact(text, strlen(text), exact, zero, &error);
    if (status == PLUMB_OK)
        status = plumb_number_read(text, strlen(text), prec, limbs, NULL, NULL);
    for (int32_t k = 0; status == PLUMB_OK && k < prec; k++) {
        mpq_set_d(limb, limbs[k]);
        mpq_sub(exact, exact, limb);
    }
    mpq_abs(exact, exact);
    if (mpq_cmp(exact, gap) > 0)
        mpq_set(gap, exact);
    mpq_clear(exact);
    mpq_clear(limb);
    mpq_clear(zero);
    return status;
}

static plumb_status round_unknown(const plumb_certificates *c, int64_t index, int64_t i, plumb_view *centre,
                                  double *radius)
{
    char **number = certificate_number(c, index, i);
    double limbs[PLUMB_QD];
    plumb_text_error error;
    mpq_t gap, r, zero;
    mpq_init(gap);
    mpq_init(r);
    mpq_init(zero);
    plumb_status status = PLUMB_OK;
    for (int part = 0; part < 2 && status == PLUMB_OK; part++) {
        status = round_part(number[part], centre->prec, limbs, gap);
        for (int32_t k = 0; status == PLUMB_OK && k < centre->prec; k++)
            centre->data[(part * centre->prec + k) * centre->plane + i] = limbs[k];
    }
    if (status == PLUMB_OK)
        status = plumb_complex_exact(number[CERTIFICATE_RADIUS], strlen(number[CERTIFICATE_RADIUS]), r, zero, &error);
    if (status == PLUMB_OK && radius) {
        mpq_add(r, r, gap);
        *radius = up(r);
    }
    mpq_clear(gap);
    mpq_clear(r);
    mpq_clear(zero);
    return status;
}

static plumb_status get_box(const plumb_certificates *c, int64_t index, plumb_view *centre, double *radii)
{
    plumb_status status = check(c, index);
    if (status != PLUMB_OK)
        return status;
    if (!centre)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "centre is NULL");
    if ((status = plumb_view_check(centre, "centre", NULL, 0)) != PLUMB_OK)
        return status;
    if (centre->where != PLUMB_HOST || centre->parts != PLUMB_COMPLEX || centre->rows != c->unknowns ||
        centre->cols != 1 || centre->batch != 1)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0,
                         "centre: expected a complex array of %lld x 1 on the host, batch 1", (long long)c->unknowns);
    if (!certificate_has_box(&c->record[index]))
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "point %lld has no box: %s", (long long)index,
                         plumb_certify_text((plumb_certify_code)c->record[index].code));
    for (int64_t i = 0; i < c->unknowns && status == PLUMB_OK; i++)
        status = round_unknown(c, index, i, centre, radii ? radii + i : NULL);
    return status;
}

plumb_status plumb_certificates_get_box(const plumb_certificates *certificates, int64_t index, plumb_view *centre,
                                        double *radii)
{
    plumb_call_begin();
    return plumb_call_end(get_box(certificates, index, centre, radii));
}

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

typedef struct one_certificate {
    const plumb_certificates *certificates;
    int64_t index;
} one_certificate;

static plumb_status write_one(FILE *out, const void *what)
{
    const one_certificate *one = what;
    json_writer w = json_begin_line(out);
    plumb_certificate_json(&w, NULL, one->certificates, one->index);
    return fflush(out) == 0 && !ferror(out) ? PLUMB_OK : PLUMB_ERR_IO;
}

plumb_status plumb_certificates_write(const plumb_certificates *certificates, int64_t index, char *buffer, size_t size,
                                      size_t *needed)
{
    const one_certificate one = {certificates, index};
    plumb_call_begin();
    plumb_status status = check(certificates, index);
    if (status == PLUMB_OK)
        status = plumb_file_to_buffer(write_one, &one, 1, buffer, size, needed);
    return plumb_call_end(status);
}
