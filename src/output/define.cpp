// SPDX-License-Identifier: Apache-2.0
// Definitions: points, fields, streams; and their common end, where all ranks compare what they
// said.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "base/warning.hpp"
#include "codec/codec.hpp"
#include "field/mesh_variables.hpp"
#include "field/names.hpp"
#include "format/attributes.hpp"
#include "output/deal/describe_file.hpp"
#include "output/deal/tags.hpp"
#include "output/files/begun.hpp"
#include "output/files/continuations.hpp"
#include "output/files/coverage.hpp"
#include "output/files/kept_files.hpp"
#include "output/files/looked_at.hpp"
#include "output/files/reached.hpp"
#include "output/files/take_back.hpp"
#include "output/move/runs_exchange.hpp"
#include "output/state.hpp"
#include "ranks/agreement.hpp"
#include "ranks/pulse.hpp"
#include "ranks/same_everywhere.hpp"
#include "redist/ownership.hpp"
#include "redist/view_access.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Blame::user, sentence); }

/// Throws if files of two streams are called the same: of a partition of one and of the other.
void require_other_files(const StreamSettings& one, const StreamSettings& other) {
  const auto names = names_of_partitions(one), others = names_of_partitions(other);
  for (const auto& name : names) {
    if (std::find(others.begin(), others.end(), name) == others.end()) continue;
    const auto& cut = name == one.name ? other : one;
    refuse(
        fmt::format("[[output]] '{}': files of stream '{}', which has {} partitions, are called "
                    "so; give it another name",
                    name, cut.name, cut.partitions));
  }
}

void check_points(const OwnedPoints& part) {
  const auto* place = place_names[part.place];
  if (part.global_size < 1) {
    refuse(fmt::format("place '{}' was defined with {} points; it needs at least one", place,
                       part.global_size));
  }
  for (const auto index : part.global) {
    if (index >= 0 && index < part.global_size) continue;
    refuse(fmt::format("place '{}': point {} is owned, but the place has points 0 to {}", place,
                       index, part.global_size - 1));
  }
  if (part.positions.empty()) return;
  if (part.positions.size() != part.global.size()) {
    refuse(fmt::format("place '{}': {} points are owned, but {} positions were given", place,
                       part.global.size(), part.positions.size()));
  }
  const auto negative = std::find_if(part.positions.begin(), part.positions.end(),
                                     [](std::int64_t position) { return position < 0; });
  if (negative != part.positions.end()) {
    refuse(fmt::format("place '{}': position {} lies before the array", place, *negative));
  }
  require_distinct(part.place, part.positions);
}

// With the mesh of a grid go the coordinates of its points: they are right only for points numbered
// as Thalweg numbers them, and its UUID stands for that.
void check_grid_claim(const OutputSettings& settings, Place place, std::int64_t size) {
  if (settings.grid.empty()) return;
  const auto grid = Grid::parse(settings.grid);
  const auto* name = place_names[place];
  if (size != grid.size(place)) {
    refuse(
        fmt::format("grid = \"{}\" has {} points of place '{}', but {} were defined; leave grid "
                    "empty for points of your own",
                    settings.grid, grid.size(place), name, size));
  }
  const auto digits = [](std::string uuid) {
    std::erase(uuid, '-');
    std::transform(uuid.begin(), uuid.end(), uuid.begin(),
                   [](unsigned char digit) { return std::tolower(digit); });
    return uuid;
  };
  if (digits(settings.grid_uuid) == digits(grid.uuid())) return;
  refuse(
      fmt::format("grid = \"{}\" is a claim that points are numbered as in Thalweg's grid of that "
                  "name: prove it with grid_uuid = \"{}\"{}, or leave grid empty for points of "
                  "your own",
                  settings.grid, grid.uuid(),
                  settings.grid_uuid.empty() ? std::string()
                                             : fmt::format(" (it is \"{}\")", settings.grid_uuid)));
}

// A file has variables and dimensions of its own beside the fields.
void check_field_name(const Definition& definition, const FieldInfo& field) {
  check_name("field", field.name, longest_field_name);
  std::vector<std::string> ours{"time", "level",  "half_level", "cell",
                                "edge", "vertex", "zarr.json"};
  if (!definition.settings.grid.empty()) {
    ours.emplace_back("mesh");
    for (const auto& variable : mesh_variables()) ours.emplace_back(variable.name);
    for (const auto* dimension : small_dimensions) ours.emplace_back(dimension);
  }
  ours.push_back(height_name(field));
  for (const auto& other : definition.fields) ours.push_back(height_name(other));
  const auto refuse_taken = [](const std::string& name) {
    refuse(
        fmt::format("field '{}': a coordinate or dimension of its files is called so; choose "
                    "another name",
                    name));
  };
  if (std::find(ours.begin(), ours.end(), field.name) != ours.end()) refuse_taken(field.name);
  for (const auto& other : definition.fields) {
    if (other.name == height_name(field)) refuse_taken(other.name);
  }
  for (const auto& [what, text] :
       {std::pair{"standard name", &field.standard_name}, std::pair{"long name", &field.long_name},
        std::pair{"units", &field.units}}) {
    if (is_utf8(*text)) continue;
    refuse(fmt::format("field '{}': the text of its {} is not UTF-8", field.name, what));
  }
}

}  // namespace

void Output::define(std::span<const OwnedPoints> points) {
  const auto alone = state_->enter();
  auto& state = *state_;
  state.keep_failure([&] {
    state.require_open_definition("points");
    for (const auto& part : points) {
      const Place place = part.place;
      const auto* name = place_names[place];
      if (state.definition.sizes[place] != 0) {
        refuse(fmt::format("the points of place '{}' are defined twice", name));
      }
      check_points(part);
      check_grid_claim(state.definition.settings, part.place, part.global_size);
      try {
        state.runs[place] = make_runs(part.global);
      } catch (const Error& error) {
        refuse(fmt::format("place '{}': {}", name, error.what()));
      }
      state.positions[place].assign(part.positions.begin(), part.positions.end());
      state.owned[place] = static_cast<std::int64_t>(part.global.size());
      state.definition.sizes[place] = part.global_size;
    }
  });
}

void Output::define_attribute(const std::string& name, const std::string& text) {
  const auto alone = state_->enter();
  state_->keep_failure([&] {
    state_->require_open_definition("global attributes");
    check_attribute(name, text);
    state_->definition.settings.attributes.try_emplace(name, text);
  });
}

void Output::define(const FieldInfo& field) {
  const auto alone = state_->enter();
  auto& definition = state_->definition;
  state_->keep_failure([&] {
    state_->require_open_definition("fields");
    if (field.name.empty()) refuse("a field needs a name");
    check_field_name(definition, field);
    check_levels(field);
    for (const auto& known : definition.fields) {
      if (known.name == field.name) refuse(fmt::format("field '{}' is defined twice", field.name));
    }
    if (definition.sizes[field.place] == 0) {
      refuse(
          fmt::format("field '{}' lives on place '{}', which has no points: define its owned "
                      "points first",
                      field.name, place_names[field.place]));
    }
    if (!(field.height_m >= 0.0 && std::isfinite(field.height_m)) ||
        (field.height_m > 0.0 && field.levels > 1)) {
      refuse(
          fmt::format("field '{}' with {} levels cannot lie at a height of {} m above the ground: "
                      "a height is that of one level, and 0 means none",
                      field.name, field.levels, field.height_m));
    }
    definition.fields.push_back(field);
  });
}

void Output::define(const StreamSettings& given) {
  const auto alone = state_->enter();
  auto& definition = state_->definition;
  state_->keep_failure([&] {
    state_->require_open_definition("streams");
    check_stream(given, definition.fields, definition.settings, definition.sizes);
    const auto stream = with_end(given, definition.settings.duration);
    for (const auto& known : definition.streams) {
      if (known.settings.name == stream.name) {
        refuse(fmt::format("[[output]]: two streams are called '{}'", stream.name));
      }
      require_other_files(known.settings, stream);
    }
    if (state_->ranks.rank == 0 &&
        find_container(stream.container, definition.settings.way).plugins &&
        !stream.compression.none() && !find_codec(stream.compression.codec).built_in) {
      warn_once(
          fmt::format("[[output]] '{}': readers of netCDF files compressed by '{}' need HDF5's "
                      "plugin for it, which the CDO of many systems has not; compression = "
                      "\"deflate\" is read everywhere",
                      stream.name, stream.compression.codec));
    }
    const int first_lane = definition.lanes();
    definition.streams.push_back(
        {stream, Schedule(stream), resolve_variables(stream, definition.fields), first_lane});
    if (definition.continues_after)
      definition.streams.back().schedule.begin_after(*definition.continues_after);
  });
}

void Output::continue_after(ModelTime time, bool same_files, const std::string& from) {
  const auto alone = state_->enter();
  state_->keep_failure([&] {
    state_->require_open_definition("the time after which a run continues");
    state_->definition.continue_after(time, same_files);
    state_->clocks[State::with_put].latest_s = time.seconds();
    if (same_files) return;
    const auto path = from.empty() ? from : std::filesystem::absolute(from).string();
    state_->definition.begun = {time, path};
  });
}

void Output::begin_again() {
  const auto alone = state_->enter();
  state_->keep_failure([&] {
    state_->require_open_definition("that a run begins again");
    state_->definition.same_files = true;
  });
}

void Output::once_defined(std::function<void()> act) {
  const auto alone = state_->enter();
  state_->keep_failure([&] {
    state_->require_open_definition("what is done once all is defined");
    state_->once_defined = std::move(act);
  });
}

void Output::fail(const Error& error) {
  const auto alone = state_->enter();
  state_->fail(error);
}

void Output::end_definition() {
  const auto alone = state_->enter();
  state_->require_compute("end_definition");
  state_->keep_failure([&] { state_->end_definition(); });
}

void Output::State::require_open_definition(const char* what) const {
  if (engine) refuse(fmt::format("{} must be defined before the end of definition", what));
}

namespace {

/// What files that go on hold already: unless it is known, all that was due.
std::vector<int> handed_over_before(const Definition& definition) {
  if (!definition.same_files || !definition.continues_after)
    return std::vector<int>(definition.lanes(), -1);
  auto reached = read_reached(definition, *definition.continues_after);
  for (std::size_t number = 0; number < definition.streams.size(); ++number) {
    const auto& stream = definition.streams[number];
    if (reached.next[number] > 0) continue;
    for (int step = 0; step < stream.schedule.first_due(); ++step)
      reached.last[stream.first_lane + stream.schedule.partition_of(step)] = step;
  }
  return reached.last;
}

}  // namespace

void Output::State::end_definition() {
  if (engine) return;
  const double begin_s = now_s();
  meet(Together::definition);
  compare_definitions();
  if (compare_more) {
    compare_more([this](MPI_Request& request, std::string_view what) { await(request, what); });
  }
  take_files();
  if (ranks.dedicated()) {
    if (ranks.rank == 0) send_definition(definition, ranks);
    MPI_Request served =
        MPI_REQUEST_NULL;  // what follows has blocking parts: only if all are there
    MPI_Ibarrier(ranks.control, &served);
    await(served, "I/O ranks to serve");
  }
  engine = std::make_unique<Engine>(definition, ranks, runs, positions, *news,
                                    [this] { look_for_difference(); });
  handed_over.assign(definition.lanes(), -1);
  if (ranks.rank == 0) handed_over = handed_over_before(definition);  // who notes it
  for (const auto& stream : definition.streams) {
    put_seen.emplace_back(stream.fields.size(), false);
    turns.push_back({stream.schedule.first_due(), 0});
  }
  add_time(Timer::output_define, begin_s, now_s());
  record_event(EventKind::start, begin_s, now_s());
}

// What is the same on all ranks need not be asked again: from here on every rank works it out
// alone.
void Output::State::compare_definitions() {
  std::string sizes, fields, levels, types;
  for (const auto size : definition.sizes) sizes += fmt::format("{} ", size);
  for (const auto& field : definition.fields) {
    fields += fmt::format("{}|{}|{}|{}|{} ", field.name, field.standard_name, field.long_name,
                          field.units, static_cast<int>(field.place));
    levels += fmt::format("{}: {}{} ", field.name, field.levels, field.half_levels ? "h" : "");
    types += fmt::format("{}: {} ", field.name, static_cast<int>(field.type));
  }
  std::string attributes;
  for (const auto& [name, text] : definition.settings.attributes) {
    attributes += fmt::format("{}: {} ", name, text);
  }
  const std::array aspects{
      Aspect{"global attributes", attributes}, Aspect{"global sizes of their places", sizes},
      Aspect{"fields they define", fields},    Aspect{"levels of their fields", levels},
      Aspect{"types of their fields", types},  Aspect{"streams they define", definition.to_json()}};
  const auto wait = [this](MPI_Request& request, std::string_view what) { await(request, what); };
  auto fault = difference_among(agreement, aspects, wait);
  if (fault.empty()) fault = ownership_fault(agreement, definition.sizes, runs, wait);
  if (!fault.empty()) fail_everywhere(Error(Blame::user, fault));
}

void Output::State::fail_everywhere(const Error& error) {
  failure = error;
  tell_of_failure(true);
  throw Error(*failure);
}

// Before any writer makes a file: I/O ranks wait for the definition, others for rank 0.
void Output::State::take_files() {
  // Rank 0 reads files of the run before, for longer than others wait for one that is silent.
  const Pulse pulse(agreement, tag_pulse, [this](int rank) { return ranks.name_of(rank); });
  std::optional<Error> refused;
  std::string text;  // how the run began
  if (ranks.rank != 0) note_begun(definition);
  if (ranks.rank == 0) {
    if (definition.streams.empty() && !definition.fields.empty()) {
      warn_once("fields are defined, but no stream that writes them: name one in [[output]]");
    }
    const auto names = names_of_locks(definition);
    refused = attempt(ranks.rank, [&] {
      if (!names.empty()) locks.emplace(journal_directory(definition), names);
      if (take_more) take_more();
      require_as_seen(definition);
      require_own_journals(definition);
      auto& begun = definition.begun;
      const bool continues = definition.same_files && definition.continues_after;
      const auto before = definition.same_files ? read_begun(definition, continues) : std::nullopt;
      if (before && continues) begun = *before;
      const auto lanes = divide_lanes(definition, ranks.writers);
      const auto kept = continues ? require_kept(definition, lanes) : std::vector<KeptFile>();
      const auto ends = kept_until(definition);
      if (continues) warn_of_gaps(definition);
      if (begun.run.empty() && !kept.empty()) begun.run = kept.front().content.run;
      if (!definition.streams.empty()) begun.run = name_of_run(definition, begun.run);
      keep_checksums(definition, kept);
      take_back_files(definition);
      rewind_journals(definition, kept);
      take_back_empty_files(definition, kept);
      rewind_reached(definition);
      write_begun(definition, ends);
      if (once_defined) once_defined();
      text = fmt::format("{} {} {}", begun.run, begun.after ? begun.after->ms() : -1, begun.from);
    });
  }
  const auto wait = [this](MPI_Request& request, std::string_view what) { await(request, what); };
  try {
    throw_together(agreement, refused, "rank 0 to look at files of the run before", wait);
    text = broadcast_text(agreement, 0, text, "news from rank 0", wait);
  } catch (const Error& error) {
    fail_everywhere(error);
  }
  const auto first = text.find(' '), second = text.find(' ', first + 1);
  const auto after_ms = std::stoll(text.substr(first + 1, second - first - 1));
  definition.begun = {after_ms < 0 ? std::nullopt : std::optional(ModelTime::of_ms(after_ms)),
                      text.substr(second + 1), text.substr(0, first)};
}

}  // namespace thalweg
