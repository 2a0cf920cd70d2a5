// SPDX-License-Identifier: Apache-2.0
// A file that several ranks write at places they know: no position is shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace thalweg {

/// PATH.part until it is complete. Errors throw Error(file_system) with path and reason.
class Grib2File {
 public:
  Grib2File(std::string path, bool is_head);  ///< the head creates, the others open
  ~Grib2File() { abandon(); }
  Grib2File(const Grib2File&) = delete;
  Grib2File& operator=(const Grib2File&) = delete;

  void write(std::int64_t offset, std::span<const std::byte> bytes) const;
  void close();  ///< the head's gives the file its final name
  void abandon() noexcept;

 private:
  [[noreturn]] void refuse(const char* what, int reason) const;
  std::string path_;
  bool is_head_;
  int descriptor_ = -1;
};

}  // namespace thalweg
