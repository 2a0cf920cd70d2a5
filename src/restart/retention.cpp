// SPDX-License-Identifier: Apache-2.0
// Asks about sets from the newest to the oldest; what is firm stays firm.
#include "restart/retention.hpp"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "restart/set_directory.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

std::string to_line(const KeptSets& kept) {
  std::string line = std::to_string(kept.newest);
  if (!kept.also.empty()) line += " also " + kept.also;
  if (kept.from_date) line += " from " + *kept.from_date;  // last: it may be ""
  return line + "\n";
}

KeptSets take_line(std::string& text) {
  const auto end = text.find('\n');
  std::istringstream line(text.substr(0, end));
  text.erase(0, end + 1);
  KeptSets kept;
  line >> kept.newest;
  for (std::string word, date; line >> word;) {
    line >> date;  // none: every set
    if (word == "from") kept.from_date = date;
    if (word == "also") kept.also = date;
  }
  return kept;
}

Retention::Retention(std::string directory, int keep, std::function<Coverage(ModelTime)> covered,
                     std::function<std::string()> run)
    : directory_(std::move(directory)),
      keep_(keep),
      covered_(std::move(covered)),
      run_(std::move(run)) {}

KeptSets Retention::before(const std::string& date, ModelTime time) {
  if (!covered_) return {keep_, std::nullopt, {}};
  std::vector<std::string> sets;
  try {
    sets = list_sets(directory_);  // the newest first
  } catch (const Error&) {         // nobody can tell which there are: all are kept
    return {keep_, std::string(), {}};
  }
  std::erase_if(sets, [&](const std::string& each) { return !is_earlier(each, date); });
  // Nothing will be removed, even if the set before this one is under way.
  if (static_cast<int>(sets.size()) + 1 < keep_) return {keep_, std::nullopt, {}};
  times_[date] = time;
  sets.insert(sets.begin(), date);
  KeptSets kept{keep_, std::string(), {}};
  for (const auto& each : sets) {
    const auto coverage = coverage_of(each);
    if (coverage == Coverage::none) continue;
    if (kept.from_date->empty()) kept.from_date = each;
    if (coverage == Coverage::fragile) continue;
    kept.also = each;
    break;
  }
  return kept;
}

Coverage Retention::coverage_of(const std::string& date) {
  const auto is_until = [&](const std::string& known) {
    return !known.empty() && !is_earlier(known, date);
  };
  if (is_until(firm_until_)) return Coverage::firm;
  auto coverage = Coverage::none;
  try {
    if (!times_.contains(date)) {
      const auto manifest = read_manifest(directory_ + "/" + date);
      const auto ours = run_ ? run_() : "";
      if (!manifest.run.empty() && !ours.empty() && manifest.run != ours) return Coverage::none;
      times_[date] = manifest.time;
    }
    coverage = covered_(times_[date]);
  } catch (const Error&) {  // the set is not whole, or a journal cannot be read
  }
  if (coverage == Coverage::firm) firm_until_ = date;
  return coverage;
}

}  // namespace thalweg
