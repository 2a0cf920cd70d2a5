// SPDX-License-Identifier: Apache-2.0
// Parallel netCDF-4: by owner and independent, by cell range and collective, deflated.
#include <fmt/format.h>
#include <netcdf.h>
#include <netcdf_par.h>

#include <vector>

#include "exchange.hpp"
#include "file/ompio_name.hpp"
#include "peers.hpp"
#include "range_exchange.hpp"

namespace thalweg::bench {
namespace {

void must(int status, const char* what) {
  if (status != NC_NOERR) give_up(fmt::format("netCDF, {}: {}", what, nc_strerror(status)));
}

enum class Storage { contiguous, deflated };

/// A file with variables f0, f1, ... (level, cell), without fill.
struct File {
  int id = -1;
  std::vector<int> variables;

  File(const Session& session, const std::string& path, Storage storage, int access) {
    constexpr int threshold_bytes = 1 << 20, page_bytes = 4096;
    must(nc_set_alignment(threshold_bytes, page_bytes), "alignment");
    free_ompio_name(path);
    must(nc_create_par(path.c_str(), NC_NETCDF4 | NC_CLOBBER, session.comm, session.hints, &id),
         "create");
    int fill = 0, dimensions[2] = {0, 0};
    must(nc_set_fill(id, NC_NOFILL, &fill), "no fill");
    const std::size_t levels = session.workload.levels;
    const std::size_t cells = session.workload.cells;
    must(nc_def_dim(id, "level", levels, &dimensions[0]), "dimension");
    must(nc_def_dim(id, "cell", cells, &dimensions[1]), "dimension");
    for (int field = 0; field < session.workload.fields; ++field) {
      int variable = -1;
      must(nc_def_var(id, fmt::format("f{}", field).c_str(), NC_FLOAT, 2, dimensions, &variable),
           "variable");
      const std::size_t chunk[2] = {1, cells};
      const bool contiguous = storage == Storage::contiguous;
      must(nc_def_var_chunking(id, variable, contiguous ? NC_CONTIGUOUS : NC_CHUNKED, chunk),
           "storage");
      if (!contiguous) must(nc_def_var_deflate(id, variable, 1, 1, 1), "deflate");
      variables.push_back(variable);
    }
    must(nc_enddef(id), "end of definitions");
    for (const int variable : variables) must(nc_var_par_access(id, variable, access), "access");
  }

  void put(int field, const std::size_t (&start)[2], const std::size_t (&count)[2],
           const float* values) const {
    must(nc_put_vara_float(id, variables[field], start, count, values), "write");
  }

  void close() const { must(nc_close(id), "close"); }
};

/// Writes the rank's shares; with collective access every rank must take part in every call.
void write_shares(Session& session, const std::vector<Share>& shares, const File& file) {
  ShareExchange exchange(session, shares, session.values.data());
  const std::size_t cells = session.workload.cells;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].owner != session.rank) continue;
    file.put(shares[i].field, {static_cast<std::size_t>(shares[i].first_level), 0},
             {static_cast<std::size_t>(shares[i].levels), cells}, exchange.take(i));
  }
  exchange.finish();
}

}  // namespace

void owner_netcdf4(Session& session, int step) {
  const File file(session, session.file_of(step, ".nc"), Storage::contiguous, NC_INDEPENDENT);
  write_shares(session, whole_fields(session), file);
  file.close();
}

void range_netcdf4(Session& session, int step) {
  RangeExchange exchange(session);
  const File file(session, session.file_of(step, ".nc"), Storage::contiguous, NC_COLLECTIVE);
  const std::size_t first = exchange.first_cell();
  const std::size_t levels = session.workload.levels;
  for (int field = 0; field < session.workload.fields; ++field) {
    file.put(field, {0, first}, {levels, static_cast<std::size_t>(exchange.cells())},
             exchange.take(field));
  }
  exchange.finish();
  file.close();
}

// Whole levels to one rank each: no chunk has two writers, and every rank deflates its part of
// every field. HDF5 takes filtered data collectively only.
void deflate_netcdf4(Session& session, int step) {
  const File file(session, session.file_of(step, ".nc"), Storage::deflated, NC_COLLECTIVE);
  write_shares(session, level_ranges(session), file);
  file.close();
}

}  // namespace thalweg::bench
