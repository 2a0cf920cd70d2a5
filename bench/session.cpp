// SPDX-License-Identifier: Apache-2.0
// Memory and hints that the methods share.
#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace thalweg::bench {

float* Scratch::at_least(std::size_t values) {
  if (values > memory_.size()) memory_.assign(values, 0.0F);  // every page is touched here
  return memory_.data();
}

Session::Session(const Workload& what, std::string where)
    : workload(what), expected(workload), directory(std::move(where)) {
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  deal = Deal{workload.blocks(), ranks};
  values.resize(own_cells() * workload.levels * workload.fields);
  // No read-modify-write around strided pieces; PnetCDF may swap bytes where the values lie.
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "romio_ds_write", "disable");
  MPI_Info_set(hints, "nc_in_place_swap", "enable");
}

void Session::touch_memory() {
  const std::size_t step = workload.field_values() * workload.fields;
  const auto share = step / ranks + step / 64;  // blocks deal unevenly
  received.at_least(rank == 0 ? step : share);
  ordered.at_least(workload.field_values());
  packed.at_least(share);
}

std::string Session::file_of(int step, const char* suffix) const {
  return fmt::format("{}/step_{:02}{}", directory, step, suffix);
}

void give_up(const std::string& sentence) {
  fmt::print(stderr, "thalweg: error: {}\n", sentence);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();  // MPI_Abort does not return
}

}  // namespace thalweg::bench
