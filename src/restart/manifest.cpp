// SPDX-License-Identifier: Apache-2.0
// Manifest <-> JSON text with a checksum of itself.
#include "restart/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

using nlohmann::json;

constexpr int layout_version = 1;
constexpr const char* checksum_key = ",\n \"manifest_crc32\": \"";

/// What ends a manifest whose text so far is `text`.
std::string checksum_line(std::string_view text) {
  const auto sum = crc32(0, std::as_bytes(std::span(text.data(), text.size())));
  return fmt::format("{}{:08x}\"\n}}\n", checksum_key, sum);
}

json field_to_json(const FieldInfo& field) {
  return {{"name", field.name},
          {"standard_name", field.standard_name},
          {"long_name", field.long_name},
          {"units", field.units},
          {"place", place_names[field.place]},
          {"levels", field.levels},
          {"type", value_type_names[field.type]}};
}

template <class Names>
std::size_t position_in(const Names& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::out_of_range(fmt::format("'{}' is not known", name));
  return found - names.begin();
}

FieldInfo field_from_json(const json& from) {
  FieldInfo field;
  field.name = from.at("name");
  field.standard_name = from.at("standard_name");
  field.long_name = from.at("long_name");
  field.units = from.at("units");
  field.place = static_cast<Place>(position_in(place_names, from.at("place")));
  field.levels = from.at("levels");
  field.type = static_cast<ValueType>(position_in(value_type_names, from.at("type")));
  return field;
}

json file_to_json(const FileEntry& file) {
  json parts = json::array();
  for (const auto& part : file.parts) {
    json blocks = json::array();
    for (const auto block : part.blocks) blocks.push_back(fmt::format("{:08x}", block));
    parts.push_back({{"rank", part.rank},
                     {"offset", part.offset},
                     {"bytes", part.bytes},
                     {"index_bytes", part.index_bytes},
                     {"crc32", blocks}});
  }
  return {{"name", file.name}, {"bytes", file.bytes}, {"parts", parts}};
}

FileEntry file_from_json(const json& from) {
  FileEntry file{from.at("name"), from.at("bytes"), {}};
  std::int64_t next = 0;
  for (const auto& each : from.at("parts")) {
    PartEntry part{
        each.at("rank"), each.at("offset"), each.at("bytes"), each.at("index_bytes"), {}};
    for (const std::string block : each.at("crc32")) {
      part.blocks.push_back(static_cast<std::uint32_t>(std::stoul(block, nullptr, 16)));
    }
    const auto blocks = (part.bytes + block_bytes - 1) / block_bytes;
    if (part.offset != next || static_cast<std::int64_t>(part.blocks.size()) != blocks) {
      throw std::out_of_range(fmt::format("parts of '{}' do not fit together", file.name));
    }
    next += part.bytes;
    file.parts.push_back(std::move(part));
  }
  if (next != file.bytes) throw std::out_of_range(fmt::format("'{}' has gaps", file.name));
  return file;
}

}  // namespace

std::string Manifest::to_text() const {
  json places, all_fields = json::array(), all_files = json::array();
  for (std::size_t place = 0; place < 3; ++place) places[place_names[place]] = sizes[place];
  for (const auto& field : fields) all_fields.push_back(field_to_json(field));
  for (const auto& file : files) all_files.push_back(file_to_json(file));
  const json all{{"thalweg_restart", layout_version},
                 {"date", date},
                 {"start_date", start_date},
                 {"time_s", time.seconds()},
                 {"run", run},
                 {"mode", mode},
                 {"compute_ranks", compute_ranks},
                 {"restart_ranks", restart_ranks},
                 {"places", places},
                 {"fields", all_fields},
                 {"scalars", scalars},
                 {"block_bytes", block_bytes},
                 {"files", all_files}};
  std::string text;
  try {
    text = all.dump(1);
  } catch (const json::exception&) {
    throw Error(Blame::user, "restart scalars and names must be UTF-8 text");
  }
  text.resize(text.rfind('\n'));  // the closing brace comes after the checksum
  return text + checksum_line(text);
}

Manifest Manifest::parse(const std::string& text, const std::string& path) {
  const auto end = text.rfind(checksum_key);
  if (end == std::string::npos ||
      text.substr(end) != checksum_line(std::string_view(text).substr(0, end))) {
    throw Error(Blame::file_system,
                fmt::format("'{}' is damaged: its own checksum does not hold", path));
  }
  try {
    const auto all = json::parse(text);
    if (all.at("thalweg_restart") != layout_version || all.at("block_bytes") != block_bytes) {
      throw std::out_of_range("another version of Thalweg wrote it");
    }
    Manifest manifest;
    manifest.date = all.at("date");
    manifest.start_date = all.at("start_date");
    manifest.time = ModelTime(all.at("time_s").get<double>());
    manifest.run = all.value("run", "");
    manifest.mode = all.at("mode");
    manifest.compute_ranks = all.at("compute_ranks");
    manifest.restart_ranks = all.at("restart_ranks");
    for (std::size_t place = 0; place < 3; ++place) {
      manifest.sizes[place] = all.at("places").at(place_names[place]);
    }
    for (const auto& field : all.at("fields")) manifest.fields.push_back(field_from_json(field));
    manifest.scalars = all.at("scalars").get<RestartScalars>();
    for (const auto& file : all.at("files")) manifest.files.push_back(file_from_json(file));
    return manifest;
  } catch (const std::exception& error) {
    throw Error(Blame::file_system, fmt::format("'{}' cannot be used: {}", path, error.what()));
  }
}

}  // namespace thalweg
