// SPDX-License-Identifier: Apache-2.0
// Which sets are removed when a new one is whole, and which are still needed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "thalweg/model_time.hpp"
#include "thalweg/output.hpp"

namespace thalweg {

/// What stays when a set is whole: it and the newest before it, `newest` in all; all from a date
/// on; and some more.
struct KeptSets {
  int newest = 2;
  std::optional<std::string> from_date;  ///< "" = every set
  std::set<std::string> also;            ///< dates
};

/// One line of text and back: `text` loses it.
std::string to_line(const KeptSets& kept);
KeptSets take_line(std::string& text);

/// A set is of use to a continued run if the outputs up to its time are in files. Writers of output
/// may be behind the model: a set stays until a newer one is of use, whatever `keep` says. So does,
/// of each series of files that a kill may break, the newest from before the file that is being
/// written; and where this lies within another such file, which a second kill may break, the newest
/// from before that.
class Retention {
 public:
  /// `covered`: Output::coverage(); empty: only `keep` counts. `run`: Company::run, of the sets
  /// that are of use.
  Retention(std::string directory, int keep, std::function<Coverage(ModelTime)> covered,
            std::function<std::string()> run);
  /// One rank, before it writes the set of this date. What cannot be told counts as needed.
  KeptSets before(const std::string& date, ModelTime time);

 private:
  const std::optional<Coverage>& coverage_of(const std::string& date);
  /// Sets to go back to when a kill breaks files that who continues from this one changes. `sets`:
  /// the newest first.
  std::set<std::string> ways_back(const std::vector<std::string>& sets, const std::string& date);

  std::string directory_;
  int keep_;
  std::function<Coverage(ModelTime)> covered_;
  std::function<std::string()> run_;
  std::map<std::string, ModelTime> times_;                // by date
  std::map<std::string, std::optional<Coverage>> asked_;  // by date, in this decision
};

}  // namespace thalweg
