// SPDX-License-Identifier: Apache-2.0
// Memory of malloc, whatever a program has in place of `new`: a network card may keep hold of what
// messages lie in, which memory that a GPU shares does not bear.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace thalweg {

template <class Value>
struct PlainMemory {
  using value_type = Value;
  PlainMemory() = default;
  template <class Other>
  PlainMemory(const PlainMemory<Other>&) {}

  Value* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(Value)) throw std::bad_alloc();
    if (void* const room = std::malloc(count * sizeof(Value))) return static_cast<Value*>(room);
    throw std::bad_alloc();
  }
  void deallocate(Value* room, std::size_t) { std::free(room); }
  bool operator==(const PlainMemory&) const = default;
};

}  // namespace thalweg
