// SPDX-License-Identifier: Apache-2.0
// Stripes of a file on Lustre, set before it is created: afterwards they cannot be changed.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <vector>

#include "file/mpi_io.hpp"
#include "thalweg/error.hpp"

extern char** environ;

namespace thalweg {

namespace {

constexpr long lustre_magic = 0x0BD00BD0;  ///< LL_SUPER_MAGIC of Lustre's lustre_user.h

/// Full name of a program on PATH, or "".
std::string find_program(const char* name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    auto candidate = folder + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

struct Answer {
  int code = -1;
  std::string text;  // both outputs, in one line
};

/// Runs a program without a shell and waits for it. Throws Error(file_system).
Answer run_program(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  const auto refuse = [&](int reason) {
    throw Error(Blame::file_system,
                fmt::format("cannot run '{}': {}", words.front(), std::strerror(reason)));
  };
  if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse(errno);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int refused =
      posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (refused != 0) {
    ::close(ends[0]);
    refuse(refused);
  }
  Answer answer;
  std::array<char, 512> part{};
  for (ssize_t got = 0; (got = ::read(ends[0], part.data(), part.size())) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) answer.text.append(part.data(), got);
  }
  ::close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  for (auto& letter : answer.text) letter = letter == '\n' ? ' ' : letter;
  while (answer.text.ends_with(' ')) answer.text.pop_back();
  return answer;
}

}  // namespace

bool lies_on_lustre(const std::string& path) {
  const auto directory = std::filesystem::path(path).parent_path();
  struct statfs disk {};
  return statfs(directory.empty() ? "." : directory.c_str(), &disk) == 0 &&
         static_cast<long>(disk.f_type) == lustre_magic;
}

void prepare_striping(const std::string& path, const IoHints& hints, bool on_lustre) {
  if (!on_lustre) return;
  std::vector<std::string> words{find_program("lfs"), "setstripe"};
  if (words.front().empty()) return;
  // MPI's names of these hints (MPI 4.0, 14.2.8) and ROMIO's start_iodevice.
  const std::array<std::array<const char*, 2>, 3> options{
      {{"striping_factor", "-c"}, {"striping_unit", "-S"}, {"start_iodevice", "-i"}}};
  for (const auto& [hint, option] : options) {
    const auto found = hints.find(hint);
    if (found != hints.end()) words.insert(words.end(), {option, found->second});
  }
  if (words.size() == 2) return;
  std::error_code ignored;
  std::filesystem::remove(path, ignored);  // of a run that was killed: it would keep its stripes
  words.push_back(path);
  const auto answer = run_program(words);
  if (answer.code == 0) return;
  words.front() = "lfs";
  throw Error(Blame::file_system, fmt::format("'{}' ended with code {}: {}", fmt::join(words, " "),
                                              answer.code, answer.text));
}

}  // namespace thalweg
