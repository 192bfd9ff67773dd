/* fiber.h - a fiber: a flow of control with its own stack that runs when it is resumed and stops when it yields.
 *
 * A switch takes a few stores and loads and no system call. Stacks come from a pool that only grows; below each stack
 * is a guard page. */
#ifndef PLUMB_EMULATOR_FIBER_H
#define PLUMB_EMULATOR_FIBER_H

#include <stddef.h>

typedef struct fiber_stack fiber_stack;

typedef struct fiber {
    void *top;          /* where its registers are saved while it does not run */
    fiber_stack *stack; /* NULL: not begun, or ended */
    void *fake_stack;   /* of the address sanitizer */
} fiber;

/* Makes the fiber ready to begin entry(argument), which must begin with fiber_entered and end with fiber_end; 0 without memory. */
int fiber_begin(fiber *f, void (*entry)(void *), void *argument);
void fiber_resume(fiber *f); /* from outside of fibers */
void fiber_entered(fiber *f);
void fiber_yield(fiber *f); /* from the running fiber: returns to the context that resumed it */
void fiber_end(fiber *f);   /* likewise, for the last time; the stack is then free for another fiber */
void fiber_free(fiber *f);  /* after fiber_end */

#endif
