// SPDX-License-Identifier: Apache-2.0
// Facts about the estimate of memory: what cannot fit is refused, what fits is not.
#include "memory.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "fields.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

mini::MemoryNeed need_of(const std::string& text, int ranks = 3) {
  const auto experiment = Experiment::parse(text, "case.toml");
  const auto levels = static_cast<int>(experiment.table("model").integer("levels"));
  return mini::memory_need(experiment, mini::output_fields(levels), ranks);
}

}  // namespace

TEST_CASE("memory_grows_with_cells_levels_tracers_ranks_and_output") {
  const auto small = need_of("[[output]]\n");
  CHECK(need_of("[grid]\nname = \"R2B5\"\n[[output]]\n").model == doctest::Approx(4 * small.model));
  CHECK(need_of("[model]\nlevels = 60\n").model > 1.8 * small.model);
  CHECK(need_of("[model]\ntracers = 100\n").model > 9 * small.model);
  CHECK(need_of("", 300).ranks == doctest::Approx(100 * small.ranks));
  CHECK(need_of("").output == 0.0);
  CHECK(small.output > 0.0);
  CHECK(need_of("[[output]]\npartitions = 4\n").output > 3.9 * small.output);
  CHECK(need_of("[[output]]\nvariables = [\"vor\"]\n").output < 0.1 * small.output);
}

TEST_CASE("output_on_its_way_is_counted_as_it_is_staged") {
  // mode async: two steps of 20480 cells x 30 levels, 8 bytes a value
  const auto one = need_of("[[output]]\nvariables = [\"vor\"]\ninterval = \"P1D\"\n");
  CHECK(one.output == doctest::Approx(2.0 * 20480 * 30 * 8).epsilon(0.001));
}

TEST_CASE("with_a_budget_as_many_steps_are_counted_as_are_staged") {
  const double step_gb = 20480.0 * 30 * 8 / 1e9;
  const auto steps = [&](int budget_mib, const char* io) {
    const auto text = fmt::format(
        "[[output]]\nvariables = [\"vor\"]\ninterval = \"P1D\"\npartitions = 2\n[io]\nbudget = "
        "{}\n{}",
        budget_mib, io);
    return need_of(text).output / 1e9 / step_gb / 2.0;  // two partitions
  };
  CHECK(steps(20, "mode = \"async\"\nranks = 2\n") == doctest::Approx(4.0).epsilon(0.001));
  CHECK(steps(20, "mode = \"async\"\nranks = 1\n") == doctest::Approx(2.0).epsilon(0.001));
  CHECK(steps(1 << 20, "mode = \"async\"\nranks = 2\n") == doctest::Approx(16.0).epsilon(0.001));
  CHECK(steps(20, "mode = \"serial\"\nranks = 0\n") == doctest::Approx(1.0).epsilon(0.001));
  CHECK_THROWS_WITH_AS(steps(4, "mode = \"async\"\nranks = 2\n"),
                       doctest::Contains("smaller than one step of the streams"), Error);
}

TEST_CASE("a_billion_output_times_are_counted") {
  const auto need = need_of("[time]\nduration = \"P36500D\"\n[[output]]\ninterval = 0.001\n");
  CHECK(need.output > 1e13);
}

TEST_CASE("what_cannot_fit_is_refused_with_the_estimate") {
  const mini::MemoryNeed need{40e9, 2e9, 1e9};
  CHECK_NOTHROW(mini::check_memory(need, 43e9));
  CHECK_THROWS_WITH_AS(
      mini::check_memory(need, 6.06e9),
      doctest::Contains("needs at least 43.0 GB of memory (model 40.0 GB, output on its way 2.0 "
                        "GB, ranks 1.0 GB), but 6.1 GB are available"),
      Error);
}

TEST_CASE("the_machine_says_how_much_memory_it_has") {
  CHECK(mini::available_memory() > 1e6);
  CHECK(std::isfinite(mini::available_memory()));
}
