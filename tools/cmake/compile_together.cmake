# SPDX-License-Identifier: Apache-2.0
# Compiles files of one folder several at a time: what they include is read once for all of them,
# and what they have in common is made once. A name in an anonymous namespace is therefore one
# thing in its whole folder. Eight: library and mini-model in 179 s, with four 224 s, each alone
# 368 s; a change in one file then costs what its group costs, some 8 to 28 s.

set(TOGETHER_FILES 8 CACHE STRING "Files of a folder that are compiled at a time, at most")

# compile_together(target [files]): so many at a time in place of TOGETHER_FILES.
function(compile_together target)
  set(files ${TOGETHER_FILES})
  if(ARGC GREATER 1)
    set(files ${ARGV1})
  endif()
  if(NOT THALWEG_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Mistaken where a file is included; preset `dev` keeps both.
  target_compile_options(
    ${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage -Wno-maybe-uninitialized>)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR group "${count_${folder}} + 0")
    math(EXPR count_${folder} "${group} + 1")
    math(EXPR group "${group} / ${files}")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()
