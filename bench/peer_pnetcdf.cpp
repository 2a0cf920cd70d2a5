// SPDX-License-Identifier: Apache-2.0
// PnetCDF, CDF-5: by owner and independent, by cell range and collective.
#ifdef THALWEG_PNETCDF

#include <fmt/format.h>
#include <pnetcdf.h>

#include <vector>

#include "exchange.hpp"
#include "file/ompio_name.hpp"
#include "peers.hpp"
#include "range_exchange.hpp"

namespace thalweg::bench {
namespace {

void succeed(int status, const char* what) {
  if (status != NC_NOERR) give_up(fmt::format("PnetCDF, {}: {}", what, ncmpi_strerror(status)));
}

/// A CDF-5 file with variables f0, f1, ... (level, cell); PnetCDF does not fill by default.
struct Cdf5File {
  int id = -1;
  std::vector<int> variables;

  Cdf5File(const Session& session, const std::string& path) {
    free_ompio_name(path);
    succeed(
        ncmpi_create(session.comm, path.c_str(), NC_CLOBBER | NC_64BIT_DATA, session.hints, &id),
        "create");
    int dimensions[2] = {0, 0};
    succeed(ncmpi_def_dim(id, "level", session.workload.levels, &dimensions[0]), "dimension");
    succeed(ncmpi_def_dim(id, "cell", session.workload.cells, &dimensions[1]), "dimension");
    for (int field = 0; field < session.workload.fields; ++field) {
      variables.push_back(-1);
      succeed(ncmpi_def_var(id, fmt::format("f{}", field).c_str(), NC_FLOAT, 2, dimensions,
                            &variables.back()),
              "variable");
    }
    succeed(ncmpi_enddef(id), "end of definitions");
  }

  void close() const { succeed(ncmpi_close(id), "close"); }
};

}  // namespace

void owner_pnetcdf(Session& session, int step) {
  const auto shares = whole_fields(session);
  ShareExchange exchange(session, shares, session.values.data());
  const Cdf5File file(session, session.file_of(step, ".nc"));
  succeed(ncmpi_begin_indep_data(file.id), "independent mode");
  const MPI_Offset start[2] = {0, 0}, count[2] = {session.workload.levels, session.workload.cells};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].owner != session.rank) continue;
    const int variable = file.variables[shares[i].field];
    succeed(ncmpi_put_vara_float(file.id, variable, start, count, exchange.take(i)), "write");
  }
  exchange.finish();
  succeed(ncmpi_end_indep_data(file.id), "independent mode");
  file.close();
}

void range_pnetcdf(Session& session, int step) {
  RangeExchange exchange(session);
  const Cdf5File file(session, session.file_of(step, ".nc"));
  const MPI_Offset start[2] = {0, exchange.first_cell()},
                   count[2] = {session.workload.levels, exchange.cells()};
  for (int field = 0; field < session.workload.fields; ++field) {
    const int variable = file.variables[field];
    succeed(ncmpi_put_vara_float_all(file.id, variable, start, count, exchange.take(field)),
            "write");
  }
  exchange.finish();
  file.close();
}

}  // namespace thalweg::bench

#endif
