// SPDX-License-Identifier: Apache-2.0
// By nvcc for a GPU; by any other compiler, for a CPU.
#include "gpu.hpp"

#include <cstdlib>

#include "thalweg/error.hpp"

namespace thalweg::mini {

#ifdef __CUDACC__
namespace {

__global__ void tried() {}

/// The sentence of a refusal.
Error refused(const std::string& what, cudaError_t reason) {
  return Error(Blame::user, what + " (" + cudaGetErrorString(reason) + "); choose another target");
}

}  // namespace

std::string take_gpu(int number) {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess || count == 0)
    throw refused("This program was built for a GPU, and CUDA finds none here", found);
  const int mine = number % count;
  const std::string name = "GPU " + std::to_string(mine);
  if (const auto taken = cudaSetDevice(mine); taken != cudaSuccess)
    throw refused(name + " cannot be taken", taken);
  int is_shared = 0;
  const auto told = cudaDeviceGetAttribute(&is_shared, cudaDevAttrConcurrentManagedAccess, mine);
  if (told != cudaSuccess || is_shared == 0)
    throw refused(name + " cannot share memory with the host while it computes", told);
  tried<<<1, 1>>>();
  if (const auto run = cudaDeviceSynchronize(); run != cudaSuccess)
    throw refused(name + " does not run code of this program", run);
  return "";
}
void* shared_room(std::size_t bytes) {
  void* room = nullptr;
  return cudaMallocManaged(&room, bytes) == cudaSuccess ? room : nullptr;
}
void free_shared(void* room) { cudaFree(room); }  // fails where the driver has ended before us
#else
std::string take_gpu(int) {
  return "this program was built without CUDA: threads of its kernels run one after the other on "
         "the CPU";
}
void* shared_room(std::size_t bytes) { return std::malloc(bytes); }
void free_shared(void* room) { std::free(room); }
#endif

}  // namespace thalweg::mini
