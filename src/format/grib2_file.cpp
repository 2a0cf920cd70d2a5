// SPDX-License-Identifier: Apache-2.0
#include "format/grib2_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "format/container.hpp"
#include "format/netcdf_calls.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

Grib2File::Grib2File(std::string path, bool is_head) : path_(std::move(path)), is_head_(is_head) {
  const int flags = O_WRONLY | O_CLOEXEC | (is_head ? O_CREAT | O_TRUNC : 0);
  descriptor_ = ::open((path_ + ".part").c_str(), flags, 0666);
  if (descriptor_ < 0) refuse(is_head ? "create" : "open", errno);
}

void Grib2File::write(std::int64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse("write", errno);
    if (written == 0) refuse("write", ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
}

void Grib2File::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) refuse("close", errno);  // network file systems write late
  if (is_head_) rename_to_final(path_);
}

void Grib2File::abandon() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void Grib2File::refuse(const char* what, int reason) const {
  throw Error(Blame::file_system,
              fmt::format("cannot {} '{}.part': {}", what, path_, refusal_reason(path_, reason)));
}

}  // namespace thalweg
