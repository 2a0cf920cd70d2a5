// SPDX-License-Identifier: Apache-2.0
// thalweg_codec_bench: compressed netCDF-4 of real fields on one core, by netCDF-C and by us.
#include <fmt/format.h>
#include <mpi.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "format/netcdf/netcdf4_chunked.hpp"
#include "format/netcdf/netcdf4_reader.hpp"
#include "json_lines.hpp"
#include "measuring.hpp"
#include "thalweg/error.hpp"
#include "thalweg/grid.hpp"

namespace {

using namespace thalweg;
using namespace thalweg::bench;

constexpr const char* usage =
    "Usage: codec_bench FILE.nc [--repetitions N]\n"
    "FILE.nc: a netCDF-4 file of ours; its float32 variables (time, level, points) are written\n"
    "beside it and read again.\n";

/// Everything the trials write: values[field][(time * levels + level) * points + point].
struct Fields {
  FileDescription file;
  std::vector<std::vector<float>> values;
  std::size_t times = 0, bytes = 0;

  std::size_t points_of(std::size_t field) const { return file.sizes[file.fields[field].place]; }
  std::size_t time_values(std::size_t field) const {
    return file.fields[field].levels * points_of(field);
  }
};

void check(int status, const std::string& what) {
  if (status == NC_NOERR) return;
  throw Error(Blame::file_system, fmt::format("cannot {}: {}", what, nc_strerror(status)));
}

std::size_t place_named(const std::string& name) {
  std::size_t place = 0;
  while (place < place_names.size() && name != place_names[place]) ++place;
  return place;
}

Fields read_fields(const std::string& path) {
  Fields fields;
  int ncid = -1, variables = 0;
  check(nc_open(path.c_str(), NC_NOWRITE, &ncid), "open '" + path + "'");
  check(nc_inq_nvars(ncid, &variables), "list the variables of '" + path + "'");
  for (int id = 0; id < variables; ++id) {
    std::array<char, NC_MAX_NAME + 1> name{}, axis{};
    nc_type type = NC_NAT;
    int rank = 0;
    std::array<int, NC_MAX_VAR_DIMS> dimension{};
    nc_inq_var(ncid, id, name.data(), &type, &rank, dimension.data(), nullptr);
    if (type != NC_FLOAT || rank != 3) continue;
    std::array<std::size_t, 3> shape{};
    for (std::size_t i = 0; i < 3; ++i) nc_inq_dim(ncid, dimension[i], axis.data(), &shape[i]);
    const auto place = place_named(axis.data());
    if (place == place_names.size()) continue;
    FieldInfo info;
    info.name = info.long_name = name.data();
    info.place = static_cast<Place>(place);
    info.levels = static_cast<int>(shape[1]);
    fields.file.fields.push_back(info);
    fields.file.sizes[place] = static_cast<std::int64_t>(shape[2]);
    fields.times = shape[0];
    fields.file.level_numbers.resize(shape[1]);
    fields.values.emplace_back(shape[0] * shape[1] * shape[2]);
    check(nc_get_var_float(ncid, id, fields.values.back().data()), "read '" + path + "'");
    fields.bytes += fields.values.back().size() * sizeof(float);
  }
  nc_close(ncid);
  if (fields.bytes == 0) {
    throw Error(Blame::user,
                fmt::format("'{}' has no float32 variable of (time, level, points)", path));
  }
  for (std::size_t time = 0; time < fields.times; ++time) {
    fields.file.times_s.push_back(3600.0 * static_cast<double>(time));
    fields.file.steps.push_back(static_cast<int>(time));
  }
  fields.file.start_date = "2000-01-01T00:00:00Z";
  fields.file.chunked = true;
  return fields;
}

void write_by_netcdf(const Fields& fields, const std::string& path) {
  int ncid = -1, time = -1, level = -1;
  const auto good = [&](int status) { check(status, "write '" + path + "'"); };
  good(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &ncid));
  good(nc_set_fill(ncid, NC_NOFILL, nullptr));
  good(nc_def_dim(ncid, "time", NC_UNLIMITED, &time));
  good(nc_def_dim(ncid, "level", fields.file.level_numbers.size(), &level));
  std::map<Place, int> place;
  std::vector<int> ids;
  for (std::size_t i = 0; i < fields.values.size(); ++i) {
    const auto& info = fields.file.fields[i];
    const auto points = fields.points_of(i);
    if (!place.contains(info.place))
      good(nc_def_dim(ncid, place_names[info.place], points, &place[info.place]));
    const int dimension[] = {time, level, place[info.place]};
    const std::size_t chunk[] = {1, 1, points};
    int id = -1;
    good(nc_def_var(ncid, info.name.c_str(), NC_FLOAT, 3, dimension, &id));
    good(nc_def_var_chunking(ncid, id, NC_CHUNKED, chunk));
    good(nc_def_var_deflate(ncid, id, 1, 1, 1));
    ids.push_back(id);
  }
  good(nc_enddef(ncid));
  for (std::size_t t = 0; t < fields.times; ++t) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::size_t start[] = {t, 0, 0};
      const std::size_t count[] = {1, fields.file.level_numbers.size(), fields.points_of(i)};
      good(nc_put_vara_float(ncid, ids[i], start, count,
                             fields.values[i].data() + t * fields.time_values(i)));
    }
  }
  good(nc_close(ncid));
}

void write_by_us(const Fields& fields, const std::string& path, const char* compression) {
  auto description = fields.file;
  description.path = path;
  description.compression.codec = compression;
  const auto container = create_netcdf4_chunked(description, MPI_COMM_SELF);
  for (int t = 0; t < static_cast<int>(fields.times); ++t) {
    for (std::size_t i = 0; i < fields.values.size(); ++i) {
      const Piece piece{static_cast<int>(i), 0, description.fields[i].levels, 0,
                        static_cast<std::int64_t>(fields.points_of(i))};
      container->put(piece, t, fields.values[i].data() + t * fields.time_values(i));
    }
    container->settle(t, container->grant(t, {container->request(t)}).front());
  }
  container->close();
}

using Values = std::vector<std::vector<float>>;

void read_by_netcdf(const Fields& fields, const std::string& path, Values& into) {
  int ncid = -1;
  const auto good = [&](int status) { check(status, "read '" + path + "'"); };
  good(nc_open(path.c_str(), NC_NOWRITE, &ncid));
  for (std::size_t t = 0; t < fields.times; ++t) {
    for (std::size_t i = 0; i < into.size(); ++i) {
      int id = -1;
      const std::size_t start[] = {t, 0, 0};
      const std::size_t count[] = {1, fields.file.level_numbers.size(), fields.points_of(i)};
      good(nc_inq_varid(ncid, fields.file.fields[i].name.c_str(), &id));
      good(nc_get_vara_float(ncid, id, start, count, into[i].data() + t * fields.time_values(i)));
    }
  }
  good(nc_close(ncid));
}

void read_by_us(const Fields& fields, const std::string& path, Values& into) {
  const Netcdf4Reader reader(path);
  for (std::size_t t = 0; t < fields.times; ++t)
    for (std::size_t i = 0; i < into.size(); ++i)
      reader.read(fields.file.fields[i].name, static_cast<std::int64_t>(t), 0,
                  fields.file.fields[i].levels, into[i].data() + t * fields.time_values(i));
}

/// One way of writing or reading. `against`: the method its speed is divided by.
struct CodecMethod {
  const char *name, *meaning, *file, *against;
  std::function<void(const Fields&, const std::string& path)> write;
  std::function<void(const Fields&, const std::string& path, Values&)> read;
};

const std::vector<CodecMethod>& codec_methods() {
  constexpr const char *write = "netcdf_c_write", *read = "netcdf_c_read";
  static const std::vector<CodecMethod> list{
      {"netcdf_c_write", "netCDF-C: shuffle, deflate 1", "netcdf_c.nc", write, write_by_netcdf, {}},
      {"deflate_write",
       "ours: shuffle, deflate 1",
       "deflate.nc",
       write,
       [](const Fields& f, const std::string& p) { write_by_us(f, p, "deflate"); },
       {}},
      {"zstd_write",
       "ours: shuffle, zstd 1",
       "zstd.nc",
       write,
       [](const Fields& f, const std::string& p) { write_by_us(f, p, "zstd"); },
       {}},
      {"netcdf_c_read", "netCDF-C reads its file", "netcdf_c.nc", read, {}, read_by_netcdf},
      {"deflate_read", "we read our file", "deflate.nc", read, {}, read_by_us},
      {"zstd_read", "we read our file", "zstd.nc", read, {}, read_by_us},
      {"deflate_read_of_netcdf_c", "we read netCDF-C's file", "netcdf_c.nc", read, {}, read_by_us},
      {"netcdf_c_read_of_deflate",
       "netCDF-C reads our file",
       "deflate.nc",
       read,
       {},
       read_by_netcdf}};
  return list;
}

struct Samples {
  std::vector<double> speed, cpu_s;  // [repetition], MB/s and s
  std::uintmax_t file_bytes = 0;
};

class Bench {
 public:
  Bench(const std::string& path, int repetitions)
      : fields_(read_fields(path)),
        folder_(std::filesystem::absolute(path).parent_path() / "codec_bench"),
        repetitions_(repetitions) {
    for (const auto& values : fields_.values) read_.emplace_back(values.size());
    std::filesystem::create_directories(folder_);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void run() {
    const auto& methods = codec_methods();
    for (int repetition = 0; repetition < repetitions_; ++repetition) {
      for (const auto& method : methods) {
        measure(method);
        print_line({{"progress",
                     {{"done", ++done_},
                      {"of", repetitions_ * methods.size()},
                      {"method", method.name}}}});
      }
    }
    for (const auto& method : methods) print_line(line_of(method));
  }

 private:
  void measure(const CodecMethod& method) {
    const auto path = (folder_ / method.file).string();
    if (method.write) std::filesystem::remove(path);
    // A reader must earn every value.
    for (auto& values : read_) std::fill(values.begin(), values.end(), -1.0F);
    if (method.read) bring_into_cache(path);
    const double cpu_before_s = cpu_now_s(), begin_s = MPI_Wtime();
    if (method.write)
      method.write(fields_, path);
    else
      method.read(fields_, path, read_);
    const double wall_s = MPI_Wtime() - begin_s;
    auto& samples = samples_[method.name];
    samples.cpu_s.push_back(cpu_now_s() - cpu_before_s);
    samples.speed.push_back(static_cast<double>(fields_.bytes) / wall_s / 1e6);
    samples.file_bytes = std::filesystem::file_size(path);
    if (method.read) check_values(method);
  }

  /// Decoders are compared, not disks: some files were written past the page cache.
  static void bring_into_cache(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> some(std::size_t{1} << 20U);
    while (file.read(some.data(), static_cast<std::streamsize>(some.size()))) {
    }
  }

  void check_values(const CodecMethod& method) const {
    for (std::size_t i = 0; i < read_.size(); ++i) {
      const auto& wanted = fields_.values[i];
      if (std::memcmp(read_[i].data(), wanted.data(), wanted.size() * sizeof(float)) != 0) {
        throw Error(Blame::bug, fmt::format("{} gives other values of '{}' than were written",
                                            method.name, fields_.file.fields[i].name));
      }
    }
  }

  static nlohmann::json as_json(const std::vector<double>& samples) {
    const auto spread = spread_of(samples);
    return {{"median", rounded(spread.median)},
            {"p05", rounded(spread.p05)},
            {"p95", rounded(spread.p95)}};
  }

  nlohmann::json line_of(const CodecMethod& method) const {
    const auto& mine = samples_.at(method.name);
    const auto& rival = samples_.at(method.against);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < mine.speed.size(); ++i)
      ratios.push_back(mine.speed[i] / rival.speed[i]);
    nlohmann::json line{{"bench", "codec"},
                        {"method", method.name},
                        {"meaning", method.meaning},
                        {"n", mine.speed.size()},
                        {"unit", "MB/s"},
                        {"cpu_s", rounded(spread_of(mine.cpu_s).median)},
                        {"value_bytes", fields_.bytes},
                        {"file_bytes", mine.file_bytes}};
    line.update(as_json(mine.speed));
    line["paired_ratio"] = {{method.against, as_json(ratios)}};
    return line;
  }

  Fields fields_;
  std::filesystem::path folder_;
  int repetitions_;
  std::size_t done_ = 0;
  Values read_;  // what the last reader read
  std::map<std::string, Samples> samples_;
};

int run(const std::vector<std::string>& words) {
  int repetitions = 5;
  if (words.size() == 3 && words[1] == "--repetitions")
    repetitions = std::atoi(words[2].c_str());
  else if (words.size() != 1)
    repetitions = 0;
  if (repetitions < 1 || words.front().starts_with("-")) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  Bench(words.front(), repetitions).run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 2;
  try {
    code = run({argv + 1, argv + argc});
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    code = error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    code = 1;
  }
  MPI_Finalize();
  return code;
}
