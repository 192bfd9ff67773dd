# plumb_mpi_plugin.cmake - the plugin libplumb_mpi.so: everything that needs an MPI library. The program loads it for --mpi, so that it
# runs without MPI, too. A plugin belongs to the MPI library it was compiled with; PLUMB_MPI in the environment names another one.
if(NOT PLUMB_MPI)
    message(STATUS "MPI: switched off")
    return()
endif()
find_package(MPI COMPONENTS C QUIET)
if(NOT MPI_C_FOUND)
    message(STATUS "MPI: not found, leaving the plugin out (scripts/install-deps test installs Open MPI)")
    return()
endif()
message(STATUS "MPI: ${MPI_C_LIBRARIES}")
file(GLOB mpi_sources CONFIGURE_DEPENDS solver/ranks/mpi/*.c)
add_library(plumb_mpi MODULE ${mpi_sources})
target_link_libraries(plumb_mpi PRIVATE plumb_flags)
target_include_directories(plumb_mpi SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
target_link_libraries(plumb_mpi PRIVATE ${MPI_C_LIBRARIES})
target_link_options(plumb_mpi PRIVATE ${MPI_C_LINK_FLAGS})
# The loader finds the MPI library of the system, or that of a module; Debian links it from a folder that the loader does not know.
set_target_properties(plumb_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} INSTALL_RPATH_USE_LINK_PATH OFF)
add_dependencies(plumb_app plumb_mpi) # whoever uses the programs of a build finds the plugin there
