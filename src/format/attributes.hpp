// SPDX-License-Identifier: Apache-2.0
// Attributes that every format with attributes gives its fields and files.
#pragma once

#include <map>
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
/// The scalar coordinates of a file: metres by name.
std::map<std::string, double> heights(const FileDescription& description);
std::vector<Attribute> height_attributes();
/// Of the coordinate `level`.
std::vector<Attribute> level_attributes(const FileDescription& description);

/// Global text attributes of a file: conventions, what user and model gave, `history`, the grid.
std::vector<Attribute> global_attributes(const FileDescription& description,
                                         const std::string& history);
/// Throws Error(user) if a global attribute of this name is ours, the name is none, or the text is
/// not UTF-8.
void check_attribute(const std::string& name, const std::string& text);

}  // namespace thalweg
