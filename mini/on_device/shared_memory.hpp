// SPDX-License-Identifier: Apache-2.0
// The model's memory where kernels run on a GPU (thalweg_mini_cuda): what `new` gives is shared
// with it, so that fields stay there from kernel to kernel and come to the host where that reads
// them, for a message, an output or a checkpoint.
#pragma once

#include <string>

namespace thalweg::mini {

/// Takes a GPU (gpu.hpp); from then on what `new` gives is shared with it. Memory of before stays
/// the host's: a model calls this before it makes what kernels are given.
std::string share_memory_with_gpu(int number);

}  // namespace thalweg::mini
