// SPDX-License-Identifier: Apache-2.0
// The rivals: each writes one step of session.values into one file, in the best way we know.
#pragma once

#include "session.hpp"

namespace thalweg::bench {

void memory_copy(Session& session, int step);
void contiguous_pwrite(Session& session, int step);
void owner_pwrite(Session& session, int step);
void owner_pwrite_8mib(Session& session, int step);
void owner_pwrite_past_cache(Session& session, int step);
void gather_pwrite(Session& session, int step);
void owner_netcdf4(Session& session, int step);
void range_netcdf4(Session& session, int step);
void deflate_netcdf4(Session& session, int step);
#ifdef THALWEG_PNETCDF
void owner_pnetcdf(Session& session, int step);
void range_pnetcdf(Session& session, int step);
#endif

}  // namespace thalweg::bench
