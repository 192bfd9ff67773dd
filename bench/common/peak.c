/* peak.c - how many lane operations per nanosecond this machine can issue, one loop for each kind of instruction.
 *
 * Compiled once for each instruction set with its flags. The chains are independent of one another and numerous enough to
 * cover the latency on every issue port; everything stays in registers. FMA chains run through the addend, because NEON
 * overwrites the addend. Not vectorised by the compiler: the scalar loop must stay scalar. */
#include "bench/common/peak.h"
#include "arith/lane.h"

/* As many chains as keep every port busy in spite of the latency, and as few as fit into the registers. */
#if defined(__AVX512F__)
enum { REGISTER_BYTES = 64 };
#elif defined(__AVX__)
enum { REGISTER_BYTES = 32 };
#else
enum { REGISTER_BYTES = 16 };
#endif
_Static_assert(sizeof(lane) <= REGISTER_BYTES, "the peak loops want a lane of one register: -DLANE_VECTORS=1");

#if defined(__x86_64__) && !defined(__AVX512F__) /* 16 registers */
#define CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
enum { CHAIN_COUNT = 12 };
#else /* 32 */
#define CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
enum { CHAIN_COUNT = 16 };
#endif

#define START(k) lane c##k = lane_load(sink + 3 + (k)*LANE_WIDTH); /* all different: equal chains would be merged */
#define ADD(k) c##k = lane_add(c##k, a);
#define FMA(k) c##k = lane_fma(a, b, c##k);
#define MIX(k) c##k = (k) % 2 ? lane_fma(a, b, c##k) : lane_add(c##k, a);
#define SUM(k) sum = lane_add(sum, c##k);

#define LOOP(name, STEP)                                                                           \
    static void name(int64_t rounds, double *sink)                                                 \
    {                                                                                              \
        lane a = lane_set(sink[0]), b = lane_set(sink[1]);                                         \
        (void)b;                                                                                   \
        CHAINS(START)                                                                              \
        for (int64_t i = 0; i < rounds; i++) {                                                     \
            CHAINS(STEP)                                                                           \
        }                                                                                          \
        lane sum = lane_set(0.0);                                                                  \
        CHAINS(SUM)                                                                                \
        double part[LANE_WIDTH];                                                                   \
        lane_store(part, sum);                                                                     \
        for (int i = 0; i < LANE_WIDTH; i++) /* the compiler would drop lanes that nobody reads */ \
            sink[2] += part[i];                                                                    \
    }

LOOP(loop_add, ADD)
LOOP(loop_fma, FMA)
LOOP(loop_mix, MIX)

#define PASTE(a, b) a##b
#define NAME(isa) PASTE(plumb_peak_, isa)
#define STRING(a) #a
#define TEXT(a) STRING(a)

extern const bench_peak NAME(PLUMB_ISA);
const bench_peak NAME(PLUMB_ISA) = {TEXT(PLUMB_ISA), LANE_WIDTH, CHAIN_COUNT, {loop_add, loop_fma, loop_mix}};
