// lsq_double.cpp - the template of lsq_mgs.h in scalar doubles: the reference for dd and qd of the
// libqd peer in the overhead factors (d : complex d : complex dd : complex qd).
#include "lsq_mgs.h"

void solvers_double(lsq_solvers &solvers)
{
    add_mgs_solvers<double>(solvers, "double", "d", "modified Gram-Schmidt in scalar C++ doubles");
}
