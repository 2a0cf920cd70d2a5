// SPDX-License-Identifier: Apache-2.0
// The semaphore is one of POSIX, which Linux keeps in /dev/shm.
#include "file/ompio_name.hpp"

#include <fmt/format.h>
#include <semaphore.h>

#include <cerrno>
#include <filesystem>

#include "base/warning.hpp"

namespace thalweg {

void free_ompio_name(const std::string& path) {
  const auto name = "OMPIO_" + std::filesystem::path(path).filename().string();
  if (sem_unlink(("/" + name).c_str()) == 0 || (errno != EACCES && errno != EPERM)) return;
  warn_once(
      fmt::format("'/dev/shm/sem.{}' is another user's, perhaps of a run that was killed, and Open "
                  "MPI may refuse '{}' for it; have it removed, or set OMPI_MCA_sharedfp=^sm",
                  name, path));
}

}  // namespace thalweg
