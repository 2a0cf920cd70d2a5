// SPDX-License-Identifier: Apache-2.0
// Where one source rank's data of a lane's step lie in its staging memory, in bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "output/deal/mode.hpp"
#include "redist/plan.hpp"

namespace thalweg {

/// Both sides compute it from the definition, the divisions and the source's owned points. A lane
/// has `slots` slots; a slot holds the slices of one step, each aligned to 64 bytes.
class SlotMap {
 public:
  SlotMap(const Definition& definition, std::span<const LaneDivision> lanes, const OwnedRuns& runs,
          int slots);

  std::int64_t total() const { return total_; }
  std::int64_t offset(int lane, int slot, int slice) const;
  std::int64_t bytes(int lane, int slice) const;
  std::int64_t points(int lane, int slice) const;
  std::int64_t slot_bytes(int lane) const { return lanes_[lane].bytes; }

 private:
  struct Entry {
    std::int64_t offset, bytes, points;
  };
  struct Lane {
    std::int64_t offset = 0, bytes = 0;  // of slot 0; of one slot
    std::vector<Entry> slices;           // offset inside a slot
  };
  std::vector<Lane> lanes_;
  std::int64_t total_ = 0;
};

/// Bytes of one staged value: it travels as it is in the model.
inline std::int64_t staged_bytes(ValueType type) {
  return static_cast<std::int64_t>(bytes_of(type));
}

/// Slots a lane gets: as many steps as the budget of its busiest writer holds, 2 without a budget,
/// 1 where writers are compute ranks (`io_ranks` 0). Throws Error(user) if not one step fits.
int slots_per_lane(const Definition& definition, std::span<const LaneDivision> lanes, int io_ranks);

}  // namespace thalweg
