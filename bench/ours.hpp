// SPDX-License-Identifier: Apache-2.0
// Thalweg's own modes and containers, through include/thalweg/output.hpp only.
#pragma once

#include "measuring.hpp"
#include "session.hpp"

namespace thalweg::bench {

/// What differs between our methods.
struct Ours {
  const char* mode;
  const char* container;
  const char* compression = "none";
  const char* way = "direct";
  int io_ranks = 0;    ///< 0 = all ranks are compute ranks
  int partitions = 1;  ///< of the stream, in mode async one per I/O rank
};

/// Steps one by one; each is on its way to the disk completely when end_time returns. close()
/// counts.
Trial write_steps(Session& session, const Ours& ours, int steps);

/// Dedicated I/O ranks: from the first put to after close(), all steps back to back. The values of
/// all steps lie ready before.
Trial write_end_to_end(Session& session, const Ours& ours, int steps);

}  // namespace thalweg::bench
