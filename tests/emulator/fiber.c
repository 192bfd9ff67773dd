/* fiber.c - a switch saves the registers that a call preserves on the stack and exchanges the stack pointers. */
#define _GNU_SOURCE
#include "fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

/* Unoptimised or sanitized code keeps every value of a long expression on the stack. */
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
enum { STACK_BYTES = 1 << 20 };
#else
enum { STACK_BYTES = 64 << 10 };
#endif
/* The distances of the tops of stacks are not powers of two; otherwise all of them would share a few lines of the
 * cache. */
enum { COLOURS = 61, COLOUR_BYTES = 192 };

struct fiber_stack {
    fiber_stack *next;
    char *bottom;
    size_t bytes;
};

static fiber_stack *free_stacks;
static void *outside; /* the context that resumed the running fiber */
#ifdef __SANITIZE_ADDRESS__
static void *outside_fake_stack;
static const void *outside_bottom;
static size_t outside_bytes;
#endif

void plumb_emulator_switch(void **save, void *load);
void plumb_emulator_start(void);

#if defined(__aarch64__)
enum { SAVED = 20, ENTRY = 1, ARGUMENT = 0, RETURN = 11 };
__asm__(".text\n.balign 16\n.global plumb_emulator_switch\n.hidden plumb_emulator_switch\n"
        "plumb_emulator_switch:\n"
        "sub sp, sp, #160\n"
        "stp x19, x20, [sp, #0]\nstp x21, x22, [sp, #16]\nstp x23, x24, [sp, #32]\n"
        "stp x25, x26, [sp, #48]\nstp x27, x28, [sp, #64]\nstp x29, x30, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
        "mov x9, sp\nstr x9, [x0]\nmov sp, x1\n"
        "ldp x19, x20, [sp, #0]\nldp x21, x22, [sp, #16]\nldp x23, x24, [sp, #32]\n"
        "ldp x25, x26, [sp, #48]\nldp x27, x28, [sp, #64]\nldp x29, x30, [sp, #80]\n"
        "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\nldp d14, d15, [sp, #144]\n"
        "add sp, sp, #160\nret\n"
        ".global plumb_emulator_start\n.hidden plumb_emulator_start\n"
        "plumb_emulator_start:\n"
        "mov x0, x19\nblr x20\nbrk #1\n");
#elif defined(__x86_64__)
enum { SAVED = 7, ENTRY = 1, ARGUMENT = 0, RETURN = 6 }; /* an odd number: the stack is aligned once all are popped */
__asm__(".text\n.balign 16\n.global plumb_emulator_switch\n.hidden plumb_emulator_switch\n"
        "plumb_emulator_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r15\npushq %r14\npushq %r13\npushq %r12\n"
        "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
        "popq %r12\npopq %r13\npopq %r14\npopq %r15\npopq %rbx\npopq %rbp\nret\n"
        ".global plumb_emulator_start\n.hidden plumb_emulator_start\n"
        "plumb_emulator_start:\n"
        "movq %r12, %rdi\ncallq *%r13\nud2\n");
#else
#error "the emulated GPU knows how to switch stacks on aarch64 and x86-64"
#endif

static fiber_stack *stack_take(void)
{
    static int made;
    fiber_stack *s = free_stacks;
    if (s) {
        free_stacks = s->next;
        return s;
    }
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    char *memory =
        mmap(NULL, guard + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    s = malloc(sizeof *s);
    if (!s || mprotect(memory, guard, PROT_NONE) != 0) {
        free(s);
        munmap(memory, guard + STACK_BYTES);
        return NULL;
    }
    s->bottom = memory + guard;
    s->bytes = (size_t)(STACK_BYTES - made++ % COLOURS * COLOUR_BYTES);
    return s;
}

int fiber_begin(fiber *f, void (*entry)(void *), void *argument)
{
    f->stack = stack_take();
    if (!f->stack)
        return 0;
    uint64_t *registers = (uint64_t *)(void *)(f->stack->bottom + f->stack->bytes) - SAVED;
    memset(registers, 0, SAVED * sizeof *registers);
    registers[ARGUMENT] = (uint64_t)(uintptr_t)argument;
    registers[ENTRY] = (uint64_t)(uintptr_t)entry;
    registers[RETURN] = (uint64_t)(uintptr_t)plumb_emulator_start;
    f->top = registers;
    f->fake_stack = NULL;
    return 1;
}

void fiber_resume(fiber *f)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&outside_fake_stack, f->stack->bottom, f->stack->bytes);
#endif
    plumb_emulator_switch(&outside, f->top);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(outside_fake_stack, NULL, NULL);
#endif
}

void fiber_yield(fiber *f)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&f->fake_stack, outside_bottom, outside_bytes);
#endif
    plumb_emulator_switch(&f->top, outside);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(f->fake_stack, &outside_bottom, &outside_bytes);
#endif
}

void fiber_entered(fiber *f)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(f->fake_stack, &outside_bottom, &outside_bytes);
#else
    (void)f;
#endif
}

void fiber_end(fiber *f)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(NULL, outside_bottom, outside_bytes);
#endif
    plumb_emulator_switch(&f->top, outside);
}

void fiber_free(fiber *f)
{
    f->stack->next = free_stacks;
    free_stacks = f->stack;
    f->stack = NULL;
}
