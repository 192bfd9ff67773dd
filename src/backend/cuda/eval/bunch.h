/* bunch.h - the value and the derivatives of a monomial in the registers of one thread: the tree of eval_part.c, unrolled. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_BUNCH_H
#define PLUMB_BACKEND_CUDA_EVAL_BUNCH_H

/* K factors; left and right: the children of the node that splits at that place. PLACE: where numbers are (eval_many.cu). */
template <int K, class PLACE> struct eval_bunch {
    const PLACE *at;
    const int32_t *lower; /* slots of what derivatives by raised factors are multiplied by */
    int to, raised, kept;
    num factor[K], left[K], right[K];

    template <int FIRST, int LAST> __device__ __forceinline__ num up(void)
    {
        if constexpr (LAST - FIRST == 1) {
            return factor[FIRST];
        } else {
            constexpr int MIDDLE = (FIRST + LAST + 1) / 2;
            left[MIDDLE] = up<FIRST, MIDDLE>();
            right[MIDDLE] = up<MIDDLE, LAST>();
            return num_product(left[MIDDLE], right[MIDDLE]);
        }
    }

    template <int FIRST, int LAST, bool OTHERS> __device__ __forceinline__ void down_child(num sibling, num others)
    {
        num rest = sibling;
        if (LAST - FIRST == 1 && FIRST < raised)
            rest = num_product(sibling, at->get(lower[FIRST]));
        if (OTHERS)
            rest = num_product(others, rest);
        if constexpr (LAST - FIRST > 1)
            down<FIRST, LAST, true>(rest);
        else if (FIRST < kept)
            at->put(to + 1 + FIRST, rest);
    }

    /* others: the product of all factors but FIRST .. LAST - 1, if there are OTHERS. */
    template <int FIRST, int LAST, bool OTHERS> __device__ __forceinline__ void down(num others)
    {
        constexpr int MIDDLE = (FIRST + LAST + 1) / 2;
        down_child<FIRST, MIDDLE, OTHERS>(right[MIDDLE], others);
        down_child<MIDDLE, LAST, OTHERS>(left[MIDDLE], others);
    }

    /* words: as eval_gpu.h says. */
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
        const num value = up<0, K>();
        at->put(to, value);
        if (kept > 0)
            down<0, K, false>(value); /* which nobody looks at */
    }
};

#endif
