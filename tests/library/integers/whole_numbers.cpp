// SPDX-License-Identifier: Apache-2.0
// Puts integers that no float32 and no double holds; test_integers.py says which.
#include <mpi.h>

#include <cstdint>
#include <limits>
#include <thalweg/output.hpp>
#include <vector>

int main(int argc, char** argv) {
  using namespace thalweg;
  MPI_Init(&argc, &argv);
  {
    constexpr std::int64_t points = 600;
    constexpr int levels = 3;
    const auto experiment = Experiment::read(argv[1]);
    auto settings = output_settings(experiment, ".");
    settings.directory = ".";
    settings.grid.clear();  // points of our own: no mesh
    auto out = Output::open(MPI_COMM_WORLD, settings);
    if (!out.is_compute_rank()) {
      out.serve();
    } else {
      int rank = 0, ranks = 1;
      MPI_Comm_rank(out.compute_comm(), &rank);
      MPI_Comm_size(out.compute_comm(), &ranks);
      std::vector<std::int64_t> own;
      for (std::int64_t point = rank; point < points; point += ranks) own.push_back(point);
      out.define(std::vector<OwnedPoints>{{Place::cell, points, own}});
      out.define_attribute("institution", "a centre");
      out.define_attribute("comment", "of the program");
      out.define(FieldInfo{"near", "", "", "1", Place::cell, 1, ValueType::int32});
      out.define(FieldInfo{"ends", "", "", "1", Place::cell, 1, ValueType::int32});
      out.define(FieldInfo{"long", "", "", "1", Place::cell, levels, ValueType::int64});
      out.define(FieldInfo{"real", "", "", "1", Place::cell, 1, ValueType::float64});
      for (const auto& stream : stream_settings(experiment)) out.define(stream);
      std::vector<std::int32_t> near, ends;
      std::vector<std::int64_t> far;
      std::vector<double> real;
      using Limits = std::numeric_limits<std::int32_t>;
      for (const auto p : own) {
        near.push_back(static_cast<std::int32_t>(16777217 + p));
        ends.push_back(p % 3 == 0 ? Limits::min() : p % 3 == 1 ? Limits::max() : 16777217);
        for (int k = 0; k < levels; ++k) far.push_back(9007199254740993 + 10 * p + k);
        real.push_back(0.5 * static_cast<double>(p));
      }
      out.put("near", {near.data(), 1, 0, ValueType::int32}, 0.0);
      out.put("ends", {ends.data(), 1, 0, ValueType::int32}, 0.0);
      out.put("long", {far.data(), levels, 1, ValueType::int64}, 0.0);
      out.put("real", {real.data(), 1, 0, ValueType::float64}, 0.0);
      out.end_time(0.0);
      out.close();
    }
  }
  MPI_Finalize();
}
