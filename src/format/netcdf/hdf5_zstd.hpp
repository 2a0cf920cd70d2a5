// SPDX-License-Identifier: Apache-2.0
// HDF5's filter 32015 (Zstandard), so that this program needs no plugin for it.
#pragma once

namespace thalweg {

/// Registers the filter with the HDF5 library of this process, unless it is there already.
void register_hdf5_zstd();

}  // namespace thalweg
