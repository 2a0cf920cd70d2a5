# SPDX-License-Identifier: Apache-2.0
"""What a model calls, beside a kernel on ranks, in C."""

from __future__ import annotations

INTERFACE = """
// Begins MPI if nobody has; the communicator of all ranks, as Fortran numbers it.
extern "C" int @name@_begin_mpi() {
  int has_begun = 0, level = 0;
  MPI_Initialized(&has_begun);
  if (!has_begun) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  return MPI_Comm_c2f(MPI_COMM_WORLD);
}
extern "C" void @name@_end_mpi() { MPI_Finalize(); }
// Collective. Points of each place: own ones first. owners, globals: [place][point]: whose each is,
// and its number in the whole grid; -2 as the owner of the last ones: each rank has them
// for itself. A wait of more than limit_s ends the program with a sentence.
// Null, and why, on all ranks, if one refuses.
extern "C" void* @name@_ranks(int comm, std::int64_t places, const char* const* names,
                              const std::int64_t* totals, const std::int64_t* own,
                              const std::int32_t* const* owners, const std::int64_t* const* globals,
                              double limit_s, char* said, std::int64_t room) {
  return make_ranks(comm, places, names, totals, own, owners, globals, limit_s, said, room);
}
extern "C" void @name@_free_ranks(void* ranks) { free_ranks(static_cast<Ranks*>(ranks)); }
// A field that travels again only after a kernel has set it, or `changed` was called for it: on all
// ranks or on none. Others travel whenever a kernel reads them at neighbours.
extern "C" void @name@_keeps(void* ranks, const void* field) {
  static_cast<Ranks*>(ranks)->keep(field);
}
extern "C" void @name@_changed(void* ranks, const void* field) {
  static_cast<Ranks*>(ranks)->changed(field);
}
// Whether points are computed while values travel, as they are unless one says 0: to measure it.
extern "C" void @name@_overlaps(void* ranks, int on) {
  static_cast<Ranks*>(ranks)->overlaps = on != 0;
}
// Since the beginning: seconds of packing and of waiting; exchanges, messages and bytes that left.
extern "C" void @name@_told(void* ranks, double* figures) {
  const Told& told = static_cast<Ranks*>(ranks)->told;
  const double all[] = {told.packing, told.waiting, static_cast<double>(told.exchanges),
                        static_cast<double>(told.messages), static_cast<double>(told.bytes)};
  std::copy(std::begin(all), std::end(all), figures);
}
extern "C" void @name@_free_parts(void* parts) { delete static_cast<Parts*>(parts); }
"""
