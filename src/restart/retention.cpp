// SPDX-License-Identifier: Apache-2.0
// Asks about sets from the newest to the oldest.
#include "restart/retention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "restart/set_directory.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

std::string to_line(const KeptSets& kept) {
  std::string line = std::to_string(kept.newest);
  for (const auto& date : kept.also) line += " also " + date;
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
    if (word == "also") kept.also.insert(date);
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
  asked_.clear();  // writers go on meanwhile: of each set one answer holds for the whole decision
  sets.insert(sets.begin(), date);
  std::erase_if(times_, [&](const auto& known) {  // of sets that are gone
    return std::ranges::find(sets, known.first) == sets.end();
  });
  KeptSets kept{keep_, std::string(), {}};
  const auto needed = std::ranges::find_if(
      sets, [&](const std::string& each) { return coverage_of(each).has_value(); });
  if (needed == sets.end()) return kept;
  kept.from_date = *needed;
  const auto back = ways_back(sets, *needed);
  kept.also = back;
  for (const auto& each : back) kept.also.merge(ways_back(sets, each));
  return kept;
}

std::set<std::string> Retention::ways_back(const std::vector<std::string>& sets,
                                           const std::string& date) {
  std::set<std::string> back;
  const auto& coverage = coverage_of(date);
  for (const auto from : coverage ? coverage->changes_from : std::vector<ModelTime>()) {
    const auto found = std::ranges::find_if(sets, [&](const std::string& each) {
      return coverage_of(each).has_value() && times_[each] < from;
    });
    if (found != sets.end()) back.insert(*found);
  }
  return back;
}

const std::optional<Coverage>& Retention::coverage_of(const std::string& date) {
  const auto [known, fresh] = asked_.try_emplace(date);
  if (!fresh) return known->second;
  try {
    if (!times_.contains(date)) {
      const auto manifest = read_manifest(directory_ + "/" + date);
      const auto ours = run_ ? run_() : "";
      if (!manifest.run.empty() && !ours.empty() && manifest.run != ours) return known->second;
      times_[date] = manifest.time;
    }
    auto coverage = covered_(times_[date]);
    if (coverage.written) known->second = std::move(coverage);
  } catch (const Error&) {  // the set is not whole, or a journal cannot be read
  }
  return known->second;
}

}  // namespace thalweg
