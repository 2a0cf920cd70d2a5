// SPDX-License-Identifier: Apache-2.0
// Settings of a restart from the tables of an experiment.
#include "thalweg/restart.hpp"
#include "thalweg/settings.hpp"

namespace thalweg {

RestartSettings restart_settings(const Experiment& experiment, const std::string& directory) {
  const SettingTable& restart = experiment.table("restart");
  RestartSettings settings;
  settings.mode = restart.text("mode");
  settings.directory = directory + "/restart";
  settings.start_date = experiment.table("time").text("start");
  settings.keep = static_cast<int>(restart.integer("keep"));
  settings.transport = experiment.table("io").text("transport");
  settings.timeout_s = experiment.table("io").number("timeout");
  return settings;
}

int restart_ranks(const Experiment& experiment) {
  const SettingTable& restart = experiment.table("restart");
  const auto& mode = restart.text("mode");
  if (mode == "none" || !needs_restart_ranks(mode)) return 0;
  return static_cast<int>(restart.integer("ranks"));
}

}  // namespace thalweg
