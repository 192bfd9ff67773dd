# plumb_emulated.cmake - PLUMB_CUDA=emulated: the GPU backend on the emulated GPU of tests/emulator, for tests without GPU
# and nvcc. Host files and kernels are those of the product, compiled by the compilers of the host.
set(PLUMB_HAVE_CUDA ON)
set(PLUMB_CUDA_EMULATED ON)
enable_language(CXX)
message(STATUS "CUDA: emulated, for tests only")

set(plumb_emulator_dir ${PROJECT_SOURCE_DIR}/tests/emulator)
file(GLOB plumb_emulator_sources CONFIGURE_DEPENDS ${plumb_emulator_dir}/*.c)
list(FILTER plumb_emulator_sources EXCLUDE REGEX "/t_[a-z_]+\\.c$")

# plumb_emulate(<target>): compiles its .cu files as C++ with the host compiler, which includes the header of the runtime first, as nvcc does.
function(plumb_emulate target)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cu$")
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
    target_include_directories(${target} PRIVATE ${plumb_emulator_dir})
    target_compile_definitions(${target} PRIVATE PLUMB_EMULATED_GPU __CUDACC__ __CUDA_ARCH__=900)
    # No exceptions, run-time types or guarded statics, so that the library does not need libstdc++. Little optimisation, because
    # most of the time is spent switching fibers: this compiles in half the time, and tests run as fast.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:$<$<NOT:$<CONFIG:Debug>>:-O1> -DPLUMB_ARITH_CALLS
        -include ${plumb_emulator_dir}/cuda_runtime.h -ffp-contract=off -fvisibility=hidden -fno-exceptions -fno-rtti
        -fno-threadsafe-statics -Wall -Wextra -Wno-unknown-pragmas -Wno-unused-function
        -Wno-unused-parameter
        $<$<BOOL:${PLUMB_WERROR}>:-Werror>
        $<$<BOOL:${PLUMB_SANITIZE}>:-fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all
        -fno-omit-frame-pointer --param asan-stack=0>>)
    set_target_properties(${target} PROPERTIES CXX_STANDARD 17 CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
        CXX_COMPILER_LAUNCHER ${plumb_emulator_dir}/compile)
endfunction()
