// SPDX-License-Identifier: Apache-2.0
// Every method of the output benchmark. To add one: write it, declare it in peers.hpp, add its
// line.
#include "methods.hpp"

#include <algorithm>
#include <array>

#include "peers.hpp"

namespace thalweg::bench {
namespace {

constexpr int slow_steps = 1;  // of some seconds each

const std::vector<Method> all{
    {"memory_copy", "memory copy of the same bytes", memory_copy, {}, nothing_to_check},
    {"pwrite", "pwrite of each rank's values as they lie", contiguous_pwrite, {}, check_rank_order},
    {"owner_pwrite",
     "fields whole to one rank each, reordered, one pwrite",
     owner_pwrite,
     {},
     check_raw},
    {"owner_pwrite_8mib", "the same with one pwrite for 8 MiB", owner_pwrite_8mib, {}, check_raw},
    {"owner_pwrite_past_cache",
     "the same past the page cache (O_DIRECT)",
     owner_pwrite_past_cache,
     {},
     check_raw},
    {"gather_pwrite", "everything to rank 0, reordered, pwrite", gather_pwrite, {}, check_raw},
#ifdef THALWEG_PNETCDF
    {"owner_pnetcdf", "by owner, PnetCDF independent (CDF-5)", owner_pnetcdf, {}, check_netcdf},
    {"range_pnetcdf", "cell ranges, PnetCDF collective (CDF-5)", range_pnetcdf, {}, check_netcdf},
#endif
    {"owner_netcdf4",
     "by owner, parallel netCDF-4 independent, contiguous",
     owner_netcdf4,
     {},
     check_netcdf},
    {"range_netcdf4",
     "cell ranges, parallel netCDF-4 collective, contiguous",
     range_netcdf4,
     {},
     check_netcdf},
    {"deflate_netcdf4",
     "levels by owner, parallel netCDF-4 with shuffle + deflate 1, collective",
     deflate_netcdf4,
     {},
     check_netcdf,
     slow_steps},
    {"serial_netcdf4", "ours: rank 0 gathers and writes", nullptr, Ours{"serial", "netcdf4"},
     check_netcdf},
    {"shared_cdf5", "ours: shared CDF-5 file, direct", nullptr, Ours{"shared_file", "cdf5"},
     check_netcdf},
    {"shared_netcdf4", "ours: shared netCDF-4 file, contiguous, direct", nullptr,
     Ours{"shared_file", "netcdf4"}, check_netcdf},
    {"shared_netcdf4_deflate", "ours: shared netCDF-4 file, deflate 1, direct", nullptr,
     Ours{"shared_file", "netcdf4", "deflate"}, check_netcdf},
    {"shared_raw", "ours: shared raw file, direct", nullptr, Ours{"shared_file", "raw"}, check_raw},
    {"shared_cdf5_mpiio", "ours: shared CDF-5 file through PnetCDF", nullptr,
     Ours{"shared_file", "cdf5", "none", "mpiio"}, check_netcdf},
    {"shared_netcdf4_mpiio", "ours: shared netCDF-4 file through parallel HDF5", nullptr,
     Ours{"shared_file", "netcdf4", "none", "mpiio"}, check_netcdf},
    {"file_parallel_netcdf4", "ours: one netCDF-4 file per rank and an index", nullptr,
     Ours{"file_parallel", "netcdf4"}, check_netcdf},
    {"dedicated_async_2_2", "ours: 2 compute + 2 I/O ranks, one writer per partition, end to end",
     nullptr, Ours{"async", "netcdf4", "none", "direct", 2, 2}, check_netcdf},
    {"dedicated_async_3_1", "ours: 3 compute + 1 I/O rank, end to end", nullptr,
     Ours{"async", "netcdf4", "none", "direct", 1, 1}, check_netcdf},
    {"dedicated_shared_2_2", "ours: 2 compute + 2 I/O ranks write one file together, end to end",
     nullptr, Ours{"shared_file", "netcdf4", "none", "direct", 2, 1}, check_netcdf},
    {"dedicated_shared_3_1", "ours: 3 compute + 1 I/O rank, mode shared_file, end to end", nullptr,
     Ours{"shared_file", "netcdf4", "none", "direct", 1, 1}, check_netcdf},
};

}  // namespace

std::span<const Method> methods() { return all; }

const std::vector<Rival>& rivals() {
  static const std::vector<Rival> list{
      {"owner_pwrite", {"owner_pwrite"}},
      {"owner_pwrite_8mib", {"owner_pwrite_8mib"}},
      {"owner_pwrite_past_cache", {"owner_pwrite_past_cache"}},
      {"owner_pnetcdf", {"owner_pnetcdf"}},
      {"owner_pwrite|owner_pnetcdf", {"owner_pwrite", "owner_pnetcdf"}},
      {"owner_netcdf4", {"owner_netcdf4"}},
      {"deflate_netcdf4", {"deflate_netcdf4"}},
  };
  return list;
}

Trial run_method(Session& session, const Method& method, int steps) {
  steps = std::min(steps, method.most_steps);
  if (!method.ours)
    return time_steps(session, steps, [&](int step) { method.peer(session, step); });
  if (method.ours->io_ranks > 0) return write_end_to_end(session, *method.ours, steps);
  return write_steps(session, *method.ours, steps);
}

}  // namespace thalweg::bench
