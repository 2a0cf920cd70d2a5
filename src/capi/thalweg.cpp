// SPDX-License-Identifier: Apache-2.0
// The C interface: opaque handles over the C++ classes.
#include "thalweg.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "capi/last_error.hpp"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"
#include "thalweg/restart.hpp"
#include "thalweg/settings.hpp"

using namespace thalweg;
using capi::status_of;

struct thalweg_output {
  std::optional<Output> output;
  std::optional<Restart> restart;
  std::vector<StreamSettings> streams;  // defined at the first question about times
  bool sealed = false;
  // Owned points, kept for reading a restart.
  struct Points {
    OwnedPoints view;
    std::vector<std::int64_t> global, positions;
  };
  std::vector<Points> points;
  std::vector<FieldInfo> fields, state;
  bool points_defined = false;
};

std::string& capi::last_error() {
  thread_local std::string sentence;
  return sentence;
}

namespace {

void require(bool condition, const char* sentence) {
  if (!condition) throw Error(Blame::user, sentence);
}

// On a rank that has opened an output; `computes`: and whose role it is to compute, or not.
template <class Act>
int status_on(const thalweg_output* output, bool computes, const Act& act) {
  return status_of([&] {
    require(output != nullptr, "the output is not open: call thalweg_open first");
    require(output->output->is_compute_rank() || !computes,
            "an I/O or restart rank takes no part in this call: it calls thalweg_serve alone");
    require(!output->output->is_compute_rank() || computes,
            "a compute rank has nothing to serve: thalweg_serve is for I/O and restart ranks");
    act();
  });
}

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

Place place_of(const char* name) {
  const std::vector<std::string> names(std::begin(place_names), std::end(place_names));
  const auto found = std::find(names.begin(), names.end(), text_of(name));
  if (found == names.end()) {
    throw Error(Blame::user,
                fmt::format("place '{}' does not exist; choose one of: cell, edge, vertex.{}",
                            text_of(name), did_you_mean(text_of(name), names)));
  }
  return static_cast<Place>(found - names.begin());
}

FieldInfo info_of(const thalweg_field& field) {
  require(field.type >= THALWEG_FLOAT64 && field.type <= THALWEG_INT32,
          "a field's type must be THALWEG_FLOAT64, THALWEG_FLOAT32 or THALWEG_INT32");
  return {text_of(field.name),
          text_of(field.standard_name),
          text_of(field.long_name),
          text_of(field.units),
          place_of(field.place),
          field.levels,
          static_cast<ValueType>(field.type)};
}

FieldView view_of(const thalweg_view& view, ValueType type) {
  return {view.values, view.point_stride, view.level_stride,
          type,        view.block_points, view.block_stride};
}

Experiment experiment_of(const std::string& text) {
  const bool is_text = text.empty() || text.find_first_of("\n=") != std::string::npos;
  return is_text ? Experiment::parse(text, "settings") : Experiment::read(text);
}

void define_points(thalweg_output& handle) {
  if (handle.points_defined) return;
  std::vector<OwnedPoints> all;
  for (const auto& points : handle.points) all.push_back(points.view);
  handle.output->define(all);
  if (handle.restart) handle.restart->define(all);
  handle.points_defined = true;
}

// All fields are known: streams may name them.
void seal(thalweg_output& handle) {
  if (handle.sealed) return;
  handle.sealed = true;
  for (const auto& stream : handle.streams) handle.output->define(stream);
}

const FieldInfo& field_of(const thalweg_output& handle, const std::string& name) {
  for (const auto& field : handle.fields) {
    if (field.name == name) return field;
  }
  std::vector<std::string> names;
  for (const auto& field : handle.fields) names.push_back(field.name);
  throw Error(Blame::user, fmt::format("field '{}' was put but never defined.{}", name,
                                       did_you_mean(name, names)));
}

void require_views(const thalweg_output& handle, const thalweg_view* views, int count) {
  require(views != nullptr && count == static_cast<int>(handle.state.size()),
          "there must be one view for every field of the state, in the order of definition");
}

}  // namespace

extern "C" {

int thalweg_open(MPI_Comm world, const char* experiment, const char* directory,
                 thalweg_output** output) {
  return status_of([&] {
    require(output != nullptr && directory != nullptr,
            "thalweg_open needs a directory and a handle");
    *output = nullptr;
    const auto settings = experiment_of(text_of(experiment));
    auto handle = std::make_unique<thalweg_output>();
    auto out = output_settings(settings, directory);
    out.directory = directory;
    out.grid.clear();  // the model's own points: no mesh is described
    out.source = "a model that writes through Thalweg";
    handle->output.emplace(Output::open(world, out));
    handle->streams = stream_settings(settings);
    if (settings.table("restart").text("mode") != "none" &&
        handle->output->restart_comm() != MPI_COMM_NULL) {
      handle->restart.emplace(Restart::open({handle->output->restart_comm(), out.restart_ranks},
                                            restart_settings(settings, directory)));
    }
    *output = handle.release();
  });
}

int thalweg_role(const thalweg_output* output) {
  if (output == nullptr) return -1;
  return output->output->is_compute_rank()   ? THALWEG_COMPUTE
         : output->output->is_restart_rank() ? THALWEG_RESTART
                                             : THALWEG_IO;
}

int thalweg_serve(thalweg_output* output) {
  return status_on(output, false, [&] {
    output->output->is_restart_rank() ? output->restart->serve() : output->output->serve();
  });
}

MPI_Comm thalweg_compute_comm(const thalweg_output* output) {
  return output == nullptr ? MPI_COMM_NULL : output->output->compute_comm();
}

int thalweg_define_points(thalweg_output* output, const char* place, int64_t global_size,
                          int64_t count, const int64_t* global, const int64_t* positions) {
  return status_on(output, true, [&] {
    require(!output->points_defined, "points must be defined before the first field");
    require(count >= 0 && (count == 0 || global != nullptr),
            "owned points need their global indices");
    auto& points = output->points.emplace_back();
    points.global.assign(global, global + count);
    if (positions != nullptr) points.positions.assign(positions, positions + count);
    points.view = {place_of(place), global_size, points.global, points.positions};
  });
}

int thalweg_define_field(thalweg_output* output, const thalweg_field* field) {
  return status_on(output, true, [&] {
    require(!output->sealed, "fields must be defined before the first question about output times");
    define_points(*output);
    output->fields.push_back(info_of(*field));
    output->output->define(output->fields.back());
  });
}

int thalweg_wants(thalweg_output* output, const char* field, double time_s) {
  bool wanted = false;
  const int status = status_on(output, true, [&] {
    seal(*output);
    wanted = field == nullptr ? output->output->due(time_s) : output->output->wants(field, time_s);
  });
  return status == THALWEG_OK && wanted ? 1 : 0;
}

int thalweg_put(thalweg_output* output, const char* field, const thalweg_view* view,
                double time_s) {
  return status_on(output, true, [&] {
    seal(*output);
    const auto& info = field_of(*output, text_of(field));
    output->output->put(info.name, view_of(*view, info.type), time_s);
  });
}

int thalweg_end_time(thalweg_output* output, double time_s) {
  return status_on(output, true, [&] {
    seal(*output);
    output->output->end_time(time_s);
    if (output->restart) output->restart->check();
  });
}

int thalweg_check(thalweg_output* output) {
  return status_on(output, true, [&] {
    seal(*output);
    output->output->check();
    if (output->restart) output->restart->check();
  });
}

int thalweg_define_state(thalweg_output* output, const thalweg_field* field) {
  return status_on(output, true, [&] {
    define_points(*output);
    output->state.push_back(info_of(*field));
    if (output->restart) output->restart->define(output->state.back());
  });
}

int thalweg_write_state(thalweg_output* output, double time_s, const thalweg_view* views,
                        int count) {
  return status_on(output, true, [&] {
    require(output->restart.has_value(), "[restart]: mode is \"none\"; choose one to write state");
    require_views(*output, views, count);
    std::vector<FieldView> all;
    for (int index = 0; index < count; ++index) {
      all.push_back(view_of(views[index], output->state[static_cast<std::size_t>(index)].type));
    }
    output->restart->write(time_s, all, {});
  });
}

int thalweg_read_state(thalweg_output* output, const char* directory, const thalweg_view* views,
                       int count, double* time_s) {
  return status_on(output, true, [&] {
    require_views(*output, views, count);
    *time_s = -1.0;
    const auto set = find_restart(output->output->compute_comm(), text_of(directory));
    if (set.path.empty()) return;
    std::vector<OwnedPoints> points;
    for (const auto& owned : output->points) points.push_back(owned.view);
    std::vector<MutableFieldView> all;
    for (int index = 0; index < count; ++index) {
      const auto& view = views[index];
      all.push_back({view.values, view.point_stride, view.level_stride,
                     output->state[static_cast<std::size_t>(index)].type, view.block_points,
                     view.block_stride});
    }
    read_restart(output->output->compute_comm(), set, points, output->state, all);
    *time_s = set.time_s;
    // Outputs up to that time are those of the run before: its files stay as they are.
    if (!output->sealed) output->streams = streams_after(std::move(output->streams), set.time_s);
  });
}

int thalweg_close(thalweg_output** output) {
  if (output == nullptr || *output == nullptr) return THALWEG_OK;
  const int status = status_of([&] {
    if (!(*output)->output->is_compute_rank()) return;
    seal(**output);
    (*output)->output->close();
    if ((*output)->restart) (*output)->restart->close();
  });
  delete *output;
  *output = nullptr;
  return status;
}

const char* thalweg_last_error(void) { return capi::last_error().c_str(); }

}  // extern "C"
