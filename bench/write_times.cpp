// SPDX-License-Identifier: Apache-2.0
// A common start, a file on each writer, its bytes read back, its name removed.
#include "write_times.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "file/refusal.hpp"

namespace thalweg::bench {
namespace {

constexpr int small_files = 16;  ///< of a rank in one sample: some milliseconds on a local disk
constexpr auto small_bytes = static_cast<std::int64_t>(page_bytes);
constexpr std::uint64_t seeds_of_a_rank = std::uint64_t{1} << 32U;

/// The file is gone after this, whatever happened.
struct Removal {
  std::string path;
  ~Removal() { ::unlink(path.c_str()); }
};

}  // namespace

WriteTimer::WriteTimer(const Team& team, std::string directory, Way way, KnownBytes& bytes)
    : team_(team), directory_(std::move(directory)), way_(way), bytes_(bytes) {
  seed_ = seeds_of_a_rank * static_cast<std::uint64_t>(team.rank + 1);
}

std::string WriteTimer::path() const {
  return fmt::format("{}/{}_{}.raw", directory_, team_.name, team_.rank);
}

WriteTimer::Trial WriteTimer::time() {
  try {
    Trial trial;
    trial.made = write(RawFile::Open::make);
    trial.overwritten = write(RawFile::Open::overwrite);
    remove();
    return trial;
  } catch (...) {
    if (team_.is_mine()) ::unlink(path().c_str());
    throw;
  }
}

double WriteTimer::try_out(std::int64_t size_bytes) {
  const auto before = std::exchange(size_bytes_, size_bytes);
  const double took_s = time().made.wall_s;
  size_bytes_ = before;
  return took_s;
}

Sample WriteTimer::write(RawFile::Open how) {
  ++seed_;
  const auto sample = time_team(team_, "writing on other ranks", [&] {
    RawFile file(path(), how, way_);
    const double took_s = file.write(bytes_, seed_, size_bytes_);
    file.close();
    return took_s;
  });
  let_team(team_, "other ranks to read what they wrote",
           [&] { RawFile(path(), RawFile::Open::read, way_).check(bytes_, seed_, size_bytes_); });
  return sample;
}

void WriteTimer::remove() {
  let_team(team_, "other ranks to remove their files", [&] {
    if (::unlink(path().c_str()) != 0) refuse_file("remove", path(), errno);
  });
}

FileTimer::FileTimer(const Team& team, std::string directory, KnownBytes& bytes)
    : team_(team), directory_(std::move(directory)), bytes_(bytes) {}

Sample FileTimer::time() {
  ++seed_;
  const auto path = [&](int number) {
    return fmt::format("{}/small_{}_{}.raw", directory_, team_.rank, number);
  };
  auto sample = time_team(team_, "small files on other ranks", [&] {
    const double begin_s = MPI_Wtime();
    for (int number = 0; number < small_files; ++number) {
      const auto aside = path(number) + ".part";
      RawFile file(aside, RawFile::Open::make, Way::unflushed);
      file.write(bytes_, seed_, small_bytes);
      file.close();
      if (::rename(aside.c_str(), path(number).c_str()) != 0) refuse_file("rename", aside, errno);
    }
    return MPI_Wtime() - begin_s;
  });
  let_team(team_, "other ranks to look at their small files", [&] {
    for (int number = 0; number < small_files; ++number) {
      const Removal after{path(number)};
      RawFile(after.path, RawFile::Open::read, Way::unflushed).check(bytes_, seed_, small_bytes);
    }
  });
  sample.wall_s /= small_files;
  sample.cpu_s /= small_files;
  return sample;
}

std::int64_t free_bytes(const std::string& directory) {
  struct statvfs disk {};
  if (::statvfs(directory.c_str(), &disk) != 0) refuse_file("look at", directory, errno);
  return static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
}

}  // namespace thalweg::bench
