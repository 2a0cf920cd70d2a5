// SPDX-License-Identifier: Apache-2.0
// The events of this rank, in a file without a name: memory stays the same however long a run is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/unnamed_file.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

class EventLog {
 public:
  /// `directory`: has room for 48 bytes an event. Throws Error(file_system) if no file can be made
  /// there.
  explicit EventLog(std::string directory);

  /// Never throws what the file system says: that is kept in refusal().
  void add(EventKind kind, double begin_s, double end_s, std::int64_t bytes,
           std::string_view stream, std::string_view field, int step);
  /// Why events were lost, as a sentence, or "".
  std::string refusal();
  /// take(text) with one JSON object a line, by begin_s, at most about 1 MiB at a time.
  void for_each_text(int rank, const std::function<void(std::string_view)>& take);

 private:
  struct Record {
    double begin_s, end_s;
    std::int64_t bytes, number;              // number: in the order of add()
    std::int32_t step, kind, stream, field;  // stream, field: in names_
  };
  std::int32_t number_of(std::string_view name);
  std::string line_of(int rank, const Record& record) const;

  std::string directory_;
  UnnamedFile file_;
  std::int64_t count_ = 0;
  std::vector<std::string> names_;
  std::map<std::string, std::int32_t, std::less<>> numbers_;
};

/// Null unless events are collected.
std::unique_ptr<EventLog>& event_log();

}  // namespace thalweg
