// SPDX-License-Identifier: Apache-2.0
// diagnostics.jsonl: a line for each time at which mass and energy were looked at.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

namespace thalweg::mini {

/// Nothing throws: a run goes on without its diagnostics. What a call returns is what to tell of
/// it; "" if all went well.
class DiagnosticsLog {
 public:
  explicit DiagnosticsLog(std::string path) : path_(std::move(path)) {}

  /// An empty file.
  std::string begin();
  /// Of what an earlier run wrote, the lines up to `time_s` stay, the unreadable ones do not.
  std::string keep_until(double time_s);
  /// All of a line, with its member `time_s`, or nothing of it.
  std::string append(const nlohmann::json& line);

 private:
  std::string path_;
};

}  // namespace thalweg::mini
