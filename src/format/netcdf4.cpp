// SPDX-License-Identifier: Apache-2.0
// The netCDF-4 container: contiguous variables without fill, CF-1.11 and UGRID metadata.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include "format/container.hpp"
#include "format/netcdf_calls.hpp"
#include "format/ugrid.hpp"
#include "thalweg/trace.hpp"

namespace thalweg {

namespace {

class Netcdf4 final : public Container {
 public:
  explicit Netcdf4(const FileDescription& description) : file_(description) {
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

  ~Netcdf4() override { abandon(); }

  void put(int field, int time_index, const void* values) override {
    const auto& info = file_.fields[static_cast<std::size_t>(field)];
    const auto points = size_of(info.place);
    const auto time = static_cast<std::size_t>(time_index);
    const std::array<std::size_t, 3> start{time, 0, 0};
    std::array<std::size_t, 3> count{1, static_cast<std::size_t>(info.levels), points};
    if (info.levels == 1) count = {1, points, 0};
    check_netcdf(nc_put_vara(ncid_, variables_[static_cast<std::size_t>(field)], start.data(),
                             count.data(), values),
                 "write", aside_);
    if (file_.chunked) {
      check_netcdf(nc_put_var1_double(ncid_, time_variable_, &time, &file_.times_s[time]), "write",
                   aside_);
    }
    trace(info, time_index, values, points);
  }

  void close() override {
    open_ = false;
    check_netcdf(nc_close(ncid_), "close", aside_);
    std::error_code refused;
    std::filesystem::rename(aside_, file_.path, refused);
    if (refused) {
      throw Error(Blame::file_system, fmt::format("cannot give '{}' its final name: {}", aside_,
                                                  refusal_reason(file_.path, refused.value())));
    }
  }

  void abandon() noexcept override {
    if (open_) nc_close(ncid_);
    open_ = false;
  }

 private:
  std::size_t size_of(Place place) const {
    return static_cast<std::size_t>(file_.sizes[static_cast<std::size_t>(place)]);
  }

  void define() {
    // HDF5 allocates contiguous data late and nothing is filled: a byte reaches the disk once.
    check_netcdf(nc_set_fill(ncid_, NC_NOFILL, nullptr), "prepare", aside_);
    put_text(ncid_, NC_GLOBAL, "Conventions", "CF-1.11 UGRID-1.0");
    put_text(ncid_, NC_GLOBAL, "title", file_.title);
    put_text(ncid_, NC_GLOBAL, "source", file_.source);
    put_text(ncid_, NC_GLOBAL, "history", file_.history);
    put_text(ncid_, NC_GLOBAL, "references", "Thalweg, docs/mini-model.md");
    put_text(ncid_, NC_GLOBAL, "institution", "Thalweg");
    if (!file_.grid.empty()) put_text(ncid_, NC_GLOBAL, "grid_name", file_.grid);

    std::array<bool, 3> used{};
    bool layered = false;
    for (const auto& field : file_.fields) {
      used[static_cast<std::size_t>(field.place)] = true;
      layered = layered || field.levels > 1;
    }
    const UgridWriter mesh(file_.grid.empty() ? Grid{} : Grid::parse(file_.grid),
                           {used[0], used[1], used[2], false, false});
    if (!file_.grid.empty()) mesh.define(ncid_);
    define_time();
    if (layered) define_level();
    for (const auto& field : file_.fields) define_field(field);
    check_netcdf(nc_enddef(ncid_), "lay out", aside_);

    if (!file_.grid.empty()) mesh.write(ncid_);
    if (layered) {
      check_netcdf(nc_put_var_int(ncid_, level_variable_, file_.level_numbers.data()), "write",
                   aside_);
    }
    if (!file_.chunked) {
      check_netcdf(nc_put_var_double(ncid_, time_variable_, file_.times_s.data()), "write", aside_);
    }
    check_netcdf(nc_sync(ncid_), "write", aside_);  // a killed run leaves a readable aside file
  }

  int define_dimension(const char* name, std::size_t size) {
    int id = -1;
    if (nc_inq_dimid(ncid_, name, &id) == NC_NOERR) return id;  // made by the mesh description
    check_netcdf(nc_def_dim(ncid_, name, size, &id), "define a dimension in", aside_);
    return id;
  }

  void define_time() {
    time_dimension_ = define_dimension("time", file_.chunked ? NC_UNLIMITED : file_.times_s.size());
    check_netcdf(nc_def_var(ncid_, "time", NC_DOUBLE, 1, &time_dimension_, &time_variable_),
                 "define time in", aside_);
    auto since = file_.start_date;  // 2000-01-01T00:00:00Z -> 2000-01-01 00:00:00
    std::replace(since.begin(), since.end(), 'T', ' ');
    if (!since.empty() && since.back() == 'Z') since.pop_back();
    put_text(ncid_, time_variable_, "standard_name", "time");
    put_text(ncid_, time_variable_, "long_name", "valid time");
    put_text(ncid_, time_variable_, "units", "seconds since " + since);
    put_text(ncid_, time_variable_, "calendar", "proleptic_gregorian");
    put_text(ncid_, time_variable_, "units_metadata", "leap_seconds: none");
    put_text(ncid_, time_variable_, "axis", "T");
  }

  void define_level() {
    level_dimension_ = define_dimension("level", file_.level_numbers.size());
    check_netcdf(nc_def_var(ncid_, "level", NC_INT, 1, &level_dimension_, &level_variable_),
                 "define levels in", aside_);
    put_text(ncid_, level_variable_, "standard_name", "model_level_number");
    put_text(ncid_, level_variable_, "long_name", "layer");
    put_text(ncid_, level_variable_, "units", "1");
    put_text(ncid_, level_variable_, "axis", "Z");
    put_text(ncid_, level_variable_, "positive", "down");
  }

  void define_field(const FieldInfo& field) {
    const auto place = static_cast<std::size_t>(field.place);
    const int points = define_dimension(place_names[place], size_of(field.place));
    std::array<int, 3> dimensions{time_dimension_, level_dimension_, points};
    std::array<std::size_t, 3> chunk{1, 1, size_of(field.place)};
    int rank = 3;
    if (field.levels == 1) {
      dimensions = {time_dimension_, points, -1};
      chunk = {1, size_of(field.place), 0};
      rank = 2;
    }
    int variable = -1;
    check_netcdf(nc_def_var(ncid_, field.name.c_str(), file_.float64 ? NC_DOUBLE : NC_FLOAT, rank,
                            dimensions.data(), &variable),
                 "define a variable in", aside_);
    check_netcdf(nc_def_var_chunking(ncid_, variable, file_.chunked ? NC_CHUNKED : NC_CONTIGUOUS,
                                     file_.chunked ? chunk.data() : nullptr),
                 "lay out", aside_);
    if (!field.standard_name.empty())
      put_text(ncid_, variable, "standard_name", field.standard_name);
    put_text(ncid_, variable, "long_name", field.long_name);
    put_text(ncid_, variable, "units", field.units);
    if (!file_.grid.empty()) {
      put_text(ncid_, variable, "mesh", "mesh");
      put_text(ncid_, variable, "location", UgridWriter::location(field.place));
      put_text(ncid_, variable, "coordinates", UgridWriter::coordinates(field.place));
      put_text(ncid_, variable, "CDI_grid_type", "unstructured");
    }
    variables_.push_back(variable);
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
  int time_dimension_ = -1, level_dimension_ = -1;
  int time_variable_ = -1, level_variable_ = -1;
  std::vector<int> variables_;  // [field] netCDF id
};

}  // namespace

std::unique_ptr<Container> create_netcdf4(const FileDescription& description) {
  return std::make_unique<Netcdf4>(description);
}

}  // namespace thalweg
