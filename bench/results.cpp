// SPDX-License-Identifier: Apache-2.0
// Medians, spreads and paired ratios as JSON.
#include "results.hpp"

#include <algorithm>
#include <cmath>

#include "json_lines.hpp"

namespace thalweg::bench {
namespace {

nlohmann::json as_json(const Spread& spread) {
  return {{"median", rounded(spread.median)},
          {"p05", rounded(spread.p05)},
          {"p95", rounded(spread.p95)}};
}

double median_of(const Record& record, double (*figure)(const Trial&)) {
  std::vector<double> samples;
  for (const auto& [repetition, trial] : record.trials) samples.push_back(figure(trial));
  return rounded(spread_of(std::move(samples)).median);
}

}  // namespace

double speed_of(const Trial& trial, const Workload& workload) {
  constexpr double mega = 1e6;
  return static_cast<double>(workload.step_bytes()) * trial.steps / trial.wall_s / mega;
}

const Record* Results::fastest(const Rival& rival) const {
  const Record* best = nullptr;
  double best_speed = 0.0;
  for (const char* name : rival.methods) {
    const auto found = records_.find(name);
    if (found == records_.end() || found->second.trials.empty()) return nullptr;
    std::vector<double> speeds;
    for (const auto& [repetition, trial] : found->second.trials)
      speeds.push_back(speed_of(trial, workload_));
    const double speed = spread_of(std::move(speeds)).median;
    if (speed > best_speed) best = &found->second, best_speed = speed;
  }
  return best;
}

nlohmann::json Results::ratios(const Record& record) const {
  nlohmann::json all = nlohmann::json::object();
  for (const Rival& rival : rivals()) {
    const Record* other = fastest(rival);
    if (other == nullptr) continue;
    std::vector<double> samples;
    for (const auto& [repetition, trial] : record.trials) {
      const auto found = other->trials.find(repetition);
      if (found == other->trials.end()) continue;
      samples.push_back(speed_of(trial, workload_) / speed_of(found->second, workload_));
    }
    if (!samples.empty()) all[rival.name] = as_json(spread_of(std::move(samples)));
  }
  return all;
}

nlohmann::json Results::line_of(const Method& method, const Record& record) const {
  nlohmann::json line{
      {"bench", "output"}, {"method", method.name}, {"meaning", method.meaning}, {"layer", layer_}};
  if (!record.wrong.empty()) return line["wrong"] = record.wrong, line;
  if (!record.skipped.empty()) return line["skipped"] = record.skipped, line;
  std::vector<double> speeds;
  for (const auto& [repetition, trial] : record.trials)
    speeds.push_back(speed_of(trial, workload_));
  line["n"] = speeds.size();
  line["unit"] = "MB/s";
  line.update(as_json(spread_of(speeds)));
  line["cpu_s"] = median_of(record, [](const Trial& trial) { return trial.cpu_s / trial.steps; });
  line["step_bytes"] = workload_.step_bytes();
  line["steps"] = record.trials.begin()->second.steps;
  line["file_bytes"] = std::llround(record.trials.begin()->second.file_bytes);
  if (record.trials.begin()->second.first_step_s > 0.0)
    line["first_step_s"] = median_of(record, [](const Trial& t) { return t.first_step_s; });
  line["paired_ratio"] = ratios(record);
  return line;
}

nlohmann::json Results::plan_line(const Method& method, const Record& record) const {
  std::vector<double> shares;
  for (const auto& [repetition, trial] : record.trials)
    shares.push_back(trial.plan_s / (trial.wall_s / trial.steps));
  nlohmann::json line{{"bench", "plan"},
                      {"method", method.name},
                      {"meaning", "set-up of the exchange against one output step"},
                      {"layer", layer_},
                      {"n", shares.size()},
                      {"unit", "output steps"}};
  line.update(as_json(spread_of(std::move(shares))));
  line["plan_s"] = median_of(record, [](const Trial& trial) { return trial.plan_s; });
  line["setup_s"] = median_of(record, [](const Trial& trial) { return trial.setup_s; });
  line["step_s"] = median_of(record, [](const Trial& t) { return t.wall_s / t.steps; });
  return line;
}

std::vector<nlohmann::json> Results::lines() const {
  std::vector<nlohmann::json> list;
  for (const Method& method : methods()) {
    const auto found = records_.find(method.name);
    if (found != records_.end()) list.push_back(line_of(method, found->second));
  }
  for (const Method& method : methods()) {
    const auto found = records_.find(method.name);
    if (found == records_.end() || found->second.trials.empty() || !found->second.wrong.empty())
      continue;
    if (found->second.trials.begin()->second.plan_s >= 0.0)
      list.push_back(plan_line(method, found->second));
  }
  return list;
}

bool Results::all_right() const {
  return std::all_of(records_.begin(), records_.end(),
                     [](const auto& entry) { return entry.second.wrong.empty(); });
}

}  // namespace thalweg::bench
