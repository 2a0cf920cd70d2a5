// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU, which the host cannot read: asked of CUDA's driver, where the process has loaded
// it. The library needs no CUDA, neither to be built nor to run.
#pragma once

#include <cstddef>

namespace thalweg {

/// Whether the host has to wait for `address`: memory of a device, or of host and device (managed).
/// Pinned memory of the host is the host's.
bool is_on_device(const void* address);

/// Waits for what the device was told before in its default stream. Both throw Error(file_system)
/// with the driver's number of what went wrong.
void copy_from_device(void* to, const void* from, std::size_t bytes);
void copy_to_device(void* to, const void* from, std::size_t bytes);

}  // namespace thalweg
