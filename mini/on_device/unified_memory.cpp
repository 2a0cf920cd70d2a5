// SPDX-License-Identifier: Apache-2.0
// Replaces `new` and `delete` of the program. nvcc compiles it for a GPU; elsewhere memory is that
// of the CPU, so that all else is the same where no GPU is.
#include "unified_memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <memory_resource>
#include <new>
#include <string>

#include "thalweg/error.hpp"

namespace {

#ifdef __CUDACC__
bool has_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}
void* shared_room(std::size_t bytes) {
  void* room = nullptr;
  return cudaMallocManaged(&room, bytes) == cudaSuccess ? room : nullptr;
}
void free_room(void* room) { cudaFree(room); }  // fails where the driver has ended before us
#else
bool has_gpu() { return true; }
void* shared_room(std::size_t bytes) { return std::malloc(bytes); }
void free_room(void* room) { std::free(room); }
#endif

class SharedMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    if (void* const room = shared_room(bytes)) return room;
    throw std::bad_alloc();
  }
  void do_deallocate(void* room, std::size_t, std::size_t) override { free_room(room); }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// Stands before what `new` gives. bytes: with it, of the pool; 0: of malloc.
struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) Head {
  std::size_t bytes;
};

/// Never ends: other things are deleted at the end of the program. Larger blocks than it keeps go
/// back at once.
std::pmr::memory_resource* pool() {
  alignas(SharedMemory) static std::byte memory[sizeof(SharedMemory)];
  alignas(std::pmr::synchronized_pool_resource) static std::byte
      pools[sizeof(std::pmr::synchronized_pool_resource)];
  static std::pmr::memory_resource* const made =
      has_gpu() ? new (pools) std::pmr::synchronized_pool_resource(
                      {.max_blocks_per_chunk = 0, .largest_required_pool_block = 1 << 20},
                      new (memory) SharedMemory)
                : nullptr;
  return made;
}

thread_local bool is_inside = false;  // CUDA itself asks for memory where it begins

void* room_of(std::size_t bytes) {
  if (bytes > SIZE_MAX - sizeof(Head)) throw std::bad_alloc();
  bytes += sizeof(Head);
  Head* head = nullptr;
  if (!is_inside) {
    is_inside = true;
    try {
      if (auto* const shared = pool()) {
        head = static_cast<Head*>(shared->allocate(bytes, alignof(Head)));
        head->bytes = bytes;
      }
    } catch (...) {
      is_inside = false;
      throw;
    }
    is_inside = false;
  }
  if (head == nullptr) {
    head = static_cast<Head*>(std::malloc(bytes));
    if (head == nullptr) throw std::bad_alloc();
    head->bytes = 0;
  }
  return head + 1;
}

void give_back(void* room) noexcept {
  if (room == nullptr) return;
  Head* const head = static_cast<Head*>(room) - 1;
  if (head->bytes == 0) {
    std::free(head);
    return;
  }
  const bool was_inside = is_inside;
  is_inside = true;
  pool()->deallocate(head, head->bytes, alignof(Head));
  is_inside = was_inside;
}

}  // namespace

// The forms for arrays, and those that do not throw, call these two.
void* operator new(std::size_t bytes) { return room_of(bytes); }
void operator delete(void* room) noexcept { give_back(room); }
void operator delete(void* room, std::size_t) noexcept { give_back(room); }

namespace thalweg::mini {

#ifdef __CUDACC__
std::string take_gpu(int number) {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess || count == 0) {
    throw Error(Blame::user,
                std::string("This program was built for a GPU, and CUDA finds none here (") +
                    cudaGetErrorString(found) + "); choose another target");
  }
  if (cudaSetDevice(number % count) != cudaSuccess) {
    throw Error(Blame::user,
                "The GPU cannot be taken: " + std::string(cudaGetErrorString(cudaGetLastError())));
  }
  return "";
}
#else
std::string take_gpu(int) {
  return "this program was built without nvcc: threads of its kernels run one after the other on "
         "the CPU";
}
#endif

}  // namespace thalweg::mini
