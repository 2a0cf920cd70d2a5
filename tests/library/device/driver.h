/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/* Of a device; of both, managed: the host may read it, but only once the device is done; of a pool,
 * which has no context. Never given back. */
enum kind { of_device, of_both, of_pool };
void* device_room(size_t bytes, enum kind kind);
/* Where a model's kernels find it. */
void* seen_from_device(void* address);
