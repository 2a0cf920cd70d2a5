// SPDX-License-Identifier: Apache-2.0
// Who called whom while the watched value went by: functions that hold its bytes, but do not know
// whose they are, ask here.
#pragma once

#include <string_view>

namespace thalweg {

/// While this lives on the stack of a function, what that function calls concerns the watched value
/// or, inside such a scope, another one. Costs a write at either end.
class TraceScope {
 public:
  explicit TraceScope(bool watched);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  const TraceScope* before_;
};

/// In a watched scope: prints {"calls": {at, rank, frames: [[module, offset]]}} on standard output,
/// the addresses of the calls under way, innermost first, down to the function that holds the
/// scope; `thalweg trace --calls` makes source files of them. Elsewhere it costs one look at a
/// flag: for slabs and writes, not for values.
void trace_calls(std::string_view at);

}  // namespace thalweg
