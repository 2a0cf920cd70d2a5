// SPDX-License-Identifier: Apache-2.0
// Facts about semaphores that killed runs leave behind.
#include "file/ompio_name.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <semaphore.h>
#include <unistd.h>

#include "said.hpp"

using namespace thalweg;

namespace {

/// One of that name that is held for ever, as by a rank that was killed.
struct Held {
  std::string name;
  explicit Held(std::string of) : name(std::move(of)) {
    auto* const semaphore = sem_open(name.c_str(), O_CREAT | O_EXCL, 0644, 0);
    REQUIRE(semaphore != SEM_FAILED);
    sem_close(semaphore);
  }
  ~Held() { sem_unlink(name.c_str()); }
  bool is_there() const {
    auto* const semaphore = sem_open(name.c_str(), 0);
    if (semaphore != SEM_FAILED) sem_close(semaphore);
    return semaphore != SEM_FAILED;
  }
};

std::string name_of_rank(const char* what) { return fmt::format("{}_{}.nc.part", what, getpid()); }

}  // namespace

TEST_CASE("a_file_opens_whose_name_a_killed_run_holds") {
  const auto name = name_of_rank("ompio_name_test");
  const auto path = "/tmp/" + name;
  const Held held("/OMPIO_" + name);
  free_ompio_name(path);
  REQUIRE_FALSE(held.is_there());
  MPI_File file = MPI_FILE_NULL;  // waits for ever if it is
  REQUIRE(MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                        &file) == MPI_SUCCESS);
  MPI_File_close(&file);
  unlink(path.c_str());
}

TEST_CASE("another_users_semaphore_stays_and_is_told_once") {
  if (geteuid() != 0) return;  // nobody else can be anybody
  const auto name = name_of_rank("of_root");
  const Held held("/OMPIO_" + name);
  REQUIRE(seteuid(65534) == 0);
  const auto said = said_in([&] {
    free_ompio_name("/tmp/" + name);
    free_ompio_name("/tmp/" + name);
  });
  REQUIRE(seteuid(0) == 0);
  CHECK(said == fmt::format("thalweg: warning: '/dev/shm/sem.OMPIO_{}' is another user's, perhaps "
                            "of a run that was killed, and Open MPI may refuse '/tmp/{}' for it; "
                            "have it removed, or set OMPI_MCA_sharedfp=^sm\n",
                            name, name));
  CHECK(held.is_there());
}

TEST_CASE("where_nothing_is_left_nothing_happens") {
  CHECK(said_in([] { free_ompio_name("/tmp/ompio_name_test_nothing.nc"); }).empty());
  CHECK(said_in([] { free_ompio_name(""); }).empty());
  const auto longest = "/tmp/" + std::string(255, 'a');  // OMPIO makes none of such a name
  CHECK(said_in([&] { free_ompio_name(longest); }).empty());
}
