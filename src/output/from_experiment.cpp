// SPDX-License-Identifier: Apache-2.0
// Settings of an output from the tables of an experiment.
#include <algorithm>

#include "thalweg/output.hpp"
#include "thalweg/settings.hpp"

namespace thalweg {

OutputSettings output_settings(const Experiment& experiment, const std::string& directory) {
  const SettingTable& io = experiment.table("io");
  const SettingTable& restart = experiment.table("restart");
  OutputSettings settings;
  settings.mode = io.text("mode");
  settings.io_ranks = static_cast<int>(io.integer("ranks"));
  settings.placement = io.text("placement");
  settings.transport = io.text("transport");
  settings.backpressure = io.text("backpressure");
  settings.budget_bytes = io.integer("budget") << 20;
  settings.spill_directory = io.text("spill_directory");
  settings.way = io.text("way");
  settings.page_cache = io.text("page_cache");
  settings.hints = io.text("hints");
  const auto& restart_mode = restart.text("mode");
  if (restart_mode == "async" || restart_mode == "dedicated_multifile") {
    settings.restart_ranks = static_cast<int>(restart.integer("ranks"));
  }
  settings.directory = directory + "/files";
  settings.start_date = experiment.table("time").text("start");
  settings.grid = experiment.table("grid").text("name");
  settings.timeout_s = io.number("timeout");
  return settings;
}

std::vector<StreamSettings> stream_settings(const Experiment& experiment) {
  const double duration_s = experiment.table("time").number("duration");
  std::vector<StreamSettings> streams;
  for (const SettingTable& output : experiment.outputs) {
    StreamSettings stream;
    stream.name = output.text("name");
    stream.variables = output.texts("variables");
    stream.interval_s = output.number("interval");
    stream.start_s = output.number("start");
    const double end_s = output.number("end");
    stream.end_s = end_s > 0.0 ? std::min(end_s, duration_s) : duration_s;
    stream.file_interval_s = output.number("file_interval");
    const auto& levels = output.integers("levels");
    stream.levels.assign(levels.begin(), levels.end());
    stream.place = output.text("place");
    stream.precision = output.text("precision");
    stream.partitions = static_cast<int>(output.integer("partitions"));
    stream.container = output.text("container");
    stream.layout = output.text("layout");
    stream.compression = output.text("compression");
    stream.compression_level = static_cast<int>(output.integer("compression_level"));
    stream.bits = static_cast<int>(output.integer("bits"));
    streams.push_back(std::move(stream));
  }
  return streams;
}

}  // namespace thalweg
