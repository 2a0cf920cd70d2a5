// SPDX-License-Identifier: Apache-2.0
// Facts about hints, the MPI-IO layer and stripes on Lustre, which a script plays here.
#include "file/mpi_io.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "said.hpp"
#include "thalweg/error.hpp"
#include "thalweg/mpi_io.hpp"

using namespace thalweg;

namespace {

/// A folder of this rank that comes first on PATH while it lives.
struct Programs {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("thalweg_mpi_io_test_" + std::to_string(getpid()));
  std::string before = std::getenv("PATH");
  Programs() {
    std::filesystem::create_directories(path);
    setenv("PATH", fmt::format("{}:{}", path.string(), before).c_str(), 1);
  }
  ~Programs() {
    setenv("PATH", before.c_str(), 1);
    std::filesystem::remove_all(path);
  }
  void add(const char* name, const std::string& script) const {
    std::ofstream(path / name) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(path / name, std::filesystem::perms::owner_all);
  }
  std::string read(const char* name) const {
    std::ostringstream text;
    text << std::ifstream(path / name).rdbuf();
    return text.str();
  }
};

std::string refusal_of(const std::string& hints) {
  return sentence_of(Blame::user, [&] { parse_hints(hints); });
}

}  // namespace

TEST_CASE("hints_are_divided_by_blanks_or_commas") {
  const IoHints expected{{"cb_config_list", "*:2"}, {"cb_nodes", "4"}, {"striping_factor", "64"}};
  CHECK(parse_hints("cb_nodes=4 striping_factor=64 cb_config_list=*:2") == expected);
  CHECK(parse_hints(" cb_nodes=4,striping_factor=64, ,\tcb_config_list=*:2,") == expected);
  CHECK(parse_hints("cb_nodes=4 striping_factor=64 cb_nodes=4 cb_config_list=*:2") == expected);
  CHECK(parse_hints("a==b") == IoHints{{"a", "=b"}});
  CHECK(parse_hints("  ").empty());
}

TEST_CASE("a_malformed_hint_is_one_sentence_that_names_it") {
  CHECK(refusal_of("cb_nodes 4") ==
        "[io]: the hint 'cb_nodes' has no '='; write hints as \"cb_nodes=4 striping_factor=64\"");
  CHECK(refusal_of("a=1,=4").find("the hint '=4' has no name before '='") != std::string::npos);
  CHECK(refusal_of("cb_nodes=").find("'cb_nodes=' has no value") != std::string::npos);
  CHECK(refusal_of("a=1 a=2").find("the hint 'a=2' contradicts 'a=1'") != std::string::npos);
  CHECK(refusal_of(std::string(300, 'k') + "=1").find("longer than MPI") != std::string::npos);
  CHECK(refusal_of("k=" + std::string(5000, 'v')).find("longer than MPI") != std::string::npos);
}

TEST_CASE("hints_go_to_mpi_and_come_back") {
  const IoHints hints{{"cb_nodes", "2"}, {"romio_cb_write", "disable"}};
  CHECK(read_hints(IoInfo(hints).handle()) == hints);
  CHECK(read_hints(MPI_INFO_NULL).empty());
}

TEST_CASE("the_layer_is_the_one_that_was_asked_for") {
  const auto layer = mpi_io_layer("here");
  CHECK(layer.library.find("MPI") != std::string::npos);
  const char* asked = std::getenv("OMPI_MCA_io");  // also what mpirun --mca io makes
  const std::string choice = asked == nullptr ? "" : asked;
  if (choice.starts_with("romio") || layer.library.find("MPICH") != std::string::npos) {
    CHECK(layer.name == "ROMIO");
  } else if (choice.empty() || choice == "ompio") {
    CHECK(layer.name == "OMPIO");
    CHECK(layer.parameters.contains("io_ompio_num_aggregators"));
  }
}

TEST_CASE("asking_for_the_layer_leaves_the_thread_level_of_the_program") {
  int before = 0, after = 0;
  MPI_Query_thread(&before);
  REQUIRE(before > MPI_THREAD_SINGLE);
  mpi_io_layer("/tmp/file");
  MPI_Query_thread(&after);
  CHECK(after == before);
}

TEST_CASE("stripes_are_set_by_lfs_before_the_file_is_there") {
  const Programs programs;
  programs.add("lfs",
               "cd \"$(dirname \"$0\")\" && printf '[%s]' \"$@\" > words; "
               "[ -e 'a file.part' ] && touch was_there; exit 0\n");
  const auto file = (programs.path / "a file.part").string();
  std::ofstream(file) << "of a killed run";
  const IoHints hints{{"cb_nodes", "4"}, {"striping_factor", "64"}, {"striping_unit", "1048576"}};
  prepare_striping(file, hints, false);
  CHECK_FALSE(std::filesystem::exists(programs.path / "words"));
  CHECK(std::filesystem::exists(file));
  prepare_striping(file, {{"cb_nodes", "4"}}, true);
  CHECK_FALSE(std::filesystem::exists(programs.path / "words"));
  prepare_striping(file, hints, true);
  CHECK(programs.read("words") == fmt::format("[setstripe][-c][64][-S][1048576][{}]", file));
  CHECK_FALSE(std::filesystem::exists(programs.path / "was_there"));
}

TEST_CASE("what_lfs_refuses_is_one_sentence") {
  const Programs programs;
  programs.add("lfs", "echo 'error: bad stripe count' >&2; echo more >&2; exit 22\n");
  const auto file = (programs.path / "out.nc.part").string();
  try {
    prepare_striping(file, {{"striping_factor", "9999"}}, true);
    FAIL("was accepted");
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::file_system);
    CHECK(error.what() == fmt::format("'lfs setstripe -c 9999 {}' ended with code 22: error: bad "
                                      "stripe count more",
                                      file));
  }
  programs.add("lfs", "kill -9 $$\n");
  CHECK_THROWS_AS(prepare_striping(file, {{"striping_factor", "2"}}, true), Error);
}

TEST_CASE("no_lustre_and_no_lfs_are_no_error") {
  const Programs programs;
  const auto file = (programs.path / "out.nc.part").string();
  CHECK_FALSE(lies_on_lustre("/proc/self/out.nc"));
  setenv("PATH", programs.path.c_str(), 1);  // no lfs there
  prepare_striping(file, {{"striping_factor", "2"}}, true);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a_run_keeps_one_record_for_each_way_its_files_were_written") {
  const Programs folder;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto path = folder.path.string();
  const auto write = [&] { write_mpi_io_record(MPI_COMM_WORLD, path); };
  write();  // what other tests left
  std::filesystem::remove(path + "/mpi_io.json");
  write();
  CHECK_FALSE(std::filesystem::exists(path + "/mpi_io.json"));  // nothing was recorded
  const MpiIoLayer layer{"ROMIO", "MPI of tests", {}};
  record_io_hints({"cdf5", 2, layer, {{"cb_nodes", "1"}}, {{"cb_nodes", "1"}}});
  if (rank == ranks - 1) record_io_hints({"netcdf4", 2, layer, {}, {}});
  write();
  REQUIRE(std::filesystem::exists(path + "/mpi_io.json") == (rank == 0));
  if (rank != 0) return;
  const auto files = nlohmann::json::parse(folder.read("mpi_io.json")).at("files");
  REQUIRE(files.size() == 2);
  CHECK(files[0].at("container") == "cdf5");
  CHECK(files[0].at("files") == ranks);
  CHECK(files[0].at("asked").at("cb_nodes") == "1");
  CHECK(files[1].at("container") == "netcdf4");
  CHECK(files[1].at("files") == 1);
  CHECK(files[1].at("layer") == "ROMIO");
}
