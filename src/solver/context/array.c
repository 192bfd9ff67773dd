/* array.c - arrays whose memory belongs to the library. */
#include "base/call/message.h"
#include "solver/context/context.h"

plumb_status plumb_array_create(plumb_context *context, int32_t where, int32_t prec, int32_t parts, int64_t rows,
                                int64_t cols, int64_t batch, plumb_view *view)
{
    if (!context)
        return plumb_no_context();
    if (!view)
        return plumb_say(PLUMB_ERR_ARGUMENT, context->message, sizeof context->message, "view: it is NULL");
    int64_t doubles;
    plumb_view made;
    plumb_status status = plumb_view_init(&made, NULL, where, prec, parts, rows, cols, batch, &doubles);
    if (status == PLUMB_ERR_SIZE)
        return plumb_say(status, context->message, sizeof context->message,
                         "an array of %lld x %lld, batch %lld, is too large to be addressed", (long long)rows,
                         (long long)cols, (long long)batch);
    if (status != PLUMB_OK)
        return plumb_say(status, context->message, sizeof context->message,
                         "no array can have precision %d, parts %d, where %d, shape %lld x %lld and batch %lld",
                         (int)prec, (int)parts, (int)where, (long long)rows, (long long)cols, (long long)batch);
    machine *m;
    status = plumb_context_machine(context, where, &m);
    if (status != PLUMB_OK)
        return status;
    if (doubles > 0) { /* an empty array has no memory */
        void *memory = NULL;
        status = m->ops->alloc(m, (size_t)doubles * sizeof(double), &memory);
        if (status != PLUMB_OK)
            return status;
        made.data = memory;
    }
    *view = made;
    return PLUMB_OK;
}

void plumb_array_destroy(plumb_context *context, plumb_view *view)
{
    if (!context || !view || !view->data)
        return;
    machine *m;
    if (plumb_context_machine(context, view->where, &m) == PLUMB_OK)
        m->ops->release(m, view->data);
    view->data = NULL;
}
