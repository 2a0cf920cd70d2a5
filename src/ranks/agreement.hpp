// SPDX-License-Identifier: Apache-2.0
// Ranks learn together that one of them failed; waits have the time limit of wait.hpp.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/error.hpp"

namespace thalweg {

/// Runs an act; what it throws becomes an Error with "rank N: " in front of a file system's
/// refusal.
std::optional<Error> attempt(int rank, const std::function<void()>& act);

/// What was thrown, as an Error: memory that ran out is something a user can change.
Error error_of(const std::exception& error);

/// Waits for one request; `what` is said where it is given up.
using WaitFor = std::function<void(MPI_Request&, std::string_view what)>;

/// Sleeping more and more: for waits that may last as long as a disk.
void wait_for(MPI_Request& request, std::string_view what);

// The following are collective; `what` is waited for, as in wait.hpp or by `wait`, which may hear
// that a rank has left.

/// Every rank throws the error of the lowest rank that has one, if any of those that do not follow
/// from another's; returns if none has.
void throw_together(MPI_Comm comm, const std::optional<Error>& mine,
                    std::string_view what = "all ranks to agree that none of them failed",
                    const WaitFor& wait = wait_for);

/// True if it is true on every rank.
bool all_true(MPI_Comm comm, bool mine, std::string_view what);

/// Before a collective call of MPI that cannot be given up: nobody enters it alone.
void come_together(MPI_Comm comm, std::string_view what);

/// Text of rank `root` on every rank.
std::string broadcast_text(MPI_Comm comm, int root, std::string text,
                           std::string_view what = "news from another rank",
                           const WaitFor& wait = wait_for);
/// To rank 0: [rank], empty elsewhere.
std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine,
                                      std::string_view what);
/// From rank 0 (texts[rank]) to each its own.
std::string deal_texts(MPI_Comm comm, const std::vector<std::string>& texts, std::string_view what);

/// Lists of all ranks, one after the other in the order of ranks, on every rank.
std::vector<std::int64_t> gather_lists(MPI_Comm comm, std::span<const std::int64_t> mine);

/// An error as text and back: how it travels in a message.
std::string encode_error(const Error& error);
Error decode_error(const std::string& text);

}  // namespace thalweg
