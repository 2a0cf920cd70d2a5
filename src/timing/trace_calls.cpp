// SPDX-License-Identifier: Apache-2.0
// Addresses of the calls under way, as the unwinder of exceptions finds them.
#include "timing/trace_calls.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "timing/trace_parse.hpp"

namespace thalweg {

namespace {

thread_local const TraceScope* watched_scope = nullptr;

// Adds the place of one call to the array of frames.
_Unwind_Reason_Code add_call(_Unwind_Context* call, void* frames) {
  // Stacks grow downwards: a function that was called before the one with the scope lies above it.
  if (_Unwind_GetCFA(call) > reinterpret_cast<std::uintptr_t>(watched_scope)) {
    return _URC_NORMAL_STOP;
  }
  const auto place = _Unwind_GetIP(call) - 1;  // the call lies before where it returns to
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(place), &found) != 0 && found.dli_fname != nullptr) {
    const auto offset = place - reinterpret_cast<std::uintptr_t>(found.dli_fbase);
    static_cast<nlohmann::json*>(frames)->push_back({found.dli_fname, offset});
  }
  return _URC_NO_REASON;
}

}  // namespace

TraceScope::TraceScope(bool watched) : before_(watched_scope) {
  watched_scope = watched ? this : nullptr;
}

TraceScope::~TraceScope() { watched_scope = before_; }

void trace_calls(std::string_view at) {
  if (watched_scope == nullptr) return;
  auto frames = nlohmann::json::array();
  _Unwind_Backtrace(&add_call, &frames);
  frames.erase(0);  // this function
  const nlohmann::json calls{{"at", at}, {"rank", trace_rank()}, {"frames", frames}};
  print_trace(nlohmann::json{{"calls", calls}}.dump());
}

}  // namespace thalweg
