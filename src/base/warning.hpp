// SPDX-License-Identifier: Apache-2.0
// The one way in which the library says something that is no error.
#pragma once

#include <string>

namespace thalweg {

/// Prints `thalweg: warning: SENTENCE` on standard error, once for each sentence of this process.
/// The runner shows it and keeps it in log.txt.
void warn_once(const std::string& sentence);

}  // namespace thalweg
