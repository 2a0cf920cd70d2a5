// SPDX-License-Identifier: Apache-2.0
// The writing end of an output: from the arrays of all sources to complete files.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "format/container.hpp"
#include "output/definition.hpp"
#include "redist/plan.hpp"
#include "redist/reorder.hpp"

namespace thalweg {

/// Reorders, converts and writes; opens a file at its first step and closes it after its last.
class Writer {
 public:
  /// runs[source][place]. Throws Error(user) if they are not a partition of the places.
  Writer(const Definition& definition, std::span<const std::array<std::vector<IndexRun>, 3>> runs);

  /// Field number `position` of a stream's step; arrays[source].
  void put(int stream, int step, int position, std::span<const SourceArray> arrays);
  /// After the last field of a step. Closes the file when this was its last step.
  void finish_step(int stream, int step);
  /// Ends what is still open. Files of a fixed time axis that lack steps stay aside: throws
  /// Error(user).
  void close();
  void abandon() noexcept;

 private:
  struct OpenFile {
    std::unique_ptr<Container> container;
    std::size_t steps_left = 0;
  };
  OpenFile& file_for(int stream, int step);
  FileDescription describe(const Stream& stream, const FileTimes& times) const;
  void trace(const Stream& stream, int step, int position,
             std::span<const SourceArray> arrays) const;

  const Definition& definition_;
  std::array<Plan, 3> plans_;                     // [place]
  std::map<std::pair<int, int>, OpenFile> open_;  // (stream, file)
  std::vector<float> floats_;                     // one field in global order
  std::vector<double> doubles_;
};

}  // namespace thalweg
