/* fake_mpi.c - a plugin like that of an MPI library (solver/ranks/mpi.h) for tests of ranks: the operations are those of the test. */
#include "solver/ranks/mpi.h"

#include "plumb.h"

static const mpi_ops *of_test;

PLUMB_API void fake_mpi_set(const mpi_ops *ops);
PLUMB_API const mpi_ops *plumb_mpi(void);

void fake_mpi_set(const mpi_ops *ops)
{
    of_test = ops;
}

const mpi_ops *plumb_mpi(void)
{
    return of_test;
}
