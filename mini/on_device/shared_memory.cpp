// SPDX-License-Identifier: Apache-2.0
// Replaces `new` and `delete` of the program, but for those with an alignment: the library sends
// from such memory (src/base/page_bytes.hpp).
#include "shared_memory.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory_resource>
#include <new>

#include "gpu.hpp"

namespace {

using thalweg::mini::free_shared;
using thalweg::mini::shared_room;

enum class Origin : std::size_t { host, pool, own };

/// Stands before what `new` gives. bytes: with it.
struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) Head {
  Origin origin;
  std::size_t bytes;
};

/// Blocks from this size on have pages of their own, so that no page of a field is the host's, too,
/// and begin where a GPU reads a line.
constexpr std::size_t own_bytes = 64 * 1024, line_bytes = 256;

class SharedMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    if (void* const room = shared_room(bytes)) return room;
    throw std::bad_alloc();
  }
  void do_deallocate(void* room, std::size_t, std::size_t) override { free_shared(room); }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// Of smaller blocks. Never ends: other things are deleted at the end of the program.
std::pmr::memory_resource& pool() {
  using Pool = std::pmr::synchronized_pool_resource;
  alignas(SharedMemory) static std::byte memory[sizeof(SharedMemory)];
  alignas(Pool) static std::byte pools[sizeof(Pool)];
  static Pool* const made = new (pools)
      Pool({.max_blocks_per_chunk = 0, .largest_required_pool_block = own_bytes + sizeof(Head)},
           new (memory) SharedMemory);
  return *made;
}

std::atomic<bool> is_shared = false;
thread_local bool is_inside = false;  // CUDA itself may ask for memory

struct Inside {
  Inside() : before(is_inside) { is_inside = true; }
  ~Inside() { is_inside = before; }
  bool before;
};

void* room_of(std::size_t bytes) {
  const bool from_host = !is_shared || is_inside;
  const Inside inside;
  if (bytes > SIZE_MAX - line_bytes) throw std::bad_alloc();
  const Origin origin = from_host ? Origin::host : bytes < own_bytes ? Origin::pool : Origin::own;
  const std::size_t before = origin == Origin::own ? line_bytes : sizeof(Head);
  // In whole heads: libstdc++'s pools have blocks of 24 bytes, whatever alignment is asked for.
  bytes = (bytes + before + sizeof(Head) - 1) / sizeof(Head) * sizeof(Head);
  void* const room = origin == Origin::host   ? std::malloc(bytes)
                     : origin == Origin::pool ? pool().allocate(bytes, alignof(Head))
                                              : shared_room(bytes);
  if (room == nullptr) throw std::bad_alloc();
  auto* const head = reinterpret_cast<Head*>(static_cast<std::byte*>(room) + before) - 1;
  *head = {origin, bytes};
  return head + 1;
}

void* room_or_none(std::size_t bytes) noexcept {
  try {
    return room_of(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void give_back(void* room) noexcept {
  if (room == nullptr) return;
  const Inside inside;
  auto* const head = static_cast<Head*>(room) - 1;
  if (head->origin == Origin::host) {
    std::free(head);
  } else if (head->origin == Origin::pool) {
    pool().deallocate(head, head->bytes, alignof(Head));
  } else {
    free_shared(static_cast<std::byte*>(room) - line_bytes);
  }
}

}  // namespace

void* operator new(std::size_t bytes) { return room_of(bytes); }
void* operator new[](std::size_t bytes) { return room_of(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return room_or_none(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return room_or_none(bytes);
}
void operator delete(void* room) noexcept { give_back(room); }
void operator delete[](void* room) noexcept { give_back(room); }
void operator delete(void* room, std::size_t) noexcept { give_back(room); }
void operator delete[](void* room, std::size_t) noexcept { give_back(room); }
void operator delete(void* room, const std::nothrow_t&) noexcept { give_back(room); }
void operator delete[](void* room, const std::nothrow_t&) noexcept { give_back(room); }

namespace thalweg::mini {

std::string share_memory_with_gpu(int number) {
  std::string note = take_gpu(number);
  is_shared = true;
  return note;
}

}  // namespace thalweg::mini
