// SPDX-License-Identifier: Apache-2.0
// The CDF-5 container by MPI-IO: the head describes the file with netCDF-C, all ranks of the team
// write it with PnetCDF, many requests in one collective call.
#ifdef THALWEG_PNETCDF
#include <fmt/format.h>
#include <pnetcdf.h>

#include <array>
#include <cerrno>

#include "base/call_limit.hpp"
#include "base/file_size_signal.hpp"
#include "file/ompio_name.hpp"
#include "file/refusal.hpp"
#include "format/container.hpp"
#include "format/netcdf/collective_container.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

/// Values that one rank hands to PnetCDF between two collective calls; its limit is 2 GiB.
constexpr std::size_t batch_bytes = std::size_t{1} << 30U;

MPI_Datatype mpi_type(ValueType type) {
  static_assert(sizeof(int) == 4 && sizeof(long long) == 8);
  // PnetCDF knows types by their names in C: MPI_INT32_T is none of them.
  const PerType<MPI_Datatype> types{MPI_DOUBLE, MPI_FLOAT, MPI_INT, MPI_LONG_LONG};
  return types[type];
}

/// Keeps the first failure of a rank that goes on taking part.
class FirstFailure {
 public:
  void note(int status) {
    if (status != NC_NOERR && sentence_.empty()) sentence_ = ncmpi_strerror(status);
  }
  /// Of a call that followed errno = 0: what the disk refused comes before what PnetCDF says.
  void note_disk(const std::string& path, int status) {
    const int reason = refused_by_disk();
    if (reason != 0 && sentence_.empty()) sentence_ = refusal_reason(path, reason);
    note(status);
  }
  const std::string& sentence() const { return sentence_; }

 private:
  std::string sentence_;
};

class Cdf5MpiIo final : public CollectiveContainer {
 public:
  Cdf5MpiIo(const FileDescription& description, MPI_Comm team)
      : CollectiveContainer("cdf5", description, &cdf5_format(), team) {}

 private:
  std::size_t bytes_of(const StagedBlock& block) const {
    return block.piece.points * block.piece.levels * value_size(block.piece.field);
  }

  /// One call for each batch.
  std::vector<int> calls_needed(const StagedStep& step) const override {
    int batches = step.blocks.empty() ? 0 : 1;
    std::size_t filled = 0;
    for (const auto& block : step.blocks) {
      if (filled > 0 && filled + bytes_of(block) > batch_bytes) ++batches, filled = 0;
      filled += bytes_of(block);
    }
    return {batches};
  }

  void write_step(int time_index, StagedStep& step, std::span<const int> calls) override {
    const FileSizeSignalBlocked blocked;
    const IoInfo info(file().hints);
    int ncid = -1;
    FirstFailure opening;
    {
      const CallLimit limit("all writers to open a file");
      free_ompio_name(aside());
      opening.note(ncmpi_open(team(), aside().c_str(), NC_WRITE, info.handle(), &ncid));
    }
    std::vector<int> variables(file().fields.size());
    for (std::size_t i = 0; opening.sentence().empty() && i < variables.size(); ++i) {
      opening.note(ncmpi_inq_varid(ncid, file().fields[i].name.c_str(), &variables[i]));
    }
    agree(opening.sentence(), "open");
    MPI_Info used = MPI_INFO_NULL;
    if (ncmpi_inq_file_info(ncid, &used) == NC_NOERR) keep_reported(read_hints(used));
    if (used != MPI_INFO_NULL) MPI_Info_free(&used);

    FirstFailure writing;
    std::size_t next = 0;
    for (int batch = 0; batch < calls.front(); ++batch) {
      std::vector<int> requests;
      for (std::size_t filled = 0; next < step.blocks.size(); ++next) {
        const auto bytes = bytes_of(step.blocks[next]);
        if (filled > 0 && filled + bytes > batch_bytes) break;
        filled += bytes;
        requests.push_back(NC_REQ_NULL);
        writing.note(
            post(ncid, variables, time_index, step.blocks[next], step.memory, &requests.back()));
      }
      std::vector<int> statuses(requests.size(), NC_NOERR);
      const CallLimit limit("all writers, or a slow disk, to write a time");
      errno = 0;
      const int status =
          ncmpi_wait_all(ncid, static_cast<int>(requests.size()), requests.data(), statuses.data());
      writing.note_disk(aside(), status);
      for (const int each : statuses) writing.note(each);
    }
    {
      const CallLimit limit("all writers, or a slow disk, to close a file");
      errno = 0;
      writing.note_disk(aside(), ncmpi_close(ncid));
    }
    agree(writing.sentence().empty() ? read_back(time_index, step) : writing.sentence(), "write");
  }

  /// `memory` may be byte-swapped in place until the collective call.
  int post(int ncid, const std::vector<int>& variables, int time_index, const StagedBlock& block,
           std::vector<std::byte>& memory, int* request) const {
    const auto& piece = block.piece;
    const auto& info = file().fields[piece.field];
    std::array<MPI_Offset, 3> start{time_index, piece.first_level, piece.first_point};
    std::array<MPI_Offset, 3> count{1, piece.levels, piece.points};
    if (info.levels == 1) {
      start = {time_index, piece.first_point, 0};
      count = {1, piece.points, 0};
    }
    return ncmpi_iput_vara(ncid, variables[piece.field], start.data(), count.data(),
                           memory.data() + block.offset, piece.levels * piece.points,
                           mpi_type(file().type_of(info)), request);
  }
};

}  // namespace

std::unique_ptr<Container> create_cdf5_mpiio(const FileDescription& description, MPI_Comm team) {
  auto file = description;
  if (prepare_fixed_layout(cdf5_format(), file).moved) file.kept.clear();
  return std::make_unique<Cdf5MpiIo>(file, team);
}

std::unique_ptr<Container> join_cdf5_mpiio(const FileDescription& description, const std::string&,
                                           MPI_Comm team) {
  return std::make_unique<Cdf5MpiIo>(description, team);
}

}  // namespace thalweg
#endif
