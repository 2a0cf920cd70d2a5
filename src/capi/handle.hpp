// SPDX-License-Identifier: Apache-2.0
// What a handle of the C interface is, and what its calls have in common.
#pragma once

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "capi/last_error.hpp"
#include "output/beyond_run.hpp"
#include "thalweg.h"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"
#include "thalweg/restart.hpp"

struct thalweg_output {
  std::optional<thalweg::Output> output;
  std::optional<thalweg::Restart> restart;
  thalweg::OutputSettings settings;
  std::vector<thalweg::StreamSettings> streams;  // defined at the first question about times
  bool sealed = false;
  // Owned points, kept for reading a restart.
  struct Points {
    thalweg::OwnedPoints view;
    std::vector<std::int64_t> global, positions;
  };
  std::vector<Points> points;
  std::vector<thalweg::FieldInfo> fields, state;
  std::optional<thalweg::Beginning> beginning;    // of a run that looked for its state
  std::optional<thalweg::Error> refused_service;  // of a restart rank: what thalweg_serve answered
  bool points_given = false;                      // to the restart
  mutable std::mutex one_caller;  // the first of many threads that put seals the definition
};

namespace thalweg::capi {

inline void require(bool condition, const char* sentence) {
  if (!condition) throw Error(Blame::user, sentence);
}

/// Opened by this process and not closed, in the order of their opening.
std::vector<const thalweg_output*> open_handles();
void add_open(const thalweg_output* output);
/// A handle may have been copied before it was closed.
bool is_open(const thalweg_output* output);
/// False where it was not open: of two that close copies at a time one is right.
bool remove_open(const thalweg_output* output);

inline void require_working(const thalweg_output& handle) {
  if (handle.output->failure()) throw Error(*handle.output->failure());
}

// On a rank that has opened an output; `computes`: and whose role it is to compute, or not.
template <class Act>
int status_on(const thalweg_output* output, bool computes, const Act& act) {
  return status_of([&] {
    require(is_open(output), "the output is not open: call thalweg_open first");
    require(output->output->is_compute_rank() || !computes,
            "an I/O or restart rank takes no part in this call: it calls thalweg_serve alone");
    require(!output->output->is_compute_rank() || computes,
            "a compute rank has nothing to serve: thalweg_serve is for I/O and restart ranks");
    const std::lock_guard alone(output->one_caller);
    act();
  });
}

// What is refused here, a definition or a time, is the answer of every later call: nobody can miss
// it.
template <class Act>
int status_that_stays(thalweg_output* output, const Act& act) {
  return status_on(output, true, [&] {
    require_working(*output);
    try {
      act();
    } catch (const BeyondRun&) {
      throw;  // what was put before is whole, and close says it again
    } catch (const Error& error) {
      if (!output->output->failure()) output->output->fail(error);
      throw;
    }
  });
}

inline std::string text_of(const char* text) { return text == nullptr ? "" : text; }

template <class View>
View view_of(const thalweg_view& view, ValueType type) {
  return {view.values, view.point_stride, view.level_stride,
          type,        view.block_points, view.block_stride};
}

inline std::vector<OwnedPoints> points_of(const thalweg_output& handle) {
  std::vector<OwnedPoints> all;
  for (const auto& points : handle.points) all.push_back(points.view);
  return all;
}

// Whether there is one for every field, the library asks on all ranks together.
template <class View>
std::vector<View> views_of(const thalweg_output& handle, const thalweg_view* views, int count) {
  std::vector<View> all(views == nullptr ? 0 : std::max(count, 0));
  for (std::size_t index = 0; index < all.size() && index < handle.state.size(); ++index) {
    all[index] = view_of<View>(views[index], handle.state[index].type);
  }
  return all;
}

}  // namespace thalweg::capi
