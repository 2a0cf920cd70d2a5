// SPDX-License-Identifier: Apache-2.0
// What an interrupted run left of times that are written again is taken away before the first of
// them.
#pragma once

#include <span>
#include <string>

#include "output/files/kept_files.hpp"

namespace thalweg {

/// One rank, before any writer begins: removes journals of files that begin anew; where a run goes
/// on in the same directory, the files too. Files that hold earlier times as well are rewound when
/// they are opened. Throws Error(file_system).
void take_back_files(const Definition& definition);
/// One rank, when their journals are rewound: removes kept files that hold no values up to then.
/// Throws Error(file_system).
void take_back_empty_files(const Definition& definition, std::span<const KeptFile> kept);

/// A file, or a store: that loses its final name first, so that a kill meanwhile leaves no half of
/// it there. Nothing if there is none. Throws Error(file_system).
void remove_output(const std::string& path);

}  // namespace thalweg
