// SPDX-License-Identifier: Apache-2.0
// The one exception type of Thalweg: a sentence and who can mend it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// Who can mend an error. Decides the exit code of a program.
enum class Blame {
  user,         ///< a setting, a name, a path: exit code 2
  file_system,  ///< disk full, directory gone, no permission: exit code 2
  bug,          ///< our own fault: exit code 1
};

/// One sentence: what, where, what to do; names and values in quotes.
class Error : public std::runtime_error {
 public:
  /// `follows`: from what another rank failed at, whose own sentence says more.
  Error(Blame blame, const std::string& sentence, bool follows = false)
      : std::runtime_error(sentence), blame_(blame), follows_(follows) {}
  Blame blame() const noexcept { return blame_; }
  bool follows() const noexcept { return follows_; }
  int exit_code() const noexcept { return blame_ == Blame::bug ? 1 : 2; }

 private:
  Blame blame_;
  bool follows_;
};

/// The known name closest to `wrong` (edit distance at most a third of its length), or "".
std::string closest_name(std::string_view wrong, const std::vector<std::string>& known);

/// " Did you mean 'x'?" or "" when no known name is close: append it to a sentence.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace thalweg
