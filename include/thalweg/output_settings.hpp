// SPDX-License-Identifier: Apache-2.0
// What a model says of its output before it begins: streams, mode, ranks, buffers.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "thalweg/compression.hpp"
#include "thalweg/model_time.hpp"
#include "thalweg/settings.hpp"

namespace thalweg {

/// One output definition (ICON: one output_nml). Times count from the start of the run.
struct StreamSettings {
  std::string name = "out";
  std::vector<std::string> variables{"all"};  ///< names, "all", "group:2d", "group:3d"
  ModelTime interval = 3600.0, start;
  ModelTime end;              ///< last output at or before this time; 0 = the end of the run
  ModelTime file_interval;    ///< 0 = one file for the whole stream (per partition)
  std::vector<int> levels;    ///< 1-based levels to write; empty = all
  std::string place = "all";  ///< "all", "cell", "edge" or "vertex"
  std::string precision = "float32";  ///< or "float64"
  int partitions = 1;  ///< output times dealt round-robin, each share with its own files
  std::string container = "netcdf4";  ///< see `thalweg modes`
  std::string layout = "contiguous";  ///< netcdf4: or "chunked" (unlimited time axis)
  Compression compression;
  std::string bounds = "auto";  ///< of cells, edges, vertices in files with a mesh: or "always",
                                ///< "never"; auto: where they are less than 2 % of the values

  bool operator==(const StreamSettings&) const = default;
};

/// Calls visit(key of settings.toml, member) for every setting of a stream: what reads settings,
/// packs and unpacks them goes through it. To add a setting: its member, its line here, and its
/// entry in settings.toml.
template <class Settings, class Visit>
requires std::same_as<std::remove_const_t<Settings>, StreamSettings>
void visit_settings(Settings& stream, Visit&& visit) {
  visit("name", stream.name);
  visit("variables", stream.variables);
  visit("interval", stream.interval);
  visit("start", stream.start);
  visit("end", stream.end);
  visit("file_interval", stream.file_interval);
  visit("levels", stream.levels);
  visit("place", stream.place);
  visit("precision", stream.precision);
  visit("partitions", stream.partitions);
  visit("layout", stream.layout);
  visit("container", stream.container);
  visit("compression", stream.compression.codec);
  visit("compression_level", stream.compression.level);
  visit("bits", stream.compression.bits);
  visit("bounds", stream.bounds);
}

struct OutputSettings {
  std::string mode = "serial";  ///< see `thalweg modes`
  int io_ranks = 0;             ///< dedicated I/O ranks; 0 in shared_file and file_parallel:
                                ///< compute ranks write themselves
  int restart_ranks = 0;        ///< dedicated restart ranks (see restart.hpp)
  std::string placement =
      "last";  ///< of I/O and restart ranks: "last", "first", "spread", "per_node"
  std::string transport =
      "auto";  ///< "shared_memory", "rma", "two_sided", "auto": per pair of ranks
  std::string backpressure = "block";  ///< "spill", "thin": what happens when buffers are full
  std::int64_t budget_bytes = 0;  ///< of buffered output per I/O rank; 0 = two steps of its streams
  std::string spill_directory;    ///< node-local; "" = $TMPDIR or /tmp
  std::string way = "direct";     ///< or "mpiio": how bytes reach a shared file
  std::string page_cache = "auto";  ///< or "always", "never": do large writes go through it?
  std::string
      hints;  ///< MPI-IO hints "key=value key=value"; on Lustre striping is set before creation
  std::string directory = "files";  ///< must exist
  std::string journals;             ///< where journals of the files go; "" = journal/ below it
  std::string start_date = "2000-01-01T00:00:00Z";
  ModelTime duration;  ///< of the run; 0 = not known here: then every stream needs an end
  /// Global attributes of every file: title, institution, source, references, comment, ... What is
  /// not given is left out; Conventions, history and what names the grid are ours.
  std::map<std::string, std::string> attributes;
  std::string
      grid;  ///< "RnBk": files then carry UGRID topology and coordinates; "" = no mesh in files
  std::string grid_uuid;  ///< with or without dashes; "" = that of `grid`, see Grid::uuid()
  double timeout_s = 600.0;
};

/// Calls visit(what a sentence calls it, member) for every setting of an output: open() compares
/// them on all ranks. To add a setting: its member and its line here.
template <class Settings, class Visit>
requires std::same_as<std::remove_const_t<Settings>, OutputSettings>
void visit_settings(Settings& output, Visit&& visit) {
  visit("[io] mode", output.mode);
  visit("[io] ranks", output.io_ranks);
  visit("[restart] ranks", output.restart_ranks);
  visit("[io] placement", output.placement);
  visit("[io] transport", output.transport);
  visit("[io] backpressure", output.backpressure);
  visit("[io] budget", output.budget_bytes);
  visit("[io] spill_directory", output.spill_directory);
  visit("[io] way", output.way);
  visit("[io] page_cache", output.page_cache);
  visit("[io] hints", output.hints);
  visit("the output directory", output.directory);
  visit("the directory of journals", output.journals);
  visit("[time] start", output.start_date);
  visit("[time] duration", output.duration);
  visit("[attributes]", output.attributes);
  visit("[grid] name", output.grid);
  visit("grid_uuid", output.grid_uuid);
  visit("[io] timeout", output.timeout_s);
}

/// The same from the tables of an experiment; files go to DIRECTORY/files. For its restart ranks
/// ask restart_ranks() of restart.hpp.
OutputSettings output_settings(const Experiment& experiment, const std::string& directory);
std::vector<StreamSettings> stream_settings(const Experiment& experiment);
/// The stream with its end within a run of this duration (0 = not known).
StreamSettings with_end(StreamSettings stream, ModelTime duration);

}  // namespace thalweg
