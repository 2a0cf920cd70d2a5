// SPDX-License-Identifier: Apache-2.0
// MPI-IO: hints from text to MPI and back, the layer that does the work, and what a run's record
// keeps of both.
#pragma once

#include <mpi.h>

#include <map>
#include <string>
#include <string_view>

namespace thalweg {

using IoHints = std::map<std::string, std::string>;

/// "cb_nodes=4, striping_factor=64": hints key=value, divided by blanks or commas. Throws
/// Error(user).
IoHints parse_hints(std::string_view text);

/// An MPI_Info made of hints, freed at the end.
class IoInfo {
 public:
  explicit IoInfo(const IoHints& hints);
  ~IoInfo() { MPI_Info_free(&info_); }
  IoInfo(const IoInfo&) = delete;
  IoInfo& operator=(const IoInfo&) = delete;
  MPI_Info handle() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

/// The hints in an MPI_Info, which stays the caller's.
IoHints read_hints(MPI_Info info);
/// What MPI says of an open file. MPICH tells every hint in force with its value; Open MPI 4
/// repeats what was asked for, understood or not.
IoHints reported_hints(MPI_File file);

/// What the disk refused to a call that followed `errno = 0`, as an errno, or 0. OMPIO tells it to
/// nobody: a write that had no room is as good as done for MPI and the libraries above.
int refused_by_disk();

/// Who moves bytes between MPI and the file system.
struct MpiIoLayer {
  std::string name;     ///< "OMPIO", "ROMIO" or "unknown"
  std::string library;  ///< e.g. "Open MPI v4.1.4"
  IoHints parameters;   ///< OMPIO's own settings, in force where no hint overrides them
};
/// The layer that MPI uses for the file `path`. MPI must be initialised. Not collective.
MpiIoLayer mpi_io_layer(const std::string& path);

/// Does the directory of `path` lie on Lustre?
bool lies_on_lustre(const std::string& path);
/// Before the file `path` is created on Lustre: gives it stripes as the hints say (striping_factor,
/// striping_unit in bytes, start_iodevice), by the program `lfs`. Nothing happens without such
/// hints, elsewhere, or without `lfs`. Throws Error(file_system) with the answer of `lfs`.
void prepare_striping(const std::string& path, const IoHints& hints, bool on_lustre);
inline void prepare_striping(const std::string& path, const IoHints& hints) {
  prepare_striping(path, hints, lies_on_lustre(path));
}

/// One way in which this process wrote files through MPI-IO.
struct IoRecord {
  std::string container;  ///< name of the format
  int ranks = 0;          ///< of the team
  MpiIoLayer layer;
  IoHints asked, reported;
};
/// Remembered until write_mpi_io_record (thalweg/mpi_io.hpp); equal records are counted.
void record_io_hints(const IoRecord& record);

}  // namespace thalweg
