# SPDX-License-Identifier: Apache-2.0
# Translates kernels of the stencil language into C++ and compiles them. Needs a Python with NumPy
# (3.10: and tomli), nothing else: the checkout's own, or the one that THALWEG_PYTHON names or PATH
# has.

cmake_path(SET TRANSLATOR_ROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/translator) # of an installation
  set(TRANSLATOR_ROOT ${CMAKE_CURRENT_LIST_DIR}/translator)
endif()
set(THALWEG_PYTHON "" CACHE FILEPATH "Python 3.11 or newer with NumPy; empty: one that is found")
set(TRANSLATOR_TEST "import sys, numpy, importlib.util as of
sys.exit(sys.version_info < (3, 10) or not (of.find_spec('tomllib') or of.find_spec('tomli')))")

function(find_translator result)
  set(candidates ${THALWEG_PYTHON})
  if(NOT candidates)
    file(GLOB candidates ${TRANSLATOR_ROOT}/.venv/bin/python)
    list(APPEND candidates python3 /usr/bin/python3)
  endif()
  foreach(python ${candidates})
    execute_process(
      COMMAND ${python} -c "${TRANSLATOR_TEST}"
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(${result} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(or_leave "")
  if(DEFINED THALWEG_MINI)
    set(or_leave ", or build the library alone with -DTHALWEG_MINI=OFF")
  endif()
  message(FATAL_ERROR
    "Kernels are translated by a Python with NumPy, and none was found (tried: ${candidates}; "
    "3.10 wants tomli, too); install python3-numpy, or name one with "
    "-DTHALWEG_PYTHON=PATH${or_leave}")
endfunction()

# By nvcc, in C++20, which older CMakes do not know of it.
function(compile_as_cuda target)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
    message(FATAL_ERROR "${target} wants C++20 of nvcc, which ${CMAKE_CUDA_COMPILER} "
                        "(${CMAKE_CUDA_COMPILER_VERSION}) does not have: name one of CUDA 12 or "
                        "newer by CUDACXX")
  endif()
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
  set_target_properties(${target} PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED OFF)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  endif()
endfunction()

# TARGET: a static library of what LIST, a file of python/thalweg/dsl/built.py, names, with a header
# for it. Done when CMake configures, and again when a kernel or the language has changed. Target
# openmp wants THREADS as a third word, mpi and onesided want RANKS. ON and a target in place of
# those that LIST has: for a program of its own, since functions are called as those of LIST; cuda
# is the host's then. With DEVICE behind ON cuda arrays lie on a GPU: nvcc compiles it where the
# project has CUDA among its languages; elsewhere threads run one after the other. With WAITS behind
# DEVICE a call returns when its values are there: for arrays in memory that the host sees, too.
# ALONE: for a program that is linked with no other list that has a name of this one.
# FORTRAN: TARGET_fortran, too, with a module NAME_kernel for each.
function(translate_kernels target list)
  cmake_parse_arguments(PARSE_ARGV 2 OF "THREADS;RANKS;FORTRAN;DEVICE;WAITS;ALONE" "ON" "")
  list(FIND ARGN ON on)
  if(OF_UNPARSED_ARGUMENTS OR OF_KEYWORDS_MISSING_VALUES OR (on GREATER -1 AND NOT OF_ON))
    message(FATAL_ERROR "translate_kernels(${target} ${list} ${ARGN}): after the list come "
                        "THREADS, RANKS, FORTRAN, DEVICE, WAITS, ALONE, or ON and a target")
  endif()
  if(OF_DEVICE AND NOT OF_ON STREQUAL cuda)
    message(FATAL_ERROR "translate_kernels(${target} ${list} ${ARGN}): DEVICE goes with ON cuda")
  elseif(OF_WAITS AND NOT OF_DEVICE)
    message(FATAL_ERROR "translate_kernels(${target} ${list} ${ARGN}): WAITS goes with DEVICE")
  endif()
  set(languages CXX)
  set(fortran "")
  if(OF_FORTRAN)
    list(APPEND languages Fortran)
    set(fortran --fortran)
  endif()
  foreach(language ${languages})
    if(PROJECT_NAME AND NOT CMAKE_${language}_COMPILER_LOADED)
      message(FATAL_ERROR "translate_kernels(${target} ${list} ${ARGN}) compiles ${languages}: "
                          "name them behind LANGUAGES of project()")
    endif()
  endforeach()
  if(OF_ON STREQUAL openmp)
    set(OF_THREADS TRUE)
  elseif(OF_ON MATCHES "^(mpi|onesided)$")
    set(OF_RANKS TRUE)
  endif()
  cmake_path(
    ABSOLUTE_PATH list BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
  cmake_path(GET path PARENT_PATH folder)
  set(made ${CMAKE_BINARY_DIR}/generated/${target})  # lists of two folders may have one name
  find_translator(python)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${TRANSLATOR_ROOT}/python PYTHONDONTWRITEBYTECODE=1
            ${python} -m thalweg.dsl.built ${fortran} ${list} ${made} ${OF_ON}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    RESULT_VARIABLE failed OUTPUT_VARIABLE imported ERROR_VARIABLE reason)
  if(failed)
    message(FATAL_ERROR "The kernels of ${list} cannot be translated: ${reason}")
  endif()
  set(language ${TRANSLATOR_ROOT}/python/thalweg/dsl)
  file(GLOB kernels CONFIGURE_DEPENDS ${folder}/*.py)
  file(GLOB_RECURSE read CONFIGURE_DEPENDS ${language}/*.py)
  string(REGEX REPLACE "\n" ";" imported "${imported}")
  set_property(
    DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list} ${kernels} ${read} ${imported})
  file(GLOB sources ${made}/*.cpp)
  set(missing "")
  set(clashes "")
  foreach(source ${sources})
    file(STRINGS ${source} parallel REGEX "#pragma omp parallel" LIMIT_COUNT 1)
    if(parallel AND NOT OF_THREADS)
      list(APPEND missing THREADS)
    endif()
    file(STRINGS ${source} on_ranks REGEX "#include <mpi.h>" LIMIT_COUNT 1)
    if(on_ranks AND NOT OF_RANKS)
      list(APPEND missing RANKS)
    endif()
    cmake_path(GET source STEM name)
    get_property(other GLOBAL PROPERTY THALWEG_KERNEL_${name})
    if(OF_ALONE OR (OF_ON AND NOT OF_DEVICE))
      continue()
    elseif(other)
      list(APPEND clashes "'${name}' is a function of ${other} and of ${target}")
    endif()
    set_property(GLOBAL PROPERTY THALWEG_KERNEL_${name} ${target})
  endforeach()
  if(clashes)
    list(JOIN clashes ", " clashes)
    message(WARNING "${clashes}: a program linked with both would have one of them for both; call "
                    "one otherwise in ${list}, or say ALONE if no program is")
  endif()
  if(missing)
    list(REMOVE_DUPLICATES missing)
    string(REPLACE ";" " " words "${target};${list};${ARGN};${missing}")
    message(FATAL_ERROR "${list} has a target openmp, which would be one thread here, or one on "
                        "ranks, which needs MPI: translate_kernels(${words})")
  endif()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${made})
  # As `thalweg kernels run` compiles them: loops in vectors, and every rounding as written.
  set(options -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp-simd
              -Wno-unused-parameter)
  if(OF_DEVICE AND NOT CMAKE_CUDA_COMPILER_LOADED)
    message(STATUS "${target}: CUDA is not enabled here, so that threads run one after the other "
                   "on the CPU")
  elseif(OF_DEVICE)
    compile_as_cuda(${target} ${sources})
    set(options -O3 -fmad=false -Xcompiler=-ffp-contract=off)
  endif()
  target_compile_options(${target} PRIVATE ${options})
  if(OF_WAITS)
    target_compile_definitions(${target} PRIVATE THALWEG_CALLS_WAIT)
  endif()
  target_compile_features(${target} PUBLIC cxx_std_20)
  if(OF_THREADS)
    find_package(OpenMP REQUIRED)
    target_link_libraries(${target} PUBLIC OpenMP::OpenMP_CXX)
  endif()
  if(OF_RANKS)
    find_package(MPI REQUIRED COMPONENTS CXX)
    target_link_libraries(${target} PUBLIC MPI::MPI_CXX)
  endif()
  if(OF_FORTRAN)
    file(GLOB modules ${made}/*.f90)
    add_library(${target}_fortran STATIC ${modules})
    set_target_properties(${target}_fortran PROPERTIES Fortran_MODULE_DIRECTORY ${made}/modules)
    target_include_directories(${target}_fortran PUBLIC ${made}/modules)
    target_link_libraries(${target}_fortran PUBLIC ${target})
  endif()
endfunction()
