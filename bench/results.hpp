// SPDX-License-Identifier: Apache-2.0
// The trials of a benchmark and the result lines made of them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "measuring.hpp"
#include "methods.hpp"

namespace thalweg::bench {

/// Everything that was measured of one method.
struct Record {
  std::map<int, Trial> trials;  ///< by repetition
  std::string skipped;          ///< why one of our modes refused; "" if it did not
  std::string wrong;            ///< the first wrong value read back; "" if there was none
};

/// MB/s of a trial.
double speed_of(const Trial& trial, const Workload& workload);

class Results {
 public:
  Results(const Workload& workload, std::string layer)
      : workload_(workload), layer_(std::move(layer)) {}
  Record& of(const Method& method) { return records_[method.name]; }
  /// One object per method in the order of the list, and one per plan that was timed.
  std::vector<nlohmann::json> lines() const;
  bool all_right() const;

 private:
  nlohmann::json line_of(const Method& method, const Record& record) const;
  nlohmann::json plan_line(const Method& method, const Record& record) const;
  /// The one of the rival's methods with the highest median speed; null unless all were measured.
  const Record* fastest(const Rival& rival) const;
  /// Ratios of speed to every rival, over the repetitions both have.
  nlohmann::json ratios(const Record& record) const;

  Workload workload_;
  std::string layer_;
  std::map<std::string, Record> records_;
};

}  // namespace thalweg::bench
