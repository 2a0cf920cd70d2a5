// SPDX-License-Identifier: Apache-2.0
// Facts about wrong use of the C interface: a status and a sentence, never a crash or a hang.
#include "thalweg.h"

#include <doctest/doctest.h>

#include <string>

namespace {

bool refuses(int status, const std::string& beginning) {
  return status == THALWEG_WRONG && std::string(thalweg_last_error()).starts_with(beginning);
}

}  // namespace

TEST_CASE("calls_on_an_output_that_is_not_open_are_refused") {
  const char* sentence = "the output is not open: call thalweg_open first";
  thalweg_output* none = nullptr;
  const thalweg_view view{nullptr, 1, 0, 0, 0};
  CHECK(thalweg_role(none) == -1);
  CHECK(thalweg_compute_comm(none) == MPI_COMM_NULL);
  CHECK(thalweg_wants(none, nullptr, 0.0) == -1);
  CHECK(refuses(thalweg_serve(none), sentence));
  CHECK(refuses(thalweg_define_points(none, "cell", 1, 0, nullptr, nullptr), sentence));
  CHECK(refuses(thalweg_define_field(none, nullptr), sentence));
  CHECK(refuses(thalweg_put(none, "ta", &view, 0.0), sentence));
  CHECK(refuses(thalweg_end_time(none, 0.0), sentence));
  CHECK(refuses(thalweg_check(none), sentence));
  CHECK(refuses(thalweg_write_state(none, 0.0, &view, 1), sentence));
  CHECK(thalweg_close(&none) == THALWEG_OK);
}

TEST_CASE("a_copy_of_a_handle_that_was_closed_is_not_open") {
  thalweg_output* output = nullptr;
  REQUIRE(thalweg_open(MPI_COMM_WORLD, "[io]\nmode = \"serial\"\n", ".", &output) == THALWEG_OK);
  thalweg_output* copy = output;
  REQUIRE(thalweg_close(&output) == THALWEG_OK);
  CHECK(thalweg_role(copy) == -1);
  CHECK(thalweg_compute_comm(copy) == MPI_COMM_NULL);
  CHECK(refuses(thalweg_check(copy), "the output is not open"));
  CHECK(refuses(thalweg_close(&copy), "the output was closed before"));
  CHECK(copy == nullptr);
}

TEST_CASE("settings_that_do_not_exist_open_nothing") {
  thalweg_output* output = nullptr;
  CHECK(refuses(thalweg_open(MPI_COMM_WORLD, "", ".", &output), "thalweg_open needs settings"));
  CHECK(refuses(thalweg_open(MPI_COMM_WORLD, "[io]\nmode = \"asynch\"\n", ".", &output),
                "settings [io]: mode 'asynch' does not exist"));
  CHECK(output == nullptr);
}

TEST_CASE("a_rank_that_takes_the_part_of_another_role_is_refused_and_goes_on") {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1) return;  // nobody to serve
  thalweg_output* output = nullptr;
  REQUIRE(thalweg_open(MPI_COMM_WORLD, "[io]\nmode = \"async\"\nranks = 1\n", ".", &output) ==
          THALWEG_OK);
  const std::int64_t first = 0;
  if (thalweg_role(output) == THALWEG_COMPUTE) {
    CHECK(refuses(thalweg_serve(output), "a compute rank has nothing to serve"));
  } else {
    CHECK(refuses(thalweg_define_points(output, "cell", 1, 1, &first, nullptr),
                  "an I/O or restart rank takes no part in this call"));
    CHECK(thalweg_serve(output) == THALWEG_OK);
  }
  CHECK(thalweg_close(&output) == THALWEG_OK);
}
