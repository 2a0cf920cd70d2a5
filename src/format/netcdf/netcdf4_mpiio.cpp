// SPDX-License-Identifier: Apache-2.0
// The netCDF-4 container by MPI-IO: the head describes the file alone, all ranks of the team write
// it with parallel netCDF-4 (HDF5), field by field, each call collective.
#ifdef THALWEG_PARALLEL_NETCDF
#include <fmt/format.h>
#include <hdf5.h>
#include <netcdf.h>
#include <netcdf_par.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/call_limit.hpp"
#include "base/file_size_signal.hpp"
#include "file/file_bytes.hpp"
#include "format/container.hpp"
#include "format/netcdf/collective_container.hpp"
#include "format/netcdf/hdf5_id.hpp"
#include "format/netcdf/netcdf_calls.hpp"

namespace thalweg {

namespace {

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
  const Hdf5Id file(H5Fopen(aside.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  require_open(file, aside);
  for_each_kept(file, description, aside, [&](const Hdf5Id& dataset, auto& shape) {
    shape[0] = description.kept.size();
    const bool cut = H5Dset_extent(dataset.id(), shape.data()) >= 0;
    check_netcdf(cut ? NC_NOERR : NC_EHDFERR, "cut", aside);
  });
  check_netcdf(H5Fflush(file.id(), H5F_SCOPE_LOCAL) < 0 ? NC_EHDFERR : NC_NOERR, "cut", aside);
}

/// What MPI says of a file that HDF5 has open in this process.
IoHints hints_of_open_file(const std::string& path) {
  std::array<hid_t, 64> files{};
  const auto found =
      H5Fget_obj_ids(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_FILE, files.size(), files.data());
  for (ssize_t i = 0; i < found; ++i) {
    std::array<char, 4096> name{};
    const auto id = files[i];
    if (H5Fget_name(id, name.data(), name.size()) < 0) continue;
    std::error_code ignored;
    if (!std::filesystem::equivalent(name.data(), path, ignored)) continue;
    void* handle = nullptr;
    if (H5Fget_vfd_handle(id, H5P_DEFAULT, &handle) >= 0 && handle != nullptr) {
      return reported_hints(*static_cast<MPI_File*>(handle));
    }
  }
  return {};
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
    const IoInfo info(file().hints);
    int ncid = -1;
    NetcdfVariables variables;
    std::string failure;
    const auto note = [&](int status) {
      if (status != NC_NOERR && failure.empty()) failure = netcdf_reason(aside(), status);
    };
    {
      const CallLimit limit("all writers to open a file");
      note(nc_open_par(aside().c_str(), NC_WRITE, team(), info.handle(), &ncid));
    }
    if (failure.empty()) variables = find_variables(ncid);
    agree(failure, "open");
    if (head()) keep_reported(hints_of_open_file(aside()));

    if (file().in_chunks()) note(write_time_together(ncid, variables.time, time_index));
    for (std::size_t field = 0; field < variables.fields.size(); ++field) {
      const int variable = variables.fields[field];
      note(nc_var_par_access(ncid, variable, NC_COLLECTIVE));
      auto block = step.blocks.begin();
      for (int call = 0; call < calls[field]; ++call) {
        block = std::find_if(block, step.blocks.end(), [&](const StagedBlock& each) {
          return each.piece.field == static_cast<int>(field);
        });
        note(write_block(ncid, variable, time_index, static_cast<int>(field),
                         block == step.blocks.end() ? nullptr : &*block, step.memory));
        if (block != step.blocks.end()) ++block;
      }
    }
    {
      const CallLimit limit("all writers, or a slow disk, to close a file");
      note(nc_close(ncid));
    }
    agree(failure, "write");
  }

  int write_time_together(int ncid, int variable, int time_index) const {
    const std::size_t index = time_index;
    const std::size_t count = head() ? 1 : 0;
    const CallLimit limit("all writers, or a slow disk, to write a time");
    const int status = nc_var_par_access(ncid, variable, NC_COLLECTIVE);
    const int written = nc_put_vara_double(ncid, variable, &index, &count, &file().times_s[index]);
    return status == NC_NOERR ? written : status;
  }

  /// block = nullptr: takes part with nothing.
  int write_block(int ncid, int variable, int time_index, int field, const StagedBlock* block,
                  const std::vector<std::byte>& memory) const {
    const auto piece = block == nullptr ? Piece{field, 0, 0, 0, 0} : block->piece;
    const auto size = [](std::int64_t number) { return static_cast<std::size_t>(number); };
    const std::size_t one = block == nullptr ? 0 : 1;
    std::array<std::size_t, 3> start{size(time_index), size(piece.first_level),
                                     size(piece.first_point)};
    std::array<std::size_t, 3> count{one, size(piece.levels), size(piece.points)};
    if (file().fields[field].levels == 1) {
      start = {size(time_index), size(piece.first_point), 0};
      count = {one, size(piece.points), 0};
    }
    const auto* values = memory.data() + (block == nullptr ? 0 : block->offset);
    const CallLimit limit("all writers, or a slow disk, to write a time");
    return nc_put_vara(ncid, variable, start.data(), count.data(), values);
  }
};

}  // namespace

void check_kept_netcdf4_mpiio(const FileDescription& description) {
  if (!description.in_chunks()) return check_kept_fixed_layout(netcdf4_format(), description);
  const auto path = found_path(description.path);
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
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
