/* sink.c - buffered output of matrices, and the only place where writing can fail. */
#include <errno.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "text/matrix/parts.h"

/* Writes the buffer; after a failure nothing more is written. */
static void drain(matrix_sink *sink)
{
    errno = 0;
    if (sink->failed == 0 && fwrite(sink->buffer, 1, sink->used, sink->out) != sink->used)
        sink->failed = errno != 0 ? errno : -1;
    sink->used = 0;
}

void plumb_sink_put(matrix_sink *sink, const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    while (length > 0) {
        size_t room = sizeof sink->buffer - sink->used, count = length < room ? length : room;
        memcpy(sink->buffer + sink->used, from, count);
        sink->used += count;
        from += count;
        length -= count;
        if (sink->used == sizeof sink->buffer)
            drain(sink);
    }
}

plumb_status plumb_sink_finish(matrix_sink *sink, char *message, size_t size)
{
    drain(sink);
    errno = 0;
    if (sink->failed == 0 && fflush(sink->out) != 0)
        sink->failed = errno != 0 ? errno : -1;
    if (sink->failed == 0)
        return PLUMB_OK;
    char reason[128];
    if (sink->failed < 0 || strerror_r(sink->failed, reason, sizeof reason) != 0)
        return plumb_say(PLUMB_ERR_IO, message, size, "could not write the matrix");
    return plumb_say(PLUMB_ERR_IO, message, size, "could not write the matrix: %s", reason);
}

plumb_status plumb_sink_check(FILE *out, const plumb_view *view, char *message, size_t size)
{
    if (out == NULL || view == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "the file or the matrix to write is NULL");
    plumb_status status = plumb_view_check(view, "the matrix to write", message, size);
    if (status != PLUMB_OK)
        return status;
    if (view_is_empty(view) || view->batch != 1 || view->where != PLUMB_HOST)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                         "found %lld x %lld, batch %lld%s, expected one matrix that is not empty, on the host",
                         (long long)view->rows, (long long)view->cols, (long long)view->batch,
                         view->where == PLUMB_HOST ? "" : ", on the device");
    return PLUMB_OK;
}
