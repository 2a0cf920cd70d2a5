// SPDX-License-Identifier: Apache-2.0
// HDF5 identifiers that end themselves.
#pragma once

#include <hdf5.h>

namespace thalweg {

/// An HDF5 identifier (negative = the call that should have made it failed) and the call that ends
/// it.
class Hdf5Id {
 public:
  Hdf5Id(hid_t id, herr_t (*end)(hid_t)) : id_(id), end_(end) {}
  ~Hdf5Id() {
    if (id_ >= 0) end_(id_);
  }
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;
  hid_t id() const { return id_; }

 private:
  hid_t id_;
  herr_t (*end_)(hid_t);
};

}  // namespace thalweg
