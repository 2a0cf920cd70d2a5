// SPDX-License-Identifier: Apache-2.0
// The netCDF-4 container by MPI-IO: the head describes the file alone, all ranks of the team write
// it with parallel HDF5, field by field, each call collective.
#ifdef THALWEG_PARALLEL_NETCDF
#include <fmt/format.h>
#include <hdf5.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "base/call_limit.hpp"
#include "base/file_size_signal.hpp"
#include "file/file_bytes.hpp"
#include "file/ompio_name.hpp"
#include "file/refusal.hpp"
#include "format/container.hpp"
#include "format/netcdf/collective_container.hpp"
#include "format/netcdf/hdf5_id.hpp"
#include "format/netcdf/hdf5_together.hpp"
#include "format/netcdf/netcdf_calls.hpp"

namespace thalweg {

namespace {

constexpr std::int64_t index_bytes = 128;         // of a chunk in the B-tree of its field, about
constexpr std::int64_t least_growth = 64 * 1024;  // headers, and nodes that are hardly used

/// Points of a chunk: a whole level, or the largest part of one that a single writer has, so that
/// few chunks lie across writers.
std::int64_t chunk_points(const FileDescription& description, const FieldInfo& field) {
  std::int64_t largest = 0;
  for (const auto& piece : description.pieces) {
    if (description.fields[piece.field].name == field.name)
      largest = std::max(largest, piece.points);
  }
  const auto all = description.sizes[field.place];
  return std::max<std::int64_t>(largest == 0 ? all : std::min(largest, all), 1);
}

void describe_chunked(const FileDescription& description) {
  NetcdfStorage storage;
  storage.unlimited_time = true;
  storage.define_storage = [&](int ncid, int variable, const FieldInfo& field) {
    const std::size_t points = chunk_points(description, field);
    const std::array<std::size_t, 3> chunk{1, field.levels == 1 ? points : 1, points};
    check_netcdf(nc_def_var_chunking(ncid, variable, NC_CHUNKED, chunk.data()), "lay out",
                 description.path);
    if (description.compression.none()) return;
    check_netcdf(nc_def_var_deflate(ncid, variable, 1, 1, description.compression.level),
                 "compress", description.path);
  };
  // By the MPI-IO driver, though alone: only then does HDF5 1.10 note in the file that chunks get
  // their places when the time axis grows, and collective writes find them there.
  const FileSizeSignalBlocked blocked;
  const auto aside = description.path + ".part";
  free_ompio_name(aside);
  int ncid = -1;
  check_netcdf(
      nc_create_par(aside.c_str(), NC_NETCDF4 | NC_CLOBBER, MPI_COMM_SELF, MPI_INFO_NULL, &ncid),
      "create", aside);
  try {
    const auto variables = define_netcdf(ncid, description, storage);
    check_netcdf(nc_enddef(ncid), "lay out", aside);
    write_coordinates(ncid, description, variables, storage);
  } catch (...) {
    nc_close(ncid);
    throw;
  }
  check_netcdf(nc_close(ncid), "describe", aside);
}

/// Throws Error(user) if the file of an interrupted run did not open.
void require_open(const Hdf5Id& file, const std::string& path) {
  if (file.id() >= 0) return;
  if (access(path.c_str(), R_OK | W_OK) != 0) refuse_file("open", path, errno);
  throw Error(Blame::user,
              fmt::format("'{}' was being written by HDF5 when the run was killed, and does not "
                          "open again; begin anew, and choose [io] way = \"direct\", whose files "
                          "can be continued",
                          path));
}

/// Its time axis and fields, and what each has of times: act(dataset, shape). Throws Error(user) if
/// those are fewer than the kept ones.
template <class Act>
void for_each_kept(const Hdf5Id& file, const FileDescription& description, const std::string& path,
                   const Act& act) {
  std::vector<std::string> names{"time"};
  for (const auto& field : description.fields) names.push_back(field.name);
  for (const auto& name : names) {
    const Hdf5Id dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    check_netcdf(dataset.id() < 0 ? NC_EHDFERR : NC_NOERR, "look at", path);
    const Hdf5Id space(H5Dget_space(dataset.id()), H5Sclose);
    std::array<hsize_t, 3> shape{};
    H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr);
    if (shape[0] < description.kept.size()) {
      throw Error(Blame::user,
                  fmt::format("'{}' holds {} times of '{}', but the run before wrote {}; take the "
                              "file back from where it was copied, or begin anew",
                              path, shape[0], name, description.kept.size()));
    }
    act(dataset, shape);
  }
}

/// With the kept times only.
void go_on_chunked(const FileDescription& description) {
  take_back(description.path);
  const auto aside = description.path + ".part";
  const FileSizeSignalBlocked blocked;
  const Hdf5Id file(open_hdf5(aside, H5F_ACC_RDWR), H5Fclose);
  require_open(file, aside);
  for_each_kept(file, description, aside, [&](const Hdf5Id& dataset, auto& shape) {
    shape[0] = description.kept.size();
    const bool cut = H5Dset_extent(dataset.id(), shape.data()) >= 0;
    check_netcdf(cut ? NC_NOERR : NC_EHDFERR, "cut", aside);
  });
  check_netcdf(H5Fflush(file.id(), H5F_SCOPE_LOCAL) < 0 ? NC_EHDFERR : NC_NOERR, "cut", aside);
}

class Netcdf4MpiIo final : public CollectiveContainer {
 public:
  Netcdf4MpiIo(const FileDescription& description, MPI_Comm team)
      : CollectiveContainer("netcdf4", description,
                            description.in_chunks() ? nullptr : &netcdf4_format(), team) {}

 private:
  /// Blocks of each field: one call for each.
  std::vector<int> calls_needed(const StagedStep& step) const override {
    std::vector<int> calls(file().fields.size());
    for (const auto& block : step.blocks) ++calls[block.piece.field];
    return calls;
  }

  void write_step(int time_index, StagedStep& step, std::span<const int> calls) override {
    const FileSizeSignalBlocked blocked;
    std::string failure;
    std::optional<Hdf5Together> together;
    const auto note = [&](bool done) {
      if (done || !failure.empty()) return;
      const int refusal = together->refusal();
      failure = netcdf_reason(aside(), refusal == 0 ? NC_EHDFERR : refusal);
    };
    {
      const CallLimit limit("all writers to open a file");
      together.emplace(aside(), team(), file().hints);
    }
    note(together->is_open());
    agree(failure, "open");
    if (head()) keep_reported(together->hints());

    const auto& fields = file().fields;
    if (file().in_chunks()) note(write_time(*together, time_index));
    for (std::size_t field = 0; field < fields.size(); ++field) {
      auto block = step.blocks.begin();
      for (int call = 0; call < calls[field]; ++call) {
        block = std::find_if(block, step.blocks.end(), [&](const StagedBlock& each) {
          return each.piece.field == static_cast<int>(field);
        });
        const bool has_one = block != step.blocks.end();
        note(write_block(*together, time_index, fields[field], has_one ? &*block : nullptr,
                         step.memory));
        if (has_one) ++block;
      }
    }
    {
      const auto known = failure_anywhere(failure);
      const auto why = known.empty() ? "" : fmt::format("cannot write '{}': {}", aside(), known);
      const CallLimit limit("all writers, or a slow disk, to close a file", why);
      note(together->close());
    }
    if (failure.empty()) failure = read_back(time_index, step);
    agree(failure, "write");
  }

  /// Chunks, which are whole, and what finds them.
  std::int64_t growth() const override {
    if (!file().in_chunks()) return 0;
    std::int64_t bytes = 0;
    for (const auto& field : file().fields) {
      const auto chunk = chunk_points(file(), field);
      const auto chunks = (file().sizes[field.place] + chunk - 1) / chunk;
      bytes += field.levels * (chunks * chunk * file().value_bytes(field) + index_bytes * chunks);
    }
    return bytes + least_growth;
  }

  /// The time axis and all fields have room for it.
  bool write_time(Hdf5Together& together, int time_index) const {
    const CallLimit limit("all writers, or a slow disk, to write a time");
    const hsize_t index = time_index, one = 1;
    bool done = together.extend("time", index + 1);
    for (const auto& field : file().fields) done = together.extend(field.name, index + 1) && done;
    const Hdf5Box box{{&index, 1}, {&one, 1}};
    return together.write("time", head() ? &box : nullptr, ValueType::float64,
                          &file().times_s[index]) &&
           done;
  }

  /// block = nullptr: takes part with nothing.
  bool write_block(Hdf5Together& together, int time_index, const FieldInfo& field,
                   const StagedBlock* block, const std::vector<std::byte>& memory) const {
    const CallLimit limit("all writers, or a slow disk, to write a time");
    const auto type = file().type_of(field);
    if (block == nullptr) return together.write(field.name, nullptr, type, nullptr);
    const auto& piece = block->piece;
    const auto size = [](std::int64_t number) { return static_cast<hsize_t>(number); };
    std::array<hsize_t, 3> begin{size(time_index), size(piece.first_level),
                                 size(piece.first_point)};
    std::array<hsize_t, 3> count{1, size(piece.levels), size(piece.points)};
    Hdf5Box box{begin, count};
    if (field.levels == 1) {
      begin[1] = begin[2], count[1] = count[2];
      box = {std::span(begin).first(2), std::span(count).first(2)};
    }
    return together.write(field.name, &box, type, memory.data() + block->offset);
  }
};

}  // namespace

void check_kept_netcdf4_mpiio(const FileDescription& description) {
  if (!description.in_chunks()) return check_kept_fixed_layout(netcdf4_format(), description);
  const auto path = found_path(description.path);
  const Hdf5Id file(open_hdf5(path, H5F_ACC_RDONLY), H5Fclose);
  require_open(file, path);
  for_each_kept(file, description, path, [](const auto&, auto&) {});
}

std::unique_ptr<Container> create_netcdf4_mpiio(const FileDescription& description, MPI_Comm team) {
  auto file = description;
  if (!description.in_chunks()) {
    if (prepare_fixed_layout(netcdf4_format(), file).moved) file.kept.clear();
  } else if (description.kept.empty()) {
    prepare_striping(description.path + ".part", description.hints);
    describe_chunked(description);
  } else {
    go_on_chunked(description);
  }
  return std::make_unique<Netcdf4MpiIo>(file, team);
}

std::unique_ptr<Container> join_netcdf4_mpiio(const FileDescription& description,
                                              const std::string&, MPI_Comm team) {
  return std::make_unique<Netcdf4MpiIo>(description, team);
}

}  // namespace thalweg
#endif
