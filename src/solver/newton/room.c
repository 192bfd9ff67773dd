/* room.c - see newton_room.h. */
#include "solver/newton/room.h"

#include <stdlib.h>

#include "base/message.h"

/* Streams whose memory is kept: those of a program come and go. */
enum { MOST_ROOMS = 16 };

struct newton_room {
    struct newton_room *next;
    plumb_stream stream;
    int32_t where;
    int64_t doubles;
    void *memory;
};

static void release(plumb_context *context, struct newton_room *room)
{
    machine *m = room->where == PLUMB_DEVICE ? &context->gpu : &context->cpu;
    if (room->memory)
        m->ops->release(m, room->memory); /* of a GPU: after whatever is still at work with it */
    room->memory = NULL;
    room->doubles = 0;
}

/* The room of a stream to the front, made if need be: in place of the one not used for longest where there are too many. */
static struct newton_room *room_of(plumb_context *context, int32_t where, plumb_stream stream)
{
    struct newton_room **link = &context->newton_rooms;
    int count = 0;
    while (*link && ((*link)->stream != stream || (*link)->where != where)) {
        if (++count == MOST_ROOMS && !(*link)->next)
            break;
        link = &(*link)->next;
    }
    struct newton_room *room = *link;
    if (room) {
        *link = room->next;
        if (room->stream != stream || room->where != where)
            release(context, room);
    } else {
        room = calloc(1, sizeof *room);
        if (!room)
            return NULL;
    }
    room->stream = stream;
    room->where = where;
    room->next = context->newton_rooms;
    context->newton_rooms = room;
    return room;
}

plumb_status newton_room(plumb_context *context, int32_t where, plumb_stream stream, int64_t doubles, double **memory)
{
    machine *m;
    plumb_status status = plumb_context_machine(context, where, &m);
    if (status != PLUMB_OK)
        return status;
    struct newton_room *room = room_of(context, where, where == PLUMB_DEVICE ? stream : NULL);
    if (!room)
        return plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory");
    if (doubles > room->doubles) {
        release(context, room);
        status = m->ops->alloc(m, (size_t)doubles * sizeof(double), &room->memory);
        if (status != PLUMB_OK)
            return status;
        room->doubles = doubles;
    }
    *memory = room->memory;
    return PLUMB_OK;
}

void newton_rooms_destroy(plumb_context *context)
{
    for (struct newton_room *room = context->newton_rooms, *next; room; room = next) {
        next = room->next;
        release(context, room);
        free(room);
    }
    context->newton_rooms = NULL;
}
