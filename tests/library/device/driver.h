/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/* Memory of a device; managed: of both. Never given back. */
void* device_room(size_t bytes, int managed);
/* Where a model's kernels find it. */
void* seen_from_device(void* address);
