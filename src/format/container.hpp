// SPDX-License-Identifier: Apache-2.0
// What every file format can do: create a described file, put one field of one time, close.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/field.hpp"

namespace thalweg {

/// Everything about a file that is known before its first value.
struct FileDescription {
  std::string path;                 ///< final name; written aside as path + ".part"
  std::vector<FieldInfo> fields;    ///< `levels` = levels written here (1 = two-dimensional)
  std::vector<int> level_numbers;   ///< [levels] 1-based model levels of three-dimensional fields
  std::vector<std::int64_t> sizes;  ///< [3] global points of cell, edge, vertex
  std::vector<double> times_s;      ///< valid times of the file, seconds since start_date
  std::vector<int> steps;           ///< output numbers of these times in their stream
  std::string start_date;           ///< ISO 8601
  std::string grid;                 ///< "RnBk" or "" (no mesh description)
  std::string title, source, history;
  bool float64 = false;
  bool chunked = false;  ///< unlimited time axis, one chunk per level and time
};

/// One open file. Errors throw Error(file_system) with path and reason.
class Container {
 public:
  virtual ~Container() = default;  ///< an unclosed file stays under its aside name
  /// values[level * points + point], float or double as the description says.
  virtual void put(int field, int time_index, const void* values) = 0;
  /// Flushes, closes and renames to the final name.
  virtual void close() = 0;
  /// Closes what there is and leaves it under its aside name. Never throws.
  virtual void abandon() noexcept = 0;
};

/// A file format Thalweg can write.
struct ContainerInfo {
  const char* name;
  const char* suffix;
  const char* meaning;
  std::unique_ptr<Container> (*create)(const FileDescription&);
};

/// Every container, in containers.cpp.
std::span<const ContainerInfo> containers();

std::unique_ptr<Container> create_netcdf4(const FileDescription& description);

}  // namespace thalweg
