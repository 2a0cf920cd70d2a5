// SPDX-License-Identifier: Apache-2.0
// Transport rma: staging memory lies in an MPI window, I/O ranks get from it; compute ranks take no
// part.
#include <sys/statvfs.h>

#include "output/transport.hpp"

namespace thalweg {

namespace {

class Rma final : public Transport {
 public:
  Rma(MPI_Win window, double* memory, std::vector<SlotMap> maps)
      : window_(window), memory_(memory), maps_(std::move(maps)) {
    // One shared lock for the life of the window: passive target, no synchronisation by compute
    // ranks.
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~Rma() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  const char* name() const override { return "rma"; }
  double* memory() override { return memory_; }
  void publish(int, int, int) override { MPI_Win_sync(window_); }
  void reclaim(int, int) override {}

  void fetch(int source, int lane, int slot, int position, double* into) override {
    const auto& map = maps_[static_cast<std::size_t>(source)];
    const auto offset = map.slot_offset(lane, slot) + map.field_offset(lane, position);
    const auto count = static_cast<int>(map.field_size(lane, position));
    if (count == 0) return;
    MPI_Get(into, count, MPI_DOUBLE, source, offset, count, MPI_DOUBLE, window_);
  }

  void fetch_all() override {
    MPI_Win_flush_all(window_);
    MPI_Win_sync(window_);
  }

 private:
  MPI_Win window_;
  double* memory_;
  std::vector<SlotMap> maps_;
};

}  // namespace

namespace {

/// Open MPI keeps the windows of one node in /dev/shm. When they do not fit, MPI_Win_allocate fails
/// on one rank and waits for ever on the others, so it is not called: collective over all ranks.
bool windows_fit(const Ranks& ranks, std::int64_t bytes) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(ranks.control, MPI_COMM_TYPE_SHARED, ranks.rank, MPI_INFO_NULL, &node);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, node);
  MPI_Comm_free(&node);
  struct statvfs memory {};
  int fit = 1;
  if (statvfs("/dev/shm", &memory) == 0) {
    const auto room = static_cast<std::int64_t>(memory.f_bavail * memory.f_frsize);
    constexpr std::int64_t bookkeeping = 1 << 20;  // page rounding and the windows' own state
    fit = bytes + bookkeeping <= room ? 1 : 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &fit, 1, MPI_INT, MPI_MIN, ranks.control);
  return fit == 1;
}

}  // namespace

std::unique_ptr<Transport> make_rma(const Ranks& ranks, std::vector<SlotMap> maps) {
  const auto size = ranks.is_compute() ? maps.front().total() : 0;
  if (!windows_fit(ranks, size * static_cast<std::int64_t>(sizeof(double)))) return nullptr;
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(ranks.data, &before);
  MPI_Comm_set_errhandler(ranks.data, MPI_ERRORS_RETURN);
  double* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  const int status =
      MPI_Win_allocate(static_cast<MPI_Aint>(size * static_cast<std::int64_t>(sizeof(double))),
                       sizeof(double), MPI_INFO_NULL, ranks.data, &memory, &window);
  MPI_Comm_set_errhandler(ranks.data, before);
  if (before != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&before);
  int usable = status == MPI_SUCCESS && window != MPI_WIN_NULL ? 1 : 0;
  const int mine = usable;
  MPI_Allreduce(MPI_IN_PLACE, &usable, 1, MPI_INT, MPI_MIN, ranks.control);
  if (usable == 0) {
    if (mine != 0) MPI_Win_free(&window);
    return nullptr;
  }
  return std::make_unique<Rma>(window, memory, std::move(maps));
}

}  // namespace thalweg
