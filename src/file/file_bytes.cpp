// SPDX-License-Identifier: Apache-2.0
// pread, pwrite and rename, until all is done or refused.
#include "file/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/file_size_signal.hpp"
#include "file/aside_file.hpp"
#include "file/entries.hpp"
#include "file/refusal.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {
namespace fs = std::filesystem;
}  // namespace

FileBytes::FileBytes(const std::string& path, int flags) : path_(path) {
  do descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) refuse_file("open", path, errno);
}

FileBytes::~FileBytes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileBytes::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) refuse_file("close", path_, errno);
}

void FileBytes::read(std::span<std::byte> into, std::int64_t offset) const {
  while (!into.empty()) {
    const auto got = ::pread(descriptor_, into.data(), into.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_file("read", path_, errno);
    if (got == 0) refuse_end(path_, offset);
    into = into.subspan(got);
    offset += got;
  }
}

void FileBytes::write(std::span<const std::byte> bytes, std::int64_t offset) const {
  const FileSizeSignalBlocked blocked;
  while (!bytes.empty()) {
    const auto put = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) refuse_file("write", path_, put < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(put);
    offset += put;
  }
}

void FileBytes::append(std::span<const std::byte> bytes) const {
  const FileSizeSignalBlocked blocked;
  while (!bytes.empty()) {
    const auto put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) refuse_file("write", path_, put < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(put);
  }
}

void FileBytes::cut(std::int64_t bytes) const {
  if (::ftruncate(descriptor_, bytes) != 0) refuse_file("cut", path_, errno);
}

std::int64_t FileBytes::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse_file("look at", path_, errno);
  return status.st_size;
}

bool is_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    refuse_file("look at", path, errno);
  }
  if (S_ISDIR(status.st_mode)) refuse_file("read", path, EISDIR);
  return true;
}

std::optional<std::string> text_of(const std::string& path) {
  if (!is_file(path)) return std::nullopt;
  const FileBytes file(path, O_RDONLY);
  std::string text(file.size(), '\0');
  file.read(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

void replace_file(const std::string& path, std::span<const std::byte> bytes) {
  const auto aside = path + ".part";
  FileBytes file(aside, O_WRONLY | O_CREAT | O_TRUNC);
  file.write(bytes, 0);
  file.close();
  rename_file(aside, path);
}

void refuse_end(const std::string& path, std::int64_t byte) {
  throw Error(Blame::user,
              fmt::format("'{}' ends before its byte {}, which a run wrote; take the file back "
                          "from where it was copied, or begin anew",
                          path, byte));
}

void require_size(const std::string& path, std::int64_t bytes) {
  std::error_code none;
  const auto size = fs::file_size(path, none);
  if (none && !is_present(path)) {
    throw Error(Blame::user,
                fmt::format("'{}' is not there any more, which a run wrote; put it back, or begin "
                            "anew",
                            path));
  }
  if (none || static_cast<std::int64_t>(size) < bytes) refuse_end(path, bytes);
}

void make_directory(const std::string& path) {
  std::error_code refused;
  fs::create_directory(path, refused);
  if (refused) refuse_file("create", path, refused.value());
}

void rename_file(const std::string& from, const std::string& to) {
  std::error_code refused;
  fs::rename(from, to, refused);
  if (refused) refuse_file("rename", from, refused.value());
}

void require_file(const std::string& path) {
  if (is_present(path + ".part") || is_present(path)) return;
  throw Error(Blame::user,
              fmt::format("there is neither '{}' nor '{}.part', which the run before wrote; put it "
                          "back, or begin anew",
                          path, path));
}

std::string found_path(const std::string& path) {
  const auto aside = path + ".part";
  return is_present(aside) ? aside : path;
}

void take_back(const std::string& path) {
  require_file(path);
  if (!is_present(path + ".part")) rename_file(path, path + ".part");
}

}  // namespace thalweg
