// SPDX-License-Identifier: Apache-2.0
// The netCDF-4 container: contiguous variables without fill, CF-1.11 and UGRID metadata.
#include "format/netcdf4_chunked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "format/container.hpp"
#include "format/netcdf_calls.hpp"
#include "format/netcdf_metadata.hpp"
#include "thalweg/trace.hpp"

namespace thalweg {

namespace {

class Netcdf4Chunked final : public Container {
 public:
  explicit Netcdf4Chunked(const FileDescription& description) : file_(description) {
    aside_ = file_.path + ".part";
    check_netcdf(nc_create(aside_.c_str(), NC_NETCDF4 | NC_CLOBBER, &ncid_), "create", aside_);
    open_ = true;
    try {
      define();
    } catch (...) {
      abandon();
      throw;
    }
  }

  ~Netcdf4Chunked() override { abandon(); }

  void put(const Piece& piece, int time_index, const void* values) override {
    const auto field = piece.field;
    const auto& info = file_.fields[static_cast<std::size_t>(field)];
    const auto points = size_of(info.place);
    const auto time = static_cast<std::size_t>(time_index);
    const std::array<std::size_t, 3> start{time, 0, 0};
    std::array<std::size_t, 3> count{1, static_cast<std::size_t>(info.levels), points};
    if (info.levels == 1) count = {1, points, 0};
    check_netcdf(nc_put_vara(ncid_, variables_.fields[static_cast<std::size_t>(field)],
                             start.data(), count.data(), values),
                 "write", aside_);
    if (file_.chunked) write_time(ncid_, file_, variables_, time_index);
    trace(info, time_index, values, points);
  }

  void close() override {
    open_ = false;
    check_netcdf(nc_close(ncid_), "close", aside_);
    rename_to_final(file_.path);
  }

  void drop(int) override {}

  void abandon() noexcept override {
    if (open_) nc_close(ncid_);
    open_ = false;
  }

 private:
  std::size_t size_of(Place place) const {
    return static_cast<std::size_t>(file_.sizes[static_cast<std::size_t>(place)]);
  }

  void define() {
    NetcdfStorage storage;
    storage.unlimited_time = file_.chunked;
    if (file_.chunked) {
      storage.define_storage = [this](int ncid, int variable, const FieldInfo& field) {
        const auto points = size_of(field.place);
        const std::array<std::size_t, 3> chunk{1, field.levels == 1 ? points : 1, points};
        check_netcdf(nc_def_var_chunking(ncid, variable, NC_CHUNKED, chunk.data()), "lay out",
                     aside_);
      };
    }
    variables_ = define_netcdf(ncid_, file_, storage);
    check_netcdf(nc_enddef(ncid_), "lay out", aside_);
    write_coordinates(ncid_, file_, variables_, storage);
    check_netcdf(nc_sync(ncid_), "write", aside_);  // a killed run leaves a readable aside file
  }

  void trace(const FieldInfo& info, int time_index, const void* values, std::size_t points) const {
    if (!trace_watches(info.name, file_.steps[static_cast<std::size_t>(time_index)])) return;
    const auto& target = trace_target();
    const auto found =
        std::find(file_.level_numbers.begin(), file_.level_numbers.end(), target.level);
    const auto level = info.levels == 1 ? 0 : found - file_.level_numbers.begin();
    const auto offset =
        static_cast<std::size_t>(level) * points + static_cast<std::size_t>(target.point);
    const double value = file_.float64
                             ? static_cast<const double*>(values)[offset]
                             : static_cast<double>(static_cast<const float*>(values)[offset]);
    trace_stop("container", static_cast<std::int64_t>(offset), value,
               fmt::format("netcdf4 variable '{}' of '{}', time index {}, {}", info.name,
                           std::filesystem::path(file_.path).filename().string(), time_index,
                           file_.chunked ? "chunked" : "contiguous"));
  }

  FileDescription file_;
  std::string aside_;
  int ncid_ = -1;
  bool open_ = false;
  NetcdfVariables variables_;
};

}  // namespace

std::unique_ptr<Container> create_netcdf4_chunked(const FileDescription& description, MPI_Comm) {
  return std::make_unique<Netcdf4Chunked>(description);
}

std::unique_ptr<Container> join_netcdf4_chunked(const FileDescription& description,
                                                const std::string&, MPI_Comm) {
  throw Error(Blame::user, "'" + description.path + "' is chunked: one rank writes it");
}

}  // namespace thalweg
