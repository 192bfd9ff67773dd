/* components.h - the irreducible components of a solution set as plain data: their witness sets, and the isolated solutions. */
#ifndef PLUMB_MODEL_COMPONENTS_H
#define PLUMB_MODEL_COMPONENTS_H

#include "model/system/system.h"

typedef struct set_component {
    plumb_component info;
    plumb_solutions *points; /* its witness points, as many as its degree, in quad doubles */
} set_component;

typedef struct set_dimension {
    plumb_component_dimension info;
    plumb_system *slice; /* as many linear equations as the dimension; NULL in dimension 0 */
} set_dimension;

/* Dimensions descend, and so do those of components; within a dimension degrees ascend, then multiplicities. */
struct plumb_components {
    plumb_system *system;
    uint64_t seed;
    int64_t least; /* the lowest dimension that was asked for */
    int64_t count, dimensions;
    set_component *list;
    set_dimension *dimension;
    plumb_solutions *isolated; /* the isolated solutions, in quad doubles; NULL: dimension 0 was not looked at */
};

/* Without components. The system is copied. */
PLUMB_USE_RESULT plumb_status plumb_components_make(const plumb_system *system, uint64_t seed, int64_t least,
                                                    plumb_components **components);

/* Append a component or a dimension, which take over the points and the slice, also after a failure. */
PLUMB_USE_RESULT plumb_status plumb_components_add(plumb_components *components, const plumb_component *info,
                                                   plumb_solutions *points);
PLUMB_USE_RESULT plumb_status plumb_components_add_dimension(plumb_components *components,
                                                             const plumb_component_dimension *info,
                                                             plumb_system *slice);

/* Puts them into their order. */
void plumb_components_sort(plumb_components *components);

#endif
