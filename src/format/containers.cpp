// SPDX-License-Identifier: Apache-2.0
// Every container Thalweg knows. To add one: write <name>.cpp, declare its functions and add its
// line here; its reader is in python/thalweg/files/.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/words.hpp"
#include "codec/codec.hpp"
#include "format/container.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

using Create = std::unique_ptr<Container>(const FileDescription&, MPI_Comm);
using Join = std::unique_ptr<Container>(const FileDescription&, const std::string&, MPI_Comm);
using Check = void(const FileDescription&);

Create create_netcdf4, create_cdf5, create_classic, create_grib2, create_zarr, create_raw;
Join join_netcdf4, join_cdf5, join_classic, join_grib2, join_zarr, join_raw;
void write_virtual_dataset(const FileDescription&, std::span<const FileDescription>);
Check check_cdf5, check_classic, check_grib2, check_raw;
Check check_kept_netcdf4, check_kept_cdf5, check_kept_classic, check_kept_grib2, check_kept_zarr,
    check_kept_raw;
#ifdef THALWEG_PARALLEL_NETCDF
Create create_netcdf4_mpiio;
Join join_netcdf4_mpiio;
Check check_kept_netcdf4_mpiio;
#endif
#ifdef THALWEG_PNETCDF
Create create_cdf5_mpiio;
Join join_cdf5_mpiio;
#endif

namespace {
constexpr bool little_endian = false, big_endian = true;  // of the values that put() takes
constexpr bool parts = true, whole_grids = false;         // what a file may hold
constexpr bool plugins = true, no_plugins = false;        // that readers need for some codecs
constexpr EnumArray<Way, const char*, 2> way_words{"direct", "mpiio"};
constexpr std::array lossless{"deflate", "zstd"};
constexpr std::array of_every_hdf5{"deflate"}, packed{"ccsds"};
constexpr std::span<const char* const> uncompressed;
// Containers whose blocks find their place in the file only after each step.
bool never(const FileDescription&) { return false; }
#ifdef THALWEG_PARALLEL_NETCDF
bool always(const FileDescription&) { return true; }
#endif
bool if_sizes_vary(const FileDescription& file) { return file.in_chunks(); }

// name, way, suffix, reader, meaning, parts, byte order, plugins, compressions, settles, grows,
// create, join, check, tie, beside, fragile, check_kept
constexpr std::array all{
    ContainerInfo{"netcdf4", Way::direct, ".nc", "netcdf",
                  "netCDF-4 (HDF5), CF-1.11 and UGRID metadata", parts, little_endian, plugins,
                  lossless, if_sizes_vary, if_sizes_vary, create_netcdf4, join_netcdf4, nullptr,
                  write_virtual_dataset, nullptr, nullptr, check_kept_netcdf4},
    ContainerInfo{"cdf5", Way::direct, ".nc", "netcdf",
                  "netCDF CDF-5 (64-bit data), the same metadata", parts, big_endian, no_plugins,
                  uncompressed, never, never, create_cdf5, join_cdf5, check_cdf5, nullptr, nullptr,
                  nullptr, check_kept_cdf5},
    ContainerInfo{"classic", Way::direct, ".nc", "netcdf",
                  "netCDF 64-bit offset (CDF-2), at most 4 GiB a variable", parts, big_endian,
                  no_plugins, uncompressed, never, never, create_classic, join_classic,
                  check_classic, nullptr, nullptr, nullptr, check_kept_classic},
    ContainerInfo{"grib2", Way::direct, ".grb2", "grib2",
                  "GRIB edition 2, values packed into few bits", whole_grids, little_endian,
                  no_plugins, packed, if_sizes_vary, never, create_grib2, join_grib2, check_grib2,
                  nullptr, nullptr, nullptr, check_kept_grib2},
    ContainerInfo{"zarr", Way::direct, ".zarr", "zarr",
                  "Zarr 3 store: a directory of shards, one writer each", whole_grids,
                  little_endian, no_plugins, lossless, never, never, create_zarr, join_zarr,
                  nullptr, nullptr, nullptr, nullptr, check_kept_zarr},
    ContainerInfo{"raw", Way::direct, ".raw", "raw",
                  "bare little-endian values and a JSON description", parts, little_endian,
                  no_plugins, uncompressed, never, never, create_raw, join_raw, check_raw, nullptr,
                  ".json", nullptr, check_kept_raw},
#ifdef THALWEG_PARALLEL_NETCDF
    ContainerInfo{"netcdf4", Way::mpiio, ".nc", "netcdf", "netCDF-4 by parallel HDF5, collective",
                  parts, little_endian, plugins, of_every_hdf5, always, never, create_netcdf4_mpiio,
                  join_netcdf4_mpiio, nullptr, write_virtual_dataset, nullptr, if_sizes_vary,
                  check_kept_netcdf4_mpiio},
#endif
#ifdef THALWEG_PNETCDF
    ContainerInfo{"cdf5", Way::mpiio, ".nc", "netcdf", "netCDF CDF-5 by PnetCDF, collective", parts,
                  little_endian, no_plugins, uncompressed, always, never, create_cdf5_mpiio,
                  join_cdf5_mpiio, check_cdf5, nullptr, nullptr, nullptr, check_kept_cdf5},
#endif
};
}  // namespace

std::span<const ContainerInfo> containers() { return all; }

Way parse_way(std::string_view word) { return parse_word<Way>("[io]", "way", word, way_words); }

const char* way_word(Way way) { return way_words[way]; }

namespace {

void check_compression(const ContainerInfo& container, const Compression& compression) {
  if (compression.none()) return;
  const auto& word = compression.codec;
  const auto takes = [&](const ContainerInfo& kind) {
    return std::any_of(kind.compressions.begin(), kind.compressions.end(),
                       [&](const char* known) { return word == known; });
  };
  if (!takes(container)) {
    std::vector<std::string> names{"none"}, others;
    names.insert(names.end(), container.compressions.begin(), container.compressions.end());
    for (const auto& kind : all) {
      if (takes(kind)) others.push_back(fmt::format("{} ({})", kind.name, way_word(kind.way)));
    }
    throw Error(
        Blame::user,
        fmt::format("[[output]]: container '{}' written the {} way cannot be compressed by "
                    "'{}'; choose compression = {}{}{}.{}",
                    container.name, way_word(container.way), word, fmt::join(names, ", "),
                    others.empty() ? "" : ", or one of containers ", fmt::join(others, ", "),
                    others.empty() ? did_you_mean(word, names) : ""));
  }
  const auto codec = std::find_if(codecs().begin(), codecs().end(),
                                  [&](const Codec& known) { return word == known.name; });
  if (codec == codecs().end()) return;  // of the container itself, without levels
  if (compression.level >= 1 && compression.level <= codec->highest_level) return;
  throw Error(Blame::user, fmt::format("[[output]]: compression_level of '{}' is 1 to {}, not {}",
                                       word, codec->highest_level, compression.level));
}

}  // namespace

void check_file(const ContainerInfo& container, const FileDescription& file) {
  check_compression(container, file.compression);
  if (container.check != nullptr) container.check(file);
}

const ContainerInfo& find_container(std::string_view name, std::string_view way_wanted) {
  const auto way = parse_way(way_wanted);
  for (const auto& container : all) {
    if (name == container.name && way == container.way) return container;
  }
  std::vector<std::string> names;
  for (const auto& container : all) {
    if (way == container.way) names.emplace_back(container.name);
  }
  if (names.empty() && way == Way::mpiio) {
    throw Error(Blame::user,
                "[io]: way = \"mpiio\" is not there, because Thalweg was built without parallel "
                "netCDF; choose way = \"direct\"");
  }
  throw Error(Blame::user,
              fmt::format("[[output]]: container '{}' cannot be written the {} way; choose one of: "
                          "{}.{}",
                          name, way_wanted, fmt::join(names, ", "),
                          did_you_mean(std::string(name), names)));
}

}  // namespace thalweg
