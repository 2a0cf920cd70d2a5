// SPDX-License-Identifier: Apache-2.0
// The line that a program adds to the history of the files it writes (CF 1.11, section 2.6.2).
#pragma once

#include <string>

namespace thalweg {

/// "2026-11-22T03:58:01Z: command with its arguments": the wall clock of now, in UTC.
std::string history_line();

}  // namespace thalweg
