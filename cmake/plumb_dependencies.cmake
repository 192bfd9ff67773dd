# plumb_dependencies.cmake - the dependencies of the library: libm, MPFR, GMP, POSIX threads and dlopen.

function(plumb_find_library name header library package)
    find_path(${name}_INCLUDE_DIR ${header})
    find_library(${name}_LIBRARY ${library})
    mark_as_advanced(${name}_INCLUDE_DIR ${name}_LIBRARY)
    if(NOT ${name}_INCLUDE_DIR OR NOT ${name}_LIBRARY)
        string(TOLOWER ${name} lower)
        message(FATAL_ERROR "${name} was not found. Install ${package} (Debian, Ubuntu), ${lower}-devel (Fedora) or ${lower} (conda); if it is "
            "in a folder of your own, say so: export CMAKE_PREFIX_PATH=$HOME/opt, or -DCMAKE_PREFIX_PATH=$HOME/opt")
    endif()
    if(NOT TARGET ${name}::${name})
        add_library(${name}::${name} INTERFACE IMPORTED GLOBAL)
        target_include_directories(${name}::${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
        target_link_libraries(${name}::${name} INTERFACE ${${name}_LIBRARY})
    endif()
endfunction()

plumb_find_library(GMP gmp.h gmp libgmp-dev)
plumb_find_library(MPFR mpfr.h mpfr libmpfr-dev)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

add_library(plumb_needs INTERFACE)
target_link_libraries(plumb_needs INTERFACE MPFR::MPFR GMP::GMP Threads::Threads m ${CMAKE_DL_LIBS})
target_compile_options(plumb_needs INTERFACE $<$<COMPILE_LANGUAGE:C>:-fopenmp-simd>) # only its "simd", no run-time library
