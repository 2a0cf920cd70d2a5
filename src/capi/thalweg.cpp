// SPDX-License-Identifier: Apache-2.0
// The C interface: opaque handles over the C++ classes.
#include "thalweg.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/warning.hpp"
#include "capi/handle.hpp"
#include "field/names.hpp"
#include "output/open_outputs.hpp"
#include "ranks/agreement.hpp"
#include "ranks/same_everywhere.hpp"
#include "restart/part.hpp"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"
#include "thalweg/restart.hpp"
#include "thalweg/settings.hpp"
#include "thalweg/wait.hpp"

using namespace thalweg;
using namespace thalweg::capi;

std::string& capi::last_error() {
  thread_local std::string sentence;
  return sentence;
}

namespace {

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

FieldInfo info_of(const thalweg_field* description) {
  require(description != nullptr, "a field needs a description, not NULL");
  const auto& field = *description;
  require(field.name != nullptr && *field.name != '\0', "a field needs a name");
  require(field.type >= THALWEG_FLOAT64 && field.type <= THALWEG_INT64,
          "a field's type must be THALWEG_FLOAT64, THALWEG_FLOAT32, THALWEG_INT32 or "
          "THALWEG_INT64");
  require(field.half_levels == 0 || field.half_levels == 1,
          "a field's half_levels must be 1, where its levels are faces of layers, or 0");
  return {text_of(field.name),
          text_of(field.standard_name),
          text_of(field.long_name),
          text_of(field.units),
          place_of(field.place),
          field.levels,
          static_cast<ValueType>(field.type),
          field.height_m,
          false,
          field.half_levels != 0};
}

/// How sentences call what thalweg_open was given: the file's name, or "settings" for their text.
std::string name_of_settings(const std::string& given) {
  const bool is_text = given.empty() || given.find_first_of("\n=") != std::string::npos;
  return is_text ? "settings" : std::filesystem::path(given).filename().string();
}

Experiment experiment_of(const char* given) {
  require(given != nullptr && *given != '\0',
          "thalweg_open needs settings: a file or their text, not NULL or an empty word");
  const auto name = name_of_settings(given);
  return name == "settings" && std::string_view(given) != name ? Experiment::parse(given, name)
                                                               : Experiment::read(given);
}

/// Words that only our tables know are refused without the name of the settings: it is put before.
template <class Act>
auto named(const char* given, const Act& act) {
  try {
    return act();
  } catch (const Error& error) {
    const std::string sentence = error.what();
    throw Error(error.blame(),
                sentence.front() == '[' ? name_of_settings(given) + " " + sentence : sentence);
  }
}

/// I/O ranks, which open no restart, would hear of it only by the end of the others.
void require_fit(const OutputSettings& output, const RestartSettings& restart, int size) {
  const int compute = size - dedicated_io_ranks(output) - output.restart_ranks;
  if (restart.mode != "none" && compute > 0) check_restart(restart, compute, output.restart_ranks);
}

/// Settings that are of the mini-model: of a run that goes on, and of a mesh.
void tell_of_unread(const Experiment& settings, const Output& output) {
  int rank = 0;
  if (!output.is_compute_rank()) return;
  MPI_Comm_rank(output.compute_comm(), &rank);
  if (rank != 0) return;
  for (const auto& stream : settings.outputs) {
    if (stream.text("bounds") != "always") continue;
    warn_once(
        fmt::format("[[output]] '{}': bounds = \"always\" is not looked at here; files of a "
                    "model of its own have no coordinates",
                    stream.text("name")));
  }
  if (settings.table("restart").text("read").empty()) return;
  warn_once(
      "[restart]: read is not looked at here; a model that continues calls thalweg_read_state");
}

void end_points(thalweg_output& handle) {
  if (handle.points_given) return;
  if (handle.restart) handle.restart->define(points_of(handle));
  handle.points_given = true;
}

// All fields are known: streams may name them.
void seal(thalweg_output& handle) {
  require_working(handle);
  if (handle.sealed) return;
  handle.sealed = true;
  for (const auto& stream : handle.streams) handle.output->define(stream);
  // Whoever has no state may be late: the sets may be this run's by now.
  if (!handle.beginning || handle.state.empty()) return;
  handle.output->once_defined(
      [own = handle.settings.directory + "/restart", beginning = *handle.beginning] {
        remove_later_sets(own, beginning);
      });
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

void tell_of_dropped(const Output& output) {
  int rank = 0;
  MPI_Comm_rank(output.compute_comm(), &rank);
  if (rank != 0 || output.outputs_dropped() == 0) return;
  warn_once(
      fmt::format("buffers were full: {} of {} output times were dropped, as [io] "
                  "backpressure = \"thin\" says; their files name them",
                  output.outputs_dropped(), output.outputs_written()));
}

// The same for what is no time: one rank alone may have computed it. It is the end of the output.
ModelTime time_together(thalweg_output& handle, double time_s) {
  handle.output->company().meet(Together::writing);
  const auto compute = handle.output->compute_comm();
  int rank = 0;
  MPI_Comm_rank(compute, &rank);
  ModelTime time;
  try {
    throw_together(compute, attempt(rank, [&] { time = time_s; }));
  } catch (const Error& error) {
    handle.output->fail(error);
    throw;
  }
  return time;
}

}  // namespace

extern "C" {

int thalweg_open(MPI_Comm world, const char* experiment, const char* directory,
                 thalweg_output** output) {
  return status_of([&] {
    int begun = 0, ended = 0, rank = 0, size = 1;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    require(begun != 0 && ended == 0,
            "thalweg_open needs MPI: call it between MPI_Init and MPI_Finalize");
    require(world != MPI_COMM_NULL, "thalweg_open needs a communicator, not MPI_COMM_NULL");
    require(output != nullptr, "thalweg_open needs a place for the handle, not NULL");
    *output = nullptr;
    require_none_served();
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    Experiment settings;
    OutputSettings out;
    RestartSettings restart;
    throw_together(world, attempt(rank, [&] {
                     require(directory != nullptr, "thalweg_open needs a directory, not NULL");
                     settings = experiment_of(experiment);
                     out = output_settings(settings, directory);
                     out.restart_ranks = restart_ranks(settings);
                     restart = restart_settings(settings, directory);
                     set_wait_timeout(out.timeout_s);
                     named(experiment, [&] { require_fit(out, restart, size); });
                   }));
    out.directory = directory;
    out.grid.clear();  // the model's own points: no mesh is described
    require_same_settings(world, aspects_of(restart));  // one rank alone may want none
    auto handle = std::make_unique<thalweg_output>();
    handle->output.emplace(named(experiment, [&] { return Output::open(world, out); }));
    tell_of_unread(settings, *handle->output);
    handle->streams = stream_settings(settings);
    handle->settings = out;
    if (restart.mode != "none" && handle->output->restart_comm() != MPI_COMM_NULL) {
      handle->restart.emplace(Restart::open(*handle->output, restart));
    }
    add_open(handle.get());
    *output = handle.release();
  });
}

int thalweg_role(const thalweg_output* output) {
  if (!is_open(output)) return -1;
  return output->output->is_compute_rank()   ? THALWEG_COMPUTE
         : output->output->is_restart_rank() ? THALWEG_RESTART
                                             : THALWEG_IO;
}

int thalweg_serve(thalweg_output* output) {
  return status_on(output, false, [&] {
    if (!output->output->is_restart_rank()) return output->output->serve();
    try {
      output->restart->serve();
    } catch (const Error& error) {
      output->refused_service = error;
      throw;
    }
  });
}

MPI_Comm thalweg_compute_comm(const thalweg_output* output) {
  return !is_open(output) ? MPI_COMM_NULL : output->output->compute_comm();
}

int thalweg_define_points(thalweg_output* output, const char* place, int64_t global_size,
                          int64_t count, const int64_t* global, const int64_t* positions) {
  return status_that_stays(output, [&] {
    require(!output->points_given, "points must be defined before the first field");
    require(count >= 0 && (count == 0 || global != nullptr),
            "owned points need their global indices");
    auto& points = output->points.emplace_back();
    points.global.assign(global, global + count);
    if (positions != nullptr) points.positions.assign(positions, positions + count);
    points.view = {place_of(place), global_size, points.global, points.positions};
    output->output->define(std::span(&points.view, 1));
  });
}

/// Called by fortran/thalweg_bodies.f90 only: what C cannot see.
int thalweg_fortran_refuse(thalweg_output* output, const char* sentence) {
  return status_that_stays(output, [&] { throw Error(Blame::user, sentence); });
}

int thalweg_define_field(thalweg_output* output, const thalweg_field* field) {
  return status_that_stays(output, [&] {
    require(
        !output->sealed,
        "fields must be defined before end_definition and the first question about output times");
    end_points(*output);
    output->fields.push_back(info_of(field));
    output->output->define(output->fields.back());
  });
}

int thalweg_define_attribute(thalweg_output* output, const char* name, const char* text) {
  return status_that_stays(output,
                           [&] { output->output->define_attribute(text_of(name), text_of(text)); });
}

int thalweg_end_definition(thalweg_output* output) {
  return status_that_stays(output, [&] {
    seal(*output);
    output->output->end_definition();
  });
}

// For the Fortran module: the answer apart from the status, which thalweg_wants has no room for.
int thalweg_fortran_wants(thalweg_output* output, const char* field, double time_s, int* wanted) {
  *wanted = 0;
  return status_that_stays(output, [&] {
    seal(*output);
    const auto& out = *output->output;
    *wanted = (field == nullptr ? out.due(time_s) : out.wants(field, time_s)) ? 1 : 0;
  });
}

int thalweg_wants(thalweg_output* output, const char* field, double time_s) {
  int wanted = 0;
  const int status = thalweg_fortran_wants(output, field, time_s, &wanted);
  return status == THALWEG_OK ? wanted : -1;
}

int thalweg_put(thalweg_output* output, const char* field, const thalweg_view* view,
                double time_s) {
  return status_on(output, true, [&] {
    seal(*output);
    require(field != nullptr && view != nullptr, "thalweg_put needs a field's name and its view");
    const auto& info = field_of(*output, field);
    output->output->put(info.name, view_of<FieldView>(*view, info.type), time_s);
  });
}

int thalweg_end_time(thalweg_output* output, double time_s) {
  return status_that_stays(output, [&] {
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
  return status_that_stays(output, [&] {
    end_points(*output);
    output->state.push_back(info_of(field));
    check_levels(output->state.back());  // of a state that is read only, too
    if (output->restart) output->restart->define(output->state.back());
  });
}

// For the Fortran module, where an array does not fit: a refused definition, as others are.
int thalweg_fortran_refuse_state(thalweg_output* output) {
  const auto why = capi::last_error();
  return status_that_stays(output, [&] { throw Error(Blame::user, why); });
}

int thalweg_write_state(thalweg_output* output, double time_s, const thalweg_view* views,
                        int count) {
  return status_on(output, true, [&] {
    require(output->restart.has_value(), "[restart]: mode is \"none\"; choose one to write state");
    seal(*output);
    output->output->end_definition();
    output->restart->write(time_together(*output, time_s),
                           views_of<FieldView>(*output, views, count), {});
  });
}

int thalweg_close(thalweg_output** output) {
  if (output == nullptr || *output == nullptr) return THALWEG_OK;
  if (!remove_open(*output)) {
    *output = nullptr;
    return status_of(
        [] { require(false, "the output was closed before, by a copy of its handle"); });
  }
  const int status = status_of([&] {
    auto& handle = **output;
    const std::lock_guard alone(handle.one_caller);
    if (!handle.output->is_compute_rank()) {
      if (handle.refused_service) throw Error(*handle.refused_service);
      handle.output->close();
      return;
    }
    try {
      seal(handle);
    } catch (const Error&) {  // kept by the output, which throws it below
    }
    close_both(*handle.output, handle.restart ? &*handle.restart : nullptr);
    tell_of_dropped(*handle.output);
  });
  delete *output;
  *output = nullptr;
  return status;
}

const char* thalweg_last_error(void) { return capi::last_error().c_str(); }

}  // extern "C"
