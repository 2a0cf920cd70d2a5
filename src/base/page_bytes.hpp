// SPDX-License-Identifier: Apache-2.0
// Memory that begins at a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace thalweg {

inline constexpr std::size_t page_bytes = 4096;
constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Allocates whole pages, and leaves new elements as they are: no time goes into zeros.
template <class Value>
struct PageAllocator {
  using value_type = Value;
  PageAllocator() = default;
  template <class Other>
  PageAllocator(const PageAllocator<Other>&) {}
  Value* allocate(std::size_t count) {
    return static_cast<Value*>(
        ::operator new (whole_pages(count * sizeof(Value)), std::align_val_t{page_bytes}));
  }
  void deallocate(Value* values, std::size_t) {
    ::operator delete (values, std::align_val_t{page_bytes});
  }
  template <class Other, class... Args>
  void construct(Other* at, Args&&... args) {
    if constexpr (sizeof...(Args) == 0)
      ::new (static_cast<void*>(at)) Other;
    else
      ::new (static_cast<void*>(at)) Other(std::forward<Args>(args)...);
  }
  bool operator==(const PageAllocator&) const = default;
};

using PageBytes = std::vector<std::byte, PageAllocator<std::byte>>;

}  // namespace thalweg
