// SPDX-License-Identifier: Apache-2.0
// The GPU of a rank, and memory that it shares with the host. Of a build without CUDA: the same on
// the CPU, so that all that uses it is the same.
#pragma once

#include <cstddef>
#include <string>

namespace thalweg::mini {

/// Takes one of the GPUs of this node. number: of the rank on its node. Throws Error(user) where
/// there is none that can be had, or that host and kernels can share memory with. Returns what a
/// user should know; "" on a GPU.
std::string take_gpu(int number);

/// A pointer, or none where there is no more.
void* shared_room(std::size_t bytes);
void free_shared(void* room);

}  // namespace thalweg::mini
