// SPDX-License-Identifier: Apache-2.0
// Settings of an output from the tables of an experiment.
#include <algorithm>

#include "thalweg/output.hpp"
#include "thalweg/settings.hpp"

namespace thalweg {

namespace {

/// Reads the setting of a key into a member of its type.
struct SettingReader {
  const SettingTable& table;
  void operator()(const char* key, std::string& value) const { value = table.text(key); }
  void operator()(const char* key, ModelTime& value) const { value = table.number(key); }
  void operator()(const char* key, int& value) const {
    value = static_cast<int>(table.integer(key));  // settings.toml keeps it in range
  }
  void operator()(const char* key, std::vector<std::string>& value) const {
    value = table.texts(key);
  }
  void operator()(const char* key, std::vector<int>& value) const {
    const auto& integers = table.integers(key);
    value.assign(integers.begin(), integers.end());
  }
};

}  // namespace

OutputSettings output_settings(const Experiment& experiment, const std::string& directory) {
  const SettingTable& io = experiment.table("io");
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
  for (const char* name : {"title", "institution", "source", "references", "comment"}) {
    const auto& text = experiment.table("attributes").text(name);
    if (!text.empty()) settings.attributes[name] = text;
  }
  if (!directory.empty()) {
    settings.directory = directory + "/files";
    settings.journals = directory + "/journal";
  }
  settings.start_date = experiment.table("time").text("start");
  settings.duration = experiment.table("time").number("duration");
  settings.grid = experiment.table("grid").text("name");
  settings.timeout_s = io.number("timeout");
  return settings;
}

StreamSettings with_end(StreamSettings stream, ModelTime duration) {
  if (stream.end == ModelTime()) stream.end = duration;
  if (duration > ModelTime()) stream.end = std::min(stream.end, duration);
  return stream;
}

std::vector<StreamSettings> stream_settings(const Experiment& experiment) {
  const ModelTime duration = experiment.table("time").number("duration");
  std::vector<StreamSettings> streams;
  for (const SettingTable& output : experiment.outputs) {
    StreamSettings stream;
    visit_settings(stream, SettingReader{output});
    streams.push_back(with_end(std::move(stream), duration));
  }
  return streams;
}

}  // namespace thalweg
