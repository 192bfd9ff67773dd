/* certificate.h - certificates as JSON. docs/certification.md describes them. */
#ifndef PLUMB_TEXT_SOLUTIONS_CERTIFICATE_H
#define PLUMB_TEXT_SOLUTIONS_CERTIFICATE_H

#include "model/certificates.h"
#include "text/json/json.h"

/* Writes the certificate of a point as an object. */
void plumb_certificate_json(json_writer *w, const char *key, const plumb_certificates *c, int64_t point);

/* Writes the combinations of equations as a list of rows; null if the system is square. */
void plumb_certificate_square_json(json_writer *w, const char *key, const plumb_certificates *c);

#endif
