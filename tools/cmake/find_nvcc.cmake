# SPDX-License-Identifier: Apache-2.0
# nvcc in PATH, or the one that CUDACXX names; where there is none the project goes on without. Its
# code is for GPUs of all kinds that it knows: a driver need not translate it, as one that is older
# than nvcc cannot.
set(is_another FALSE)
if(DEFINED ENV{CUDACXX} AND NOT "$ENV{CUDACXX}" STREQUAL "${CMAKE_CUDA_COMPILER}")
  set(is_another TRUE)
endif()
if(CMAKE_CUDA_COMPILER AND (is_another OR NOT EXISTS "${CMAKE_CUDA_COMPILER}")) # that of before
  unset(CMAKE_CUDA_COMPILER CACHE)
  file(REMOVE ${CMAKE_BINARY_DIR}/CMakeFiles/${CMAKE_VERSION}/CMakeCUDACompiler.cmake)
elseif(NOT CMAKE_CUDA_COMPILER) # it may have come
  unset(CMAKE_CUDA_COMPILER CACHE)
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES all-major)
endif()
if(NOT CMAKE_CUDA_HOST_COMPILER AND NOT DEFINED ENV{CUDAHOSTCXX})
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
endif()
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
else()
  message(WARNING "THALWEG_CUDA is ON, and there is no nvcc that works (in PATH, or named by "
                  "CUDACXX): thalweg_mini_cuda runs on the CPU")
endif()
