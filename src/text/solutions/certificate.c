/* certificate.c - see certificate.h. */
#include "text/solutions/certificate.h"

/* true, false, or null for what is not known. */
static void write_verdict(json_writer *w, const char *key, int32_t verdict)
{
    if (verdict == 0)
        json_string(w, key, NULL);
    else
        json_bool(w, key, verdict > 0);
}

static void write_box(json_writer *w, const plumb_certificates *c, int64_t point)
{
    json_open_array(w, "centre");
    for (int64_t i = 0; i < c->unknowns; i++) {
        json_open_array(w, NULL);
        json_string(w, NULL, certificate_number(c, point, i)[CERTIFICATE_RE]);
        json_string(w, NULL, certificate_number(c, point, i)[CERTIFICATE_IM]);
        json_close_array(w);
    }
    json_close_array(w);
    json_open_array(w, "radius");
    for (int64_t i = 0; i < c->unknowns; i++)
        json_string(w, NULL, certificate_number(c, point, i)[CERTIFICATE_RADIUS]);
    json_close_array(w);
}

void plumb_certificate_json(json_writer *w, const char *key, const plumb_certificates *c, int64_t point)
{
    const plumb_certificate *r = &c->record[point];
    json_open_object(w, key);
    json_string(w, "verdict", plumb_certify_name(r->code));
    if (certificate_has_box(r)) {
        write_verdict(w, "real", r->real);
        write_verdict(w, "positive", r->positive);
        write_verdict(w, "distinct", r->distinct);
        if (r->same_as >= 0)
            json_int(w, "same_as", r->same_as + 1);
        else
            json_string(w, "same_as", NULL);
        json_int(w, "bits", r->bits);
        json_double(w, "moved", r->moved);
        write_box(w, c, point);
    }
    json_close_object(w);
}

void plumb_certificate_square_json(json_writer *w, const char *key, const plumb_certificates *c)
{
    if (!c->square) {
        json_string(w, key, NULL);
        return;
    }
    json_open_array(w, key);
    for (int64_t i = 0; i < c->unknowns; i++) {
        json_open_array(w, NULL);
        for (int64_t k = 0; k < c->equations; k++)
            json_int(w, NULL, c->square[i * c->equations + k]);
        json_close_array(w);
    }
    json_close_array(w);
}
