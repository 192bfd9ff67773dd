# plumb_cuda_kernels.cmake - compiles backend/cuda/kernels.cu once for each precision.
if(NOT PLUMB_HAVE_CUDA)
    return()
endif()
