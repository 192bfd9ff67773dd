# plumb_cpu_kernels.cmake - compiles backend/cpu/kernels.c and the files *_kernels.c below it once per instruction set,
# precision and kind.
#
# Each compilation defines one list, plumb_kernels_<kind>_<precision>_<isa>. backend/cpu/isa.c collects them in tables;
# PLUMB_HAVE_<ISA> says which exist.
set(PLUMB_ISAS "" CACHE STRING "Instruction sets of the CPU kernels, scalar first; empty: all of this processor, fewer under sanitizers")
set(plumb_isas scalar)
if(PLUMB_ISAS)
    set(plumb_isas ${PLUMB_ISAS})
elseif(PLUMB_CUDA_EMULATED OR PLUMB_SANITIZE STREQUAL "thread")
    # With the emulated GPU the CPU is only the reference, and all instruction sets give the same bits; threads run outside the kernels.
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    if(PLUMB_SANITIZE)
        list(APPEND plumb_isas avx2) # loads and stores are written once for all widths
    else()
        list(APPEND plumb_isas avx2 avx512)
    endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    list(APPEND plumb_isas neon)
endif()
set(plumb_isa_flags_avx2 -mavx2 -mfma)
set(plumb_isa_flags_avx512 -mavx512f -mavx512dq -mavx512vl -mavx2 -mfma -mprefer-vector-width=512)

# With the order of instructions that gcc chooses for this core, least squares in qd is 2 to 6% faster on a Neoverse-V1.
# In dd, and evaluation in qd, would be up to 5% slower.
set(plumb_lsq_flags_neon_qd -mtune=cortex-a72)
file(GLOB lsq_kernels ${PROJECT_SOURCE_DIR}/src/backend/cpu/lsq/*_kernels.c)
set_property(SOURCE ${lsq_kernels} APPEND PROPERTY COMPILE_OPTIONS $<TARGET_PROPERTY:PLUMB_LSQ_FLAGS>)

# gcc 12 fuses a*b+c although -ffp-contract=off forbids it where it makes vectors of complex products of doubles (vfmaddsub): then
# decisions about a path, and its bits, depend on the instruction set. tests/contraction.sh looks for such instructions.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/backend/cpu/track/track_kernels.c
                 ${PROJECT_SOURCE_DIR}/src/backend/cpu/track/many_kernels.c APPEND PROPERTY COMPILE_OPTIONS -fno-tree-vectorize)
endif()

# Each kernel is one long expression of values in registers. Checking them on the stack would take minutes to compile and
# find nothing. Loads and stores through pointers are still checked.
set(plumb_kernel_options $<$<NOT:$<CONFIG:Debug>>:-O3>)
if(PLUMB_CUDA_EMULATED)
    set(plumb_kernel_options $<$<NOT:$<CONFIG:Debug>>:-O1> -DPLUMB_ARITH_CALLS) # arith/lane.h
endif()
if(PLUMB_SANITIZE)
    set(plumb_kernel_options -O1)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND plumb_kernel_options --param asan-stack=0)
    endif()
endif()

# At -O1 gcc does not see that loops over a fixed number of lanes run at least once, and takes what they set for uninitialized.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND (PLUMB_CUDA_EMULATED OR PLUMB_SANITIZE))
    list(APPEND plumb_kernel_options -Wno-maybe-uninitialized)
endif()

# plumb_add_kernels(<target> <isa> <precision> <parts>): the objects of one list, without the flags of the instruction set.
function(plumb_add_kernels target isa prec parts)
    add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/src/backend/cpu/kernels.c
        ${PROJECT_SOURCE_DIR}/src/backend/cpu/lsq/mgs_kernels.c ${PROJECT_SOURCE_DIR}/src/backend/cpu/lsq/lu_kernels.c
        ${PROJECT_SOURCE_DIR}/src/backend/cpu/lsq/mgs_wide_kernels.c
        ${PROJECT_SOURCE_DIR}/src/backend/cpu/lsq/mgs_batch_kernels.c ${PROJECT_SOURCE_DIR}/src/backend/cpu/eval/eval_kernels.c
        ${PROJECT_SOURCE_DIR}/src/backend/cpu/gemm/gemm_kernels.c ${PROJECT_SOURCE_DIR}/src/backend/cpu/gemm/triangle_kernels.c)
    if(parts EQUAL 2) # paths are complex
        target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/backend/cpu/track/track_kernels.c
                       ${PROJECT_SOURCE_DIR}/src/backend/cpu/track/many_kernels.c)
    endif()
    target_link_libraries(${target} PRIVATE plumb_flags GMP::GMP) # only its header
    target_compile_definitions(${target} PRIVATE PLUMB_PREC=${prec} PLUMB_LIMBS=${PLUMB_LIMBS_${prec}} PLUMB_PARTS=${parts}
        PLUMB_ISA=${isa} PLUMB_LANE_HEADER="arith/lane_${isa}.h")
endfunction()

foreach(isa ${plumb_isas})
    foreach(prec ${PLUMB_PRECISIONS})
        foreach(parts 1 2)
            set(kernels plumb_kernels_${prec}_${parts}_${isa})
            plumb_add_kernels(${kernels} ${isa} ${prec} ${parts})
            target_compile_options(${kernels} PRIVATE ${plumb_kernel_options} ${plumb_isa_flags_${isa}})
            set_property(TARGET ${kernels} PROPERTY PLUMB_LSQ_FLAGS ${plumb_lsq_flags_${isa}_${prec}})
            list(APPEND plumb_parts $<TARGET_OBJECTS:${kernels}>)
        endforeach()
    endforeach()
endforeach()

foreach(isa ${plumb_isas})
    string(TOUPPER ${isa} isa_upper)
    set_property(SOURCE backend/cpu/isa.c APPEND PROPERTY COMPILE_DEFINITIONS PLUMB_HAVE_${isa_upper})
endforeach()
