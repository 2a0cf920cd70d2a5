// SPDX-License-Identifier: Apache-2.0
// Output in four calls: open, define, put, close.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/field.hpp"
#include "thalweg/grid.hpp"
#include "thalweg/settings.hpp"

namespace thalweg {

/// One output definition (ICON: one output_nml). Times are seconds since the start of the run.
struct StreamSettings {
  std::string name = "out";
  std::vector<std::string> variables{"all"};  ///< names, "all", "group:2d", "group:3d"
  double interval_s = 3600.0;
  double start_s = 0.0;
  double end_s = 0.0;                 ///< last output at or before this time
  double file_interval_s = 0.0;       ///< 0 = one file for the whole stream (per partition)
  std::vector<int> levels;            ///< 1-based levels to write; empty = all
  std::string place = "all";          ///< "all", "cell", "edge" or "vertex"
  std::string precision = "float32";  ///< or "float64"
  int partitions = 1;  ///< output times dealt round-robin, each share with its own files
  std::string container = "netcdf4";  ///< see `thalweg modes`
  std::string layout = "contiguous";  ///< netcdf4: or "chunked" (unlimited time axis)
  std::string compression =
      "none";                 ///< "deflate", "zstd" (netcdf4: chunked then; zarr), grib2: "ccsds"
  int compression_level = 1;  ///< of deflate (1-3 fast, 4-9 smaller) and zstd
  int bits = 16;              ///< grib2: bits per packed value
};

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
  std::string start_date = "2000-01-01T00:00:00Z";
  std::string title, source;  ///< global attributes of every file
  std::string
      grid;  ///< "RnBk": files then carry UGRID topology and coordinates; "" = no mesh in files
  std::string grid_uuid;  ///< with or without dashes; "" = that of `grid`, see Grid::uuid()
  double timeout_s = 600.0;
};

/// The same from the tables of an experiment; files go to DIRECTORY/files.
OutputSettings output_settings(const Experiment& experiment, const std::string& directory);
std::vector<StreamSettings> stream_settings(const Experiment& experiment);

/// What is left of streams for a run that continues at `time_s` (seconds since the start; 0: it
/// does not): their next output is the first after that time, and those that have ended are left
/// out.
std::vector<StreamSettings> streams_after(std::vector<StreamSettings> streams, double time_s);

/// The points of one place that this rank owns, as global indices in any order.
struct OwnedPoints {
  Place place;
  std::int64_t global_size;
  std::span<const std::int64_t> global;
  /// Position in the model's arrays of each owned point (ICON: (jb - 1) * nproma + jc - 1);
  /// empty = 0, 1, 2, ...
  std::span<const std::int64_t> positions = {};
};

/// The output of a run. Every call is collective over the compute ranks unless it says otherwise.
/// A failure on any rank (disk full, directory removed) throws the same Error on all compute ranks
/// at the next but one check(), or in close(); after it only destruction is allowed.
class Output {
 public:
  /// Collective over `world`. Unknown modes, transports or too many I/O ranks throw Error(user)
  /// everywhere.
  static Output open(MPI_Comm world, const OutputSettings& settings);
  Output(Output&&) noexcept;
  Output& operator=(Output&&) noexcept;
  ~Output();

  bool is_compute_rank() const;
  bool is_restart_rank() const;  ///< has no part in output: see restart.hpp
  /// Compute ranks, then restart ranks (MPI_COMM_NULL on I/O ranks); the communicator of a Restart.
  MPI_Comm restart_comm() const;
  /// Communicator of the compute ranks (MPI_COMM_NULL on I/O ranks); ranks keep their order.
  MPI_Comm compute_comm() const;
  /// On I/O ranks: works until every compute rank has called close(). Throws what made it fail.
  void serve();

  void define(std::span<const OwnedPoints> points);  ///< once, before fields
  void define(const FieldInfo& field);
  void define(const StreamSettings& stream);  ///< unknown variables throw Error(user)

  /// Is any stream due at this time? Not collective.
  bool due(double time_s) const;
  /// Does a due stream want this field at this time? Not collective.
  bool wants(std::string_view field, double time_s) const;
  /// Hands over one field. Returns when `view` may be overwritten, not when it is on disk. A field
  /// no stream wants at this time is ignored. Fields of one time may come in any order, the same on
  /// all ranks.
  void put(std::string_view field, const FieldView& view, double time_s);
  /// After the last put of an output time: the streams due are on their way. Includes a check().
  void end_time(double time_s);
  /// Call it every time step: compute ranks learn together that a rank failed, and all throw the
  /// same Error. Costs nothing to wait for: each call completes the question that the previous call
  /// asked.
  void check();
  /// Waits until every file is complete under its final name.
  void close();

  std::string describe() const;    ///< mode and transport in force, for logs (after the first put)
  int outputs_dropped() const;     ///< of them, by backpressure
  int outputs_written() const;     ///< output times handed over so far, summed over streams
  std::int64_t bytes_put() const;  ///< bytes of file data this output stands for so far (all ranks)

 private:
  struct State;
  explicit Output(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Checks a stream against the fields it may name, without MPI: throws Error(user) with one
/// sentence. `sizes`: points of [cell, edge, vertex], 0 = not known yet.
void check_stream(const StreamSettings& stream, std::span<const FieldInfo> fields,
                  const OutputSettings& settings, const std::array<std::int64_t, 3>& sizes = {});
/// Checks mode, transport and numbers of ranks, without MPI.
void check_output(const OutputSettings& settings, int ranks);

/// The list of modes, for `thalweg modes` and error sentences.
struct ModeInfo {
  std::string name, meaning;
};
std::vector<ModeInfo> output_modes();

}  // namespace thalweg
