# SPDX-License-Identifier: Apache-2.0
"""What stands before the sweeps of a CUDA file: threads and memory of a device, or of the CPU."""

from __future__ import annotations

CODE = """// nvcc -std=c++20 -O3 -fmad=false makes code for a GPU of this. Any other compiler goes
// through the same threads one after the other: for tests, where there is no GPU.
@includes@
// That a GPU takes in one launch.
[[maybe_unused]] static constexpr std::int64_t most_parts = 65535;

#ifdef __CUDACC__
#define ON_DEVICE __device__ static inline
#define SWEEP static __global__ void

static void expect(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "@name@: the GPU did not %s: %s\\n", what, cudaGetErrorString(result));
  std::abort();
}
static void* device_room(std::size_t bytes) {
  void* room = nullptr;
  expect(cudaMalloc(&room, bytes), "give memory");
  return room;
}
static void free_room(void* room) { expect(cudaFree(room), "take memory back"); }
static void wait_for_device() { expect(cudaDeviceSynchronize(), "end a sweep"); }
[[maybe_unused]] static bool is_idle() {
  const cudaError_t result = cudaStreamQuery(nullptr);
  if (result != cudaErrorNotReady) expect(result, "end a sweep");
  return result == cudaSuccess;
}
static void take_device(int number) {
  int count = 0;
  expect(cudaGetDeviceCount(&count), "tell how many there are");
  expect(cudaSetDevice(number % std::max(count, 1)), "let itself be taken");
}
static void copy_in(void* to, const void* from, std::size_t bytes) {
  expect(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "take values");
}
static void copy_out(void* to, const void* from, std::size_t bytes) {
  expect(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "give values");
}
[[maybe_unused]] ON_DEVICE std::int64_t thread_index() {
  return blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
}
[[maybe_unused]] ON_DEVICE std::int64_t thread_part() { return blockIdx.y; }

// `sweep` for `count` threads of each part, after what was launched before.
template <class... Kinds, class... Words>
static void launch(std::int64_t count, std::int64_t parts, void (*sweep)(Kinds...),
                   Words... words) {
  constexpr unsigned threads = 256;
  if (count <= 0 || parts <= 0) return;
  const dim3 blocks(static_cast<unsigned>((count + threads - 1) / threads),
                    static_cast<unsigned>(parts));
  sweep<<<blocks, threads>>>(static_cast<Kinds>(words)...);
  expect(cudaGetLastError(), "begin a sweep");
}
#else
#define ON_DEVICE static inline
#define SWEEP static void

static void* device_room(std::size_t bytes) {
  void* const room = std::malloc(bytes);
  if (room != nullptr) return room;
  std::fprintf(stderr, "@name@: no memory for %zu bytes\\n", bytes);
  std::abort();
}
static void free_room(void* room) { std::free(room); }
static void wait_for_device() {}
[[maybe_unused]] static bool is_idle() { return true; }
static void take_device(int) {}
static void copy_in(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
static void copy_out(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
static thread_local std::int64_t index_of_thread = 0, part_of_thread = 0;
[[maybe_unused]] ON_DEVICE std::int64_t thread_index() { return index_of_thread; }
[[maybe_unused]] ON_DEVICE std::int64_t thread_part() { return part_of_thread; }

// Up to the end of a block of threads, as a GPU has it.
template <class... Kinds, class... Words>
static void launch(std::int64_t count, std::int64_t parts, void (*sweep)(Kinds...),
                   Words... words) {
  constexpr std::int64_t threads = 256;
  if (parts > most_parts) std::abort();
  for (part_of_thread = 0; part_of_thread < parts; ++part_of_thread) {
    for (index_of_thread = 0; index_of_thread < (count + threads - 1) / threads * threads;
         ++index_of_thread) {
      sweep(static_cast<Kinds>(words)...);
    }
  }
}
#endif

// Where the host sees the arrays, too: it may read them behind a call.
static void end_of_call() {
#ifdef THALWEG_CALLS_WAIT
  wait_for_device();
#endif
}

// A quotient of indices, in 32 bits where these are enough: a GPU divides them much faster.
[[maybe_unused]] ON_DEVICE std::int64_t divided(std::int64_t index, std::int64_t by) {
  if (index < (std::int64_t{1} << 32) && by < (std::int64_t{1} << 32)) {
    return static_cast<std::uint32_t>(index) / static_cast<std::uint32_t>(by);
  }
  return index / by;
}

namespace @name@_there {
// Memory of the device that stays from call to call.
struct Room {
  void* at = nullptr;
  std::size_t bytes = 0;
  void* of(std::size_t wanted) {
    if (wanted > bytes) {
      if (at != nullptr) free_room(at);
      at = device_room(wanted);
      bytes = wanted;
    }
    return at;
  }
};

// Ranges of points on the device, and how long the longest is. They are copied when others come:
// a copy waits for the sweeps before it.
struct RangesThere {
  const std::int64_t* at = nullptr;
  std::int64_t longest = 0;
  void keep(const std::int64_t* ranges, std::int64_t parts) {
    if (at != nullptr && std::equal(ranges, ranges + 2 * parts, kept.begin(), kept.end())) return;
    kept.assign(ranges, ranges + 2 * parts);
    const auto bytes = kept.size() * sizeof(std::int64_t);
    void* const to = room.of(bytes + 1);
    copy_in(to, ranges, bytes);
    at = static_cast<const std::int64_t*>(to);
    longest = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      longest = std::max(longest, ranges[2 * part + 1] - ranges[2 * part]);
    }
  }

 private:
  Room room;
  std::vector<std::int64_t> kept;
};
}  // namespace @name@_there
using namespace @name@_there;

template <class Real>
SWEEP not_set(Real* values, std::int64_t count) {
  if (thread_index() < count) values[thread_index()] = NAN;
}

// For callers without CUDA of their own, such as Python. A process takes a device before it asks
// for room, by any number from 0 on, such as that of its rank on a node; without, it has the first.
extern "C" void @name@_device(int number) { take_device(number); }
extern "C" void @name@_wait() { wait_for_device(); }
extern "C" void* @name@_room(std::size_t bytes) { return device_room(bytes); }
extern "C" void @name@_free(void* room) { free_room(room); }
extern "C" void @name@_in(void* to, const void* from, std::size_t bytes) {
  copy_in(to, from, bytes);
}
extern "C" void @name@_out(void* to, const void* from, std::size_t bytes) {
  copy_out(to, from, bytes);
}
"""


def prelude(name: str) -> str:
    return CODE.replace("@name@", name)
