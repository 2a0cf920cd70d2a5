// SPDX-License-Identifier: Apache-2.0
// The model's memory where kernels run on a GPU (thalweg_mini_cuda): what `new` gives is memory
// that the host and the GPU both see, so that fields stay on the GPU from kernel to kernel and come
// to the host where that reads them, for a message, an output or a checkpoint.
#pragma once

#include <string>

namespace thalweg::mini {

/// Takes one of the GPUs of this node, before the first kernel. number: of the rank on its node.
/// Throws Error(user) where there is none. Returns what a user should know; "" on a GPU.
std::string take_gpu(int number);

}  // namespace thalweg::mini
