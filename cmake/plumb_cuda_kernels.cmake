# plumb_cuda_kernels.cmake - the GPU part of the library: the host files of backend/cuda, and its kernels once for each
# precision and kind; or, without CUDA, the file that reports its absence.
#
# The resources that ptxas reports for each kernel (registers, spills, shared memory) are written to build/cuda/ptxas-<kind>-<precision>.log, for those
# of mgs_small.cu into ptxas-<kind>-<precision>-mgs_small.log and so on, for scripts/check-kernel-resources.
set(cuda_dir ${CMAKE_CURRENT_SOURCE_DIR}/backend/cuda)
if(NOT PLUMB_HAVE_CUDA)
    target_sources(plumb_objects PRIVATE ${cuda_dir}/runtime/none.c)
    return()
endif()

file(GLOB_RECURSE cuda_host_sources CONFIGURE_DEPENDS ${cuda_dir}/*.c)
list(FILTER cuda_host_sources EXCLUDE REGEX "runtime/none\\.c$")
target_sources(plumb_objects PRIVATE ${cuda_host_sources})
if(PLUMB_CUDA_EMULATED)
    target_sources(plumb_objects PRIVATE ${plumb_emulator_sources})
    target_include_directories(plumb_objects PRIVATE ${plumb_emulator_dir})
else()
    target_include_directories(plumb_objects SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
endif()

file(GLOB_RECURSE kernel_sources CONFIGURE_DEPENDS ${cuda_dir}/*.cu)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cuda)
foreach(prec ${PLUMB_PRECISIONS})
    foreach(kind real cplx)
        foreach(source ${kernel_sources})
            get_filename_component(file ${source} NAME_WE)
            # Paths are complex, and the same kernels move them in every precision.
            if((file MATCHES "^track" AND kind STREQUAL "real") OR (file STREQUAL "track_move" AND NOT prec STREQUAL "d"))
                continue()
            endif()
            # Products of bytes know neither precision nor kind, and in d there are no residues.
            if((file STREQUAL "gemm_multiply" AND NOT (prec STREQUAL "d" AND kind STREQUAL "real")) OR
               (file STREQUAL "gemm_scale" AND prec STREQUAL "d"))
                continue()
            endif()
            # Refinement of large problems factors in d and in dd.
            if((file STREQUAL "gram_factor" AND NOT prec STREQUAL "dd") OR (file STREQUAL "gram_tiles" AND NOT prec STREQUAL "d") OR
               (file STREQUAL "gram_scale" AND prec STREQUAL "qd"))
                continue()
            endif()
            # There are not enough registers for the numbers of a thread.
            if(file MATCHES "^(eval_many|track_follow)$" AND prec STREQUAL "qd")
                continue()
            endif()
            set(kernels plumb_cuda_${file}_${kind}_${prec})
            string(REPLACE "-kernels" "" name "${kind}-${prec}-${file}")
            set(log ${PROJECT_BINARY_DIR}/cuda/ptxas-${name}.log)
            set_property(GLOBAL APPEND PROPERTY PLUMB_PTXAS_LOGS ${log})
            add_library(${kernels} OBJECT ${source})
            target_include_directories(${kernels} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
            target_compile_definitions(${kernels} PRIVATE PLUMB_PREC=${prec} PLUMB_LIMBS=${PLUMB_LIMBS_${prec}}
                PLUMB_PARTS=$<IF:$<STREQUAL:${kind},real>,1,2>)
            list(APPEND plumb_parts $<TARGET_OBJECTS:${kernels}>)
            if(PLUMB_CUDA_EMULATED)
                plumb_emulate(${kernels})
                continue()
            endif()
            target_compile_options(${kernels} PRIVATE --fmad=false -Xptxas -v
                -Xcompiler=-ffp-contract=off,-fvisibility=hidden,-Wall,-Wextra $<$<BOOL:${PLUMB_WERROR}>:-Werror all-warnings
                -Xcompiler=-Werror>)
            # On capability 9.0 groups of warps multiply bytes, which only code for exactly this capability may ask for.
            if(file STREQUAL "gemm_multiply" AND "90-real" IN_LIST CMAKE_CUDA_ARCHITECTURES)
                set(architectures ${CMAKE_CUDA_ARCHITECTURES})
                list(TRANSFORM architectures REPLACE "^90-real$" "90a-real")
                set_target_properties(${kernels} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
                target_compile_definitions(${kernels} PRIVATE PLUMB_GEMM_PAIRS)
            endif()
            set_target_properties(${kernels} PROPERTIES CUDA_STANDARD 17
                CUDA_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/scripts/keep-ptxas-log;${log}")
        endforeach()
    endforeach()
endforeach()
