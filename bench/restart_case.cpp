// SPDX-License-Identifier: Apache-2.0
// Values that tell field, point, level and set apart; bare files.
#include "restart_case.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "thalweg/decomposition.hpp"
#include "thalweg/error.hpp"

namespace thalweg::bench {
namespace {

double value_at(std::size_t field, std::int64_t point, int level, int set) {
  return static_cast<double>(point) + 1e-3 * level + 1e7 * static_cast<double>(field) + 1e8 * set;
}

Mesh mesh_of(MPI_Comm comm, const RestartWorkload& workload, const std::string& decomposition) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Grid grid = Grid::parse(workload.grid);
  return build_mesh(Decomposition(grid, ranks, decomposition), rank, 1);
}

class BareFile {
 public:
  BareFile(const std::string& path, int flags)
      : path_(path), file_(::open(path.c_str(), flags, 0666)) {
    if (file_ < 0) refuse();
  }
  ~BareFile() { ::close(file_); }
  BareFile(const BareFile&) = delete;
  BareFile& operator=(const BareFile&) = delete;

  template <class Pointer, class Call>
  void move(Pointer values, std::size_t size, std::int64_t& offset, const Call& call) {
    while (size > 0) {
      const auto done = call(file_, values, size, offset);
      if (done <= 0) refuse();
      values += done;
      size -= done;
      offset += done;
    }
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(Blame::file_system, fmt::format("'{}': {}", path_, std::strerror(errno)));
  }
  std::string path_;
  int file_;
};

}  // namespace

std::int64_t RestartWorkload::bytes() const {
  const Grid shape = Grid::parse(grid);
  return (shape.size(Place::edge) + 2 * shape.size(Place::cell)) * levels *
         static_cast<std::int64_t>(sizeof(double));
}

RestartState::RestartState(MPI_Comm comm, const RestartWorkload& workload,
                           const std::string& decomposition)
    : mesh_(mesh_of(comm, workload, decomposition)),
      fields_{{"wind", "", "", "m s-1", Place::edge, workload.levels},
              {"density", "", "", "kg m-3", Place::cell, workload.levels},
              {"heat", "", "", "K", Place::cell, workload.levels}} {
  for (const auto& field : fields_) {
    const std::size_t points = mesh_.part(field.place).total();
    values_.emplace_back(points * field.levels, -1.0);
  }
}

std::size_t RestartState::owned_values(std::size_t field) const {
  return std::int64_t{mesh_.part(fields_[field].place).owned} * fields_[field].levels;
}

std::int64_t RestartState::point_of(std::size_t field, std::size_t local) const {
  return mesh_.part(fields_[field].place).global[local];
}

void RestartState::fill(int set) {
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    const std::size_t levels = fields_[field].levels;
    for (std::size_t i = 0; i < owned_values(field); ++i) {
      values_[field][i] =
          value_at(field, point_of(field, i / levels), static_cast<int>(i % levels), set);
    }
  }
}

void RestartState::clear() {
  for (auto& field : values_) std::fill(field.begin(), field.end(), -1.0);
}

std::int64_t RestartState::wrong(int set) const {
  std::int64_t count = 0;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    const std::size_t levels = fields_[field].levels;
    for (std::size_t i = 0; i < owned_values(field); ++i) {
      count += values_[field][i] != value_at(field, point_of(field, i / levels),
                                             static_cast<int>(i % levels), set)
                   ? 1
                   : 0;
    }
  }
  return count;
}

std::vector<OwnedPoints> RestartState::owned() const {
  std::vector<OwnedPoints> points;
  for (const Place place : {Place::cell, Place::edge}) {
    const PlacePart& part = mesh_.part(place);
    points.push_back({place, part.global_size, std::span(part.global).first(part.owned)});
  }
  return points;
}

std::vector<FieldView> RestartState::views() const {
  std::vector<FieldView> views;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    views.push_back({values_[field].data(), fields_[field].levels, 1});
  }
  return views;
}

std::vector<MutableFieldView> RestartState::mutable_views() {
  std::vector<MutableFieldView> views;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    views.push_back({values_[field].data(), fields_[field].levels, 1});
  }
  return views;
}

void RestartState::write_bare(const std::string& path, std::size_t slab_bytes) const {
  BareFile file(path, O_WRONLY | O_CREAT | O_TRUNC);
  std::int64_t offset = 0;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    const auto* values = reinterpret_cast<const char*>(values_[field].data());
    const auto bytes = owned_values(field) * sizeof(double);
    const auto slab = slab_bytes == 0 ? bytes : slab_bytes;
    for (std::size_t done = 0; done < bytes; done += slab) {
      file.move(values + done, std::min(slab, bytes - done), offset, ::pwrite);
    }
  }
}

void RestartState::read_bare(const std::string& path) {
  BareFile file(path, O_RDONLY);
  std::int64_t offset = 0;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    file.move(reinterpret_cast<char*>(values_[field].data()), owned_values(field) * sizeof(double),
              offset, ::pread);
  }
}

}  // namespace thalweg::bench
