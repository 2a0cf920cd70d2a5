// SPDX-License-Identifier: Apache-2.0
// Attributes that every format with attributes gives its fields and files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "field/mesh_variables.hpp"
#include "format/container.hpp"

namespace thalweg {

struct Attribute {
  std::string name, value;
};
/// What of the mesh a file of these fields carries.
MeshContent mesh_content(const FileDescription& description);
/// Text attributes of the variable of a field.
std::vector<Attribute> field_attributes(const FileDescription& description, const FieldInfo& field);

/// Name of the scalar coordinate of a field at a height above the ground, "height_2m"; "" = none.
std::string height_name(const FieldInfo& field);
/// A coordinate of one value: the height of a field, or which of its levels the file has.
struct ScalarCoordinate {
  std::string name;
  double value;
  bool is_number;  ///< of a level, else a height in metres
  std::vector<Attribute> attributes;
};
std::optional<ScalarCoordinate> scalar_coordinate(const FileDescription& description,
                                                  const FieldInfo& field);
/// Of the fields of a file, each name once.
std::vector<ScalarCoordinate> scalar_coordinates(const FileDescription& description);
/// The field with all levels that the run has of it, of which the file may have some.
const FieldInfo& whole_field(const FileDescription& description, const FieldInfo& field);
/// Name of the dimension and coordinate of levels, which all fields of a file with levels share.
std::string level_name(const FileDescription& description);
std::vector<Attribute> level_attributes(const FileDescription& description);

/// Global text attributes of a file: conventions, what user and model gave, `history`, the grid.
std::vector<Attribute> global_attributes(const FileDescription& description,
                                         const std::string& history);
/// Throws Error(user) if a global attribute of this name is ours, the name is none, or the text is
/// not UTF-8.
void check_attribute(const std::string& name, const std::string& text);

}  // namespace thalweg
