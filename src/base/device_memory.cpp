// SPDX-License-Identifier: Apache-2.0
// Functions and numbers of the CUDA driver's interface, which keeps them for good.
#include "base/device_memory.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

using Address = unsigned long long;  // CUdeviceptr

struct Driver {
  int (*attribute)(void* found, int which, Address address) = nullptr;
  int (*push)(void* context) = nullptr;
  int (*pop)(void** context) = nullptr;
  int (*wait)() = nullptr;
  int (*to_host)(void* to, Address from, std::size_t bytes) = nullptr;
  int (*to_device)(Address to, const void* from, std::size_t bytes) = nullptr;

  bool is_whole() const {
    return attribute != nullptr && push != nullptr && pop != nullptr && wait != nullptr &&
           to_host != nullptr && to_device != nullptr;
  }
};

// cuda.h: CU_POINTER_ATTRIBUTE_CONTEXT, _MEMORY_TYPE, _IS_MANAGED; CU_MEMORYTYPE_DEVICE.
constexpr int context_of = 1, memory_type_of = 2, is_managed = 8, device_memory = 2;

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

struct Search {
  unsigned long long loads = 0;  // of libraries, since the process began
  unsigned long long loads_before = 0;
  std::string path;
};

/// Asks nobody but the process: opening a library by its name would look for it on disks.
int look_at(dl_phdr_info* library, std::size_t, void* into) {
  auto& search = *static_cast<Search*>(into);
  search.loads = library->dlpi_adds;
  if (search.loads == search.loads_before) return 1;  // nothing has come since
  const std::string_view path = library->dlpi_name;
  if (!path.substr(path.rfind('/') + 1).starts_with("libcuda.so")) return 0;
  search.path = path;
  return 1;
}

/// Null where the process has not loaded it: then it has no memory of a device.
const Driver* driver() {
  static std::atomic<const Driver*> known{nullptr};
  static std::atomic<unsigned long long> loads_without{0};
  if (const auto* const found = known.load()) return found;
  Search search;
  search.loads_before = loads_without;
  dl_iterate_phdr(look_at, &search);
  if (search.path.empty()) {
    loads_without = search.loads;
    return nullptr;
  }
  void* const library = dlopen(search.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);  // it stays
  if (library == nullptr) return nullptr;
  static const Driver driver = [library] {
    Driver made;
    find(library, "cuPointerGetAttribute", made.attribute);
    find(library, "cuCtxPushCurrent_v2", made.push);
    find(library, "cuCtxPopCurrent_v2", made.pop);
    find(library, "cuCtxSynchronize", made.wait);
    find(library, "cuMemcpyDtoH_v2", made.to_host);
    find(library, "cuMemcpyHtoD_v2", made.to_device);
    return made;
  }();
  if (!driver.is_whole()) return nullptr;
  known = &driver;
  return &driver;
}

Address number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// Calls `copy` where the device of `address` is current: to this thread another one may be. Memory
/// of a pool has no context; then the thread's own has to do.
template <class Copy>
void on_its_device(const void* address, std::size_t bytes, const char* what, const Copy& copy) {
  const Driver* const cuda = driver();
  void* context = nullptr;
  int failed = cuda == nullptr ? 1 : cuda->attribute(&context, context_of, number_of(address));
  const bool is_pushed = failed == 0 && context != nullptr;
  if (is_pushed) failed = cuda->push(context);
  if (failed == 0) {
    failed = copy(*cuda);
    void* before = nullptr;
    if (is_pushed) cuda->pop(&before);
  }
  if (failed == 0) return;
  throw Error(
      Blame::file_system,
      fmt::format("the GPU did not {} {} bytes at {} (CUDA error {}); an error of a kernel before "
                  "may be told here, or the thread uses no device, or the view reaches beyond them",
                  what, bytes, fmt::ptr(address), failed));
}

}  // namespace

bool is_on_device(const void* address) {
  const Driver* const cuda = address == nullptr ? nullptr : driver();
  if (cuda == nullptr) return false;
  unsigned type = 0, managed = 0;
  if (cuda->attribute(&type, memory_type_of, number_of(address)) != 0) return false;
  if (type == device_memory) return true;
  const int failed = cuda->attribute(&managed, is_managed, number_of(address));
  return failed == 0 && (managed & 1) != 0;
}

void copy_from_device(void* to, const void* from, std::size_t bytes) {
  on_its_device(from, bytes, "give",
                [&](const Driver& cuda) { return cuda.to_host(to, number_of(from), bytes); });
}

void copy_to_device(void* to, const void* from, std::size_t bytes) {
  on_its_device(to, bytes, "take", [&](const Driver& cuda) {
    const int failed = cuda.to_device(number_of(to), from, bytes);
    return failed != 0 ? failed : cuda.wait();  // it may return before the device has them
  });
}

}  // namespace thalweg
