# plumb_cuda.cmake - finds nvcc and chooses the architectures; PLUMB_HAVE_CUDA says whether there is a GPU backend.
#
# Kernels take longer to compile than all the rest, so by default they are left out where there is no GPU that could run them, unless
# a compiler or architectures are named. A build keeps what it has found.
#
# The default is machine code for sm_90 and PTX for sm_75 and later; PLUMB_CUDA_ALL_ARCHS adds machine code for each generation.
set(PLUMB_HAVE_CUDA OFF)
if(NOT PLUMB_CUDA)
    message(STATUS "CUDA: switched off, building for the CPU only")
    return()
endif()
if(PLUMB_CUDA STREQUAL "emulated")
    include(plumb_emulated)
    return()
endif()

if(PLUMB_CUDA STREQUAL "AUTO" AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT PLUMB_CUDA_ALL_ARCHS)
    file(GLOB gpus /dev/nvidia[0-9]* /dev/nvgpu /dev/nvhost-gpu /dev/dxg) # also of Jetson, and of Windows under Linux
    if(NOT gpus)
        message(STATUS "CUDA: this machine has no GPU, building for the CPU only (-DPLUMB_CUDA=ON, or make cuda, for another machine)")
        return()
    endif()
endif()
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(PLUMB_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES bin)
    mark_as_advanced(PLUMB_NVCC)
    if(NOT PLUMB_NVCC)
        message(STATUS "CUDA: nvcc was not found, building for the CPU only")
        return()
    endif()
    set(CMAKE_CUDA_COMPILER ${PLUMB_NVCC})
endif()

# Set before enable_language, because CUDA 13 no longer has the architecture that CMake 3.25 would test the compiler with.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    if(PLUMB_CUDA_ALL_ARCHS)
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
    else()
        set(CMAKE_CUDA_ARCHITECTURES 90-real 75-virtual)
    endif()
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
if(NOT TARGET CUDA::cudart_static)
    message(STATUS "CUDA: nvcc is there but libcudart_static.a is not, building for the CPU only")
    return()
endif()
set(PLUMB_HAVE_CUDA ON)
set(PLUMB_CUDA_RUNTIME CUDA::cudart_static)
list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${architectures}")
