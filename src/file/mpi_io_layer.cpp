// SPDX-License-Identifier: Apache-2.0
// Finds out which MPI-IO layer works: MPI's tool interface tells which components Open MPI has and
// which of them the user chose.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "file/mpi_io.hpp"

namespace thalweg {

namespace {

/// MPI's control variables whose names begin with "io", as text. Open MPI: "io" holds the
/// components asked for, io_NAME_priority is there for each that is installed.
IoHints io_variables() {
  int level = MPI_THREAD_SINGLE, provided = 0;
  MPI_Query_thread(&level);  // Open MPI takes what is asked for here for the whole program
  if (MPI_T_init_thread(level, &provided) != MPI_SUCCESS) return {};
  IoHints variables;
  int count = 0;
  MPI_T_cvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    char name[256] = "";
    int name_size = sizeof(name), meaning_size = 0, verbosity = 0, binding = 0, scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum words = MPI_T_ENUM_NULL;
    if (MPI_T_cvar_get_info(i, name, &name_size, &verbosity, &type, &words, nullptr, &meaning_size,
                            &binding, &scope) != MPI_SUCCESS) {
      continue;  // of a component that was unloaded
    }
    if (std::strcmp(name, "io") != 0 && std::strncmp(name, "io_", 3) != 0) continue;
    if (binding != MPI_T_BIND_NO_OBJECT || (type != MPI_CHAR && type != MPI_INT)) continue;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int size = 0;
    if (MPI_T_cvar_handle_alloc(i, nullptr, &handle, &size) != MPI_SUCCESS) continue;
    if (type == MPI_CHAR) {
      std::vector<char> text(size + 1);
      if (MPI_T_cvar_read(handle, text.data()) == MPI_SUCCESS) variables[name] = text.data();
    } else if (size == 1) {
      int value = 0;
      if (MPI_T_cvar_read(handle, &value) == MPI_SUCCESS) variables[name] = std::to_string(value);
    }
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return variables;
}

/// Does Open MPI's choice ("", "ompio", "romio321,ompio", "^ompio") admit a component?
bool admits(const std::string& choice, const std::string& component) {
  if (choice.empty()) return true;
  const auto names = fmt::format(",{},", choice.substr(choice.front() == '^' ? 1 : 0));
  const bool listed = names.find(fmt::format(",{},", component)) != std::string::npos;
  return listed != (choice.front() == '^');
}

/// Name of Open MPI's component for a file, by its own rule: the highest priority, but not OMPIO on
/// Lustre where another is there (its component lowers its priority to 1 there).
std::string open_mpi_component(const IoHints& variables, bool on_lustre) {
  std::string chosen;
  int highest = 0;
  for (const auto& [name, value] : variables) {
    constexpr std::string_view prefix = "io_", suffix = "_priority";
    if (name.size() <= prefix.size() + suffix.size() || !name.ends_with(suffix)) continue;
    const auto component = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    if (component.ends_with("_delete") || !admits(variables.at("io"), component)) continue;
    const int priority = component == "ompio" && on_lustre ? 1 : std::stoi(value);
    if (chosen.empty() || priority > highest) {
      chosen = component;
      highest = priority;
    }
  }
  return chosen;
}

std::string library_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string name(text);
  name = name.substr(0, name.find_first_of(",\n"));  // what follows tells how it was built
  for (auto& letter : name) letter = letter == '\t' ? ' ' : letter;
  return name;
}

}  // namespace

MpiIoLayer mpi_io_layer(const std::string& path) {
  MpiIoLayer layer;
  layer.library = library_name();
  static const auto variables = io_variables();  // Open MPI takes 0.2 s for it
  std::string component;
  if (variables.contains("io")) {
    component = open_mpi_component(variables, lies_on_lustre(path));
  } else if (layer.library.find("MPICH") != std::string::npos ||
             layer.library.find("MVAPICH") != std::string::npos ||
             layer.library.find("Intel(R) MPI") != std::string::npos) {
    component = "romio";  // the only one these have
  }
  if (component == "ompio") {
    layer.name = "OMPIO";
    for (const char* name : {"bytes_per_agg", "cycle_buffer_size", "grouping_option",
                             "num_aggregators", "max_aggregators_ratio"}) {
      const auto found = variables.find(fmt::format("io_ompio_{}", name));
      if (found != variables.end()) layer.parameters.insert(*found);
    }
  } else {
    layer.name = component.starts_with("romio") ? "ROMIO" : "unknown";
  }
  return layer;
}

}  // namespace thalweg
