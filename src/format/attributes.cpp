// SPDX-License-Identifier: Apache-2.0
// CF and UGRID attributes of a field; the history of a file.
#include "format/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <ranges>

#include "field/names.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

/// Has the file a topology? One of a part of the grid, or of another model's own points, has none.
bool holds_whole_grid(const FileDescription& file) {
  if (file.grid.empty()) return false;
  if (!file.global_sizes) return true;
  const Grid grid = Grid::parse(file.grid);
  const PerPlace<std::int64_t> whole{grid.cells(), grid.edges(), grid.vertices()};
  return file.first_points == PerPlace<std::int64_t>{} && file.sizes == whole;
}

bool on_half_levels(const FileDescription& file) {
  return std::any_of(file.fields.begin(), file.fields.end(),
                     [](const FieldInfo& field) { return field.half_levels; });
}

}  // namespace

std::string height_name(const FieldInfo& field) {
  if (!(field.height_m > 0.0)) return "";
  auto name = fmt::format("height_{:.6g}m", field.height_m);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::optional<ScalarCoordinate> scalar_coordinate(const FileDescription& file,
                                                  const FieldInfo& field) {
  if (field.height_m > 0.0) {
    return ScalarCoordinate{height_name(field),
                            field.height_m,
                            false,
                            {{"standard_name", "height"},
                             {"long_name", "height above the ground"},
                             {"units", "m"},
                             {"axis", "Z"},
                             {"positive", "up"}}};
  }
  if (field.levels > 1 || whole_field(file, field).levels == 1) return {};
  const auto number = static_cast<double>(file.level_numbers.front());
  return ScalarCoordinate{level_name(file), number, true, level_attributes(file)};
}

std::vector<ScalarCoordinate> scalar_coordinates(const FileDescription& description) {
  std::map<std::string, ScalarCoordinate> all;
  for (const auto& field : description.fields) {
    const auto scalar = scalar_coordinate(description, field);
    if (scalar) all.emplace(scalar->name, *scalar);
  }
  const auto values = std::views::values(all);
  return {values.begin(), values.end()};
}

const FieldInfo& whole_field(const FileDescription& description, const FieldInfo& field) {
  const auto& all = description.run_fields;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const FieldInfo& other) { return other.name == field.name; });
  return found == all.end() ? field : *found;
}

std::string level_name(const FileDescription& description) {
  return on_half_levels(description) ? "half_level" : "level";
}

std::vector<Attribute> level_attributes(const FileDescription& description) {
  const char* what = on_half_levels(description) ? "face of layers" : "layer";
  std::vector<Attribute> list{
      {"standard_name", "model_level_number"}, {"long_name", what}, {"units", "1"}, {"axis", "Z"}};
  // On a grid that we know, levels are numbered as in ICON. How others number theirs, nobody said.
  if (!description.grid.empty()) list.push_back({"positive", "down"});
  return list;
}

MeshContent mesh_content(const FileDescription& description) {
  PerPlace<bool> used{};
  for (const auto& field : description.fields) used[field.place] = true;
  return {used[0], used[1], used[2], description.bounds, false};
}

std::vector<Attribute> field_attributes(const FileDescription& description,
                                        const FieldInfo& field) {
  std::vector<Attribute> list;
  if (!field.standard_name.empty()) list.push_back({"standard_name", field.standard_name});
  if (!field.long_name.empty()) list.push_back({"long_name", field.long_name});
  if (!field.units.empty()) list.push_back({"units", field.units});
  const auto scalar = scalar_coordinate(description, field);
  const std::string name = scalar ? scalar->name : "";
  if (description.grid.empty()) {
    if (scalar) list.push_back({"coordinates", name});
    return list;
  }
  if (holds_whole_grid(description)) {  // else the file has no topology to refer to
    list.push_back({"mesh", "mesh"});
    list.push_back({"location", mesh_location(field.place)});
  }
  list.push_back({"coordinates", mesh_coordinates(field.place) + (scalar ? " " + name : "")});
  list.push_back({"CDI_grid_type", "unstructured"});
  return list;
}

std::vector<Attribute> global_attributes(const FileDescription& description,
                                         const std::string& history) {
  // Only a file with the topology follows UGRID.
  std::vector<Attribute> list{
      {"Conventions", holds_whole_grid(description) ? "CF-1.11 UGRID-1.0" : "CF-1.11"}};
  for (const auto& [name, text] : description.attributes) list.push_back({name, text});
  list.push_back({"history", history});
  if (!description.grid.empty()) list.push_back({"grid_name", description.grid});
  if (!description.grid_uuid.empty()) list.push_back({"uuidOfHGrid", description.grid_uuid});
  return list;
}

void check_attribute(const std::string& name, const std::string& text) {
  constexpr std::array ours{"Conventions", "history", "grid_name", "uuidOfHGrid",
                            "compression_plugin"};
  if (std::find(ours.begin(), ours.end(), name) != ours.end()) {
    throw Error(Blame::user, fmt::format("the global attribute '{}' is written by the library; "
                                         "choose another name",
                                         name));
  }
  const auto is_letter = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_';
  };
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0 ||
      !std::all_of(name.begin(), name.end(), is_letter)) {
    throw Error(Blame::user,
                fmt::format("a global attribute cannot be called '{}': its name begins "
                            "with a letter and has letters, digits and _ only",
                            name));
  }
  if (is_utf8(text)) return;
  throw Error(Blame::user, fmt::format("the text of the global attribute '{}' is not UTF-8", name));
}

}  // namespace thalweg
