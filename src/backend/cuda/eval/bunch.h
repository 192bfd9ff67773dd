/* bunch.h - computes the value and the derivatives of a monomial in the registers of one thread, by the unrolled tree
 * of part.c. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_BUNCH_H
#define PLUMB_BACKEND_CUDA_EVAL_BUNCH_H

/* A monomial of K factors. left and right are the children of the node that splits at that place. PLACE shows where
 * numbers are stored, and how they are multiplied (many.h). */
template <int K, class PLACE> struct eval_bunch {
    typedef typename PLACE::numbers numbers;
    typedef typename PLACE::number number;
    const PLACE *at;
    const int32_t *lower; /* slots of the lower powers by which derivatives of raised factors are multiplied */
    int to, raised, kept;
    number factor[K], left[K], right[K];

    template <int FIRST, int LAST> __device__ __forceinline__ number up(void)
    {
        if constexpr (LAST - FIRST == 1) {
            return factor[FIRST];
        } else {
            constexpr int MIDDLE = (FIRST + LAST + 1) / 2;
            left[MIDDLE] = up<FIRST, MIDDLE>();
            right[MIDDLE] = up<MIDDLE, LAST>();
            return numbers::product(left[MIDDLE], right[MIDDLE]);
        }
    }

    template <int FIRST, int LAST, bool OTHERS>
    __device__ __forceinline__ void down_child(number sibling, number others)
    {
        number rest = sibling;
        if (LAST - FIRST == 1 && FIRST < raised)
            rest = numbers::product(sibling, at->get(lower[FIRST]));
        if (OTHERS)
            rest = numbers::product(others, rest);
        if constexpr (LAST - FIRST > 1)
            down<FIRST, LAST, true>(rest);
        else if (FIRST < kept)
            at->put(to + 1 + FIRST, rest);
    }

    /* others is the product of all factors except FIRST .. LAST - 1, if there are any (OTHERS). */
    template <int FIRST, int LAST, bool OTHERS> __device__ __forceinline__ void down(number others)
    {
        constexpr int MIDDLE = (FIRST + LAST + 1) / 2;
        down_child<FIRST, MIDDLE, OTHERS>(right[MIDDLE], others);
        down_child<MIDDLE, LAST, OTHERS>(left[MIDDLE], others);
    }

    /* The layout of words is described in gpu.h. */
    __device__ __forceinline__ void make(const PLACE *place, const int32_t *words)
    {
        at = place;
        to = words[0];
        raised = words[1] & 0xffff;
        kept = words[1] >> 16;
        lower = words + 2 + K;
        LANE_UNROLL
        for (int j = 0; j < K; j++)
            factor[j] = at->get(words[2 + j]);
        const number value = up<0, K>();
        at->put(to, value);
        if (kept > 0)
            down<0, K, false>(value); /* the argument is not used */
    }
};

#endif
