// SPDX-License-Identifier: Apache-2.0
// Asks about sets from the newest to the oldest; what is covered stays covered.
#include "restart/retention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "restart/set_directory.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

std::string to_line(const KeptSets& kept) {
  return fmt::format("{} {}\n", kept.newest, kept.from_date ? "from " + *kept.from_date : "");
}

KeptSets take_line(std::string& text) {
  const auto end = text.find('\n'), space = text.find(' ');
  constexpr std::string_view from = "from ";
  KeptSets kept{std::stoi(text.substr(0, space)), std::nullopt};
  const auto rest = text.substr(space + 1, end - space - 1);
  if (rest.starts_with(from)) kept.from_date = rest.substr(from.size());
  text.erase(0, end + 1);
  return kept;
}

Retention::Retention(std::string directory, int keep, std::function<bool(ModelTime)> covered,
                     std::function<std::string()> run)
    : directory_(std::move(directory)),
      keep_(keep),
      covered_(std::move(covered)),
      run_(std::move(run)) {}

KeptSets Retention::before(const std::string& date, ModelTime time) {
  if (!covered_) return {keep_, std::nullopt};
  std::vector<std::string> sets;
  try {
    sets = list_sets(directory_);  // the newest first
  } catch (const Error&) {         // nobody can tell which there are: all are kept
    return {keep_, std::string()};
  }
  std::erase_if(sets, [&](const std::string& each) { return !is_earlier(each, date); });
  // Nothing will be removed, even if the set before this one is under way.
  if (static_cast<int>(sets.size()) + 1 < keep_) return {keep_, std::nullopt};
  times_[date] = time;
  sets.insert(sets.begin(), date);
  const auto needed = std::find_if(sets.begin(), sets.end(),
                                   [&](const std::string& each) { return is_covered(each); });
  return {keep_, needed == sets.end() ? std::string() : *needed};
}

bool Retention::is_covered(const std::string& date) {
  if (!known_.empty() && !is_earlier(known_, date)) return true;
  try {
    if (!times_.contains(date)) {
      const auto manifest = read_manifest(directory_ + "/" + date);
      const auto ours = run_ ? run_() : "";
      if (!manifest.run.empty() && !ours.empty() && manifest.run != ours) return false;
      times_[date] = manifest.time;
    }
    if (!covered_(times_[date])) return false;
  } catch (const Error&) {  // the set is not whole, or a journal cannot be read
    return false;
  }
  known_ = date;
  return true;
}

}  // namespace thalweg
