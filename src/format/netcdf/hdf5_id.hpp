// SPDX-License-Identifier: Apache-2.0
// HDF5 identifiers that end themselves, and what every caller of HDF5 needs.
#pragma once

#include <hdf5.h>

#include <cerrno>
#include <string>

#include "thalweg/field.hpp"

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

/// Negative: it does not open, and errno may tell why, for what becomes our sentence: nothing is
/// printed from now on.
inline hid_t open_hdf5(const std::string& path, unsigned flags, hid_t access = H5P_DEFAULT) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  errno = 0;
  return H5Fopen(path.c_str(), flags, access);
}

/// Of values in memory.
inline hid_t native_type(ValueType type) {
  const PerType<hid_t> types{H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT32,
                             H5T_NATIVE_INT64};
  return types[type];
}

}  // namespace thalweg
