// SPDX-License-Identifier: Apache-2.0
// How an I/O rank gets at the staging memory of compute ranks.
#pragma once

#include <memory>
#include <string>

#include "output/definition.hpp"
#include "output/mode.hpp"

namespace thalweg {

/// Both ends of a transport; a rank uses the half that is its role.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual const char* name() const = 0;

  // Compute rank ------------------------------------------------------------------------------
  /// Staging memory of this rank, laid out by its SlotMap.
  virtual double* memory() = 0;
  /// The slot is filled and may be taken by I/O rank `io` (0 ...). Does not wait.
  virtual void publish(int lane, int slot, int io) = 0;
  /// The I/O rank has taken it all.
  virtual void reclaim(int lane, int slot) = 0;

  // I/O rank ----------------------------------------------------------------------------------
  /// Starts taking field `position` of a published slot of rank `source` into `into`.
  virtual void fetch(int source, int lane, int slot, int position, double* into) = 0;
  /// Waits for all fetches.
  virtual void fetch_all() = 0;
};

/// Collective over all ranks. `wish`: "rma", "two_sided" or "auto" (windows where every rank can
/// create them). maps[source] on I/O ranks; maps[0] is this rank's own on compute ranks. Throws
/// Error(user) if "rma" was asked for and windows cannot be created.
std::unique_ptr<Transport> make_transport(const std::string& wish, const Ranks& ranks,
                                          const Definition& definition, std::vector<SlotMap> maps);

/// MPI windows; null on every rank if any rank cannot create its window.
std::unique_ptr<Transport> make_rma(const Ranks& ranks, std::vector<SlotMap> maps);
std::unique_ptr<Transport> make_two_sided(const Ranks& ranks, const Definition& definition,
                                          std::vector<SlotMap> maps);

}  // namespace thalweg
