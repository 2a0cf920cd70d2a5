// SPDX-License-Identifier: Apache-2.0
// Functions and numbers of the CUDA driver's interface, which keeps them for good.
#include "base/device_memory.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

using Address = unsigned long long;  // CUdeviceptr

struct Driver {
  int (*attribute)(void* found, int which, Address address) = nullptr;
  int (*push)(void* context) = nullptr;
  int (*pop)(void** context) = nullptr;
  int (*to_host)(void* to, Address from, std::size_t bytes) = nullptr;
  int (*to_device)(Address to, const void* from, std::size_t bytes) = nullptr;

  bool is_whole() const {
    return attribute != nullptr && push != nullptr && pop != nullptr && to_host != nullptr &&
           to_device != nullptr;
  }
};

// cuda.h: CU_POINTER_ATTRIBUTE_CONTEXT, _MEMORY_TYPE, _IS_MANAGED; CU_MEMORYTYPE_DEVICE.
constexpr int context_of = 1, memory_type_of = 2, is_managed = 8, device_memory = 2;

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

/// Null where the process has not loaded it: then it has no memory of a device.
const Driver* driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  static const Driver found = [library] {
    Driver made;
    find(library, "cuPointerGetAttribute", made.attribute);
    find(library, "cuCtxPushCurrent_v2", made.push);
    find(library, "cuCtxPopCurrent_v2", made.pop);
    find(library, "cuMemcpyDtoH_v2", made.to_host);
    find(library, "cuMemcpyHtoD_v2", made.to_device);
    return made;
  }();
  dlclose(library);  // it stays as often as others have opened it
  return found.is_whole() ? &found : nullptr;
}

Address number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// Calls `copy` where the device of `address` is current: to this thread none may be.
template <class Copy>
void on_its_device(const void* address, std::size_t bytes, const char* what, const Copy& copy) {
  const Driver* const cuda = driver();
  void* context = nullptr;
  int failed = cuda == nullptr ? 1 : cuda->attribute(&context, context_of, number_of(address));
  if (failed == 0) failed = cuda->push(context);
  if (failed == 0) {
    failed = copy(*cuda);
    void* before = nullptr;
    cuda->pop(&before);
  }
  if (failed == 0) return;
  throw Error(Blame::file_system,
              fmt::format("the GPU did not {} {} bytes (CUDA error {}); look at "
                          "what the model did on it before",
                          what, bytes, failed));
}

}  // namespace

bool is_on_device(const void* address) {
  const Driver* const cuda = address == nullptr ? nullptr : driver();
  if (cuda == nullptr) return false;
  unsigned type = 0, managed = 0;
  if (cuda->attribute(&type, memory_type_of, number_of(address)) != 0) return false;
  if (type != device_memory) return false;
  return cuda->attribute(&managed, is_managed, number_of(address)) != 0 || (managed & 1) == 0;
}

void copy_from_device(void* to, const void* from, std::size_t bytes) {
  on_its_device(from, bytes, "give",
                [&](const Driver& cuda) { return cuda.to_host(to, number_of(from), bytes); });
}

void copy_to_device(void* to, const void* from, std::size_t bytes) {
  on_its_device(to, bytes, "take",
                [&](const Driver& cuda) { return cuda.to_device(number_of(to), from, bytes); });
}

}  // namespace thalweg
