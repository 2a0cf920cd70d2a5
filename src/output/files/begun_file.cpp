// SPDX-License-Identifier: Apache-2.0
// {"streams": {NAME: {"start_date", "container": texts, "interval_s", "start_s", "file_interval_s",
// "partitions": numbers, "end_s": number, "files": path from here to the files, "run": a name,
// "went_on": {a name of the continuation: its time in ms}, "gaps_ms": [[after, until]], "after_ms":
// number and "from": path, of a run that began from a checkpoint}}}
#include "output/files/begun_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "file/file_bytes.hpp"
#include "output/files/own_journals.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

bool is_number(const BegunJson& json) { return json.is_number_integer(); }

bool are_times(const BegunJson& times) {
  return times.is_object() && std::all_of(times.begin(), times.end(), is_number);
}

bool are_gaps(const BegunJson& gaps) {
  return gaps.is_array() && std::all_of(gaps.begin(), gaps.end(), [](const BegunJson& gap) {
           return gap.is_array() && gap.size() == 2 &&
                  std::all_of(gap.begin(), gap.end(), is_number);
         });
}

bool is_whole(const BegunJson& entry) {
  return entry.is_object() && (!entry.contains("end_s") || entry["end_s"].is_number()) &&
         (!entry.contains("files") || entry["files"].is_string()) &&
         (!entry.contains("run") || entry["run"].is_string()) &&
         (!entry.contains("went_on") || are_times(entry["went_on"])) &&
         (!entry.contains("gaps_ms") || are_gaps(entry["gaps_ms"])) &&
         (!entry.contains("after_ms") || entry["after_ms"].is_number_integer()) &&
         (!entry.contains("from") || entry["from"].is_string());
}

}  // namespace

std::string begun_path(const Definition& definition) {
  return journal_directory(definition) + "/begun.json";
}

BegunJson read_begun_file(const Definition& definition) {
  const auto path = begun_path(definition);
  const auto text = text_of(path);
  if (!text) return BegunJson::object();
  const auto content = BegunJson::parse(*text, nullptr, false);
  if (content.is_object() && content.contains("streams") && content["streams"].is_object()) {
    const auto& streams = content["streams"];
    if (std::all_of(streams.begin(), streams.end(), is_whole)) return streams;
  }
  throw Error(Blame::user,
              fmt::format("'{}' is damaged, which tells how the run began; put it back "
                          "from where it was copied, or begin anew",
                          path));
}

BegunJson known_streams(const Definition& definition) {
  try {
    return read_begun_file(definition);
  } catch (const Error&) {
    return BegunJson::object();
  }
}

void write_begun_file(const Definition& definition, const BegunJson& streams) {
  const auto text = BegunJson{{"streams", streams}}.dump(1) + "\n";
  replace_file(begun_path(definition), std::as_bytes(std::span(text)));
}

}  // namespace thalweg
