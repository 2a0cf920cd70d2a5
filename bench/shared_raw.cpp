// SPDX-License-Identifier: Apache-2.0
// pwrite until everything is written.
#include "shared_raw.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace thalweg::bench {
namespace {

int open_or_give_up(const std::string& path, int flags) {
  constexpr int mode = 0644;
  const int file = ::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, mode);
  if (file < 0) give_up(fmt::format("'{}' cannot be written: {}", path, std::strerror(errno)));
  return file;
}

}  // namespace

SharedRaw::SharedRaw(const Session& session, const std::string& path, bool past_cache)
    : path_(path) {
  const int way = past_cache ? O_DIRECT : 0;
  if (session.rank == 0) file_ = open_or_give_up(path, way | O_CREAT | O_TRUNC);
  MPI_Barrier(session.comm);
  if (session.rank != 0) file_ = open_or_give_up(path, way);
}

SharedRaw::SharedRaw(const std::string& path)
    : path_(path), file_(open_or_give_up(path, O_CREAT | O_TRUNC)) {}

SharedRaw::~SharedRaw() { ::close(file_); }

void SharedRaw::write(const float* values, std::int64_t count, std::int64_t first_value) {
  constexpr auto value_bytes = static_cast<std::int64_t>(sizeof(float));
  const auto* bytes = reinterpret_cast<const char*>(values);
  std::int64_t left = count * value_bytes, offset = first_value * value_bytes;
  while (left > 0) {
    const auto written = ::pwrite(file_, bytes, left, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      give_up(fmt::format("'{}' cannot be written: {}", path_, std::strerror(errno)));
    bytes += written, left -= written, offset += written;
  }
}

}  // namespace thalweg::bench
