/* SPDX-License-Identifier: Apache-2.0 */
/* What the library asks of CUDA's driver, for a machine without a GPU: a "device" is memory that the
 * host sees twice, at an address that it must not touch, and at one that only this file knows. */
#define _GNU_SOURCE
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { most = 16, context_of = 1, memory_type_of = 2, is_managed = 8, no_value = 1, is_lost = 700 };
static struct {
  char *device, *seen;
  size_t bytes;
  int managed;
} rooms[most];
static int count = 0, depth = 0;

void* device_room(size_t bytes, int managed) {
  const int memory = memfd_create("device", 0);
  if (count == most || memory < 0 || ftruncate(memory, (off_t)bytes) != 0) abort();
  const int visible = managed ? PROT_READ | PROT_WRITE : PROT_NONE;
  rooms[count].device = mmap(NULL, bytes, visible, MAP_SHARED, memory, 0);
  rooms[count].seen = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  rooms[count].bytes = bytes;
  rooms[count].managed = managed;
  return rooms[count++].device;
}

void* seen_from_device(void* address) {
  for (int i = 0; i < count; ++i) {
    char* const at = address;
    if (at >= rooms[i].device && at < rooms[i].device + rooms[i].bytes)
      return rooms[i].seen + (at - rooms[i].device);
  }
  return NULL;
}

int cuPointerGetAttribute(void* found, int which, unsigned long long address) {
  for (int i = 0; i < count; ++i) {
    char* const at = (char*)(size_t)address;
    if (at < rooms[i].device || at >= rooms[i].device + rooms[i].bytes) continue;
    if (which == context_of) *(void**)found = rooms;
    if (which == memory_type_of) *(unsigned*)found = 2;
    if (which == is_managed) memset(found, rooms[i].managed ? 1 : 0, 1);
    return 0;
  }
  return no_value;
}
int cuCtxPushCurrent_v2(void* context) { return context == rooms ? (++depth, 0) : no_value; }
int cuCtxPopCurrent_v2(void** context) { return *context = rooms, --depth, 0; }

static int is_whole(char* at, size_t bytes) {
  return depth == 1 && getenv("DEVICE_IS_LOST") == NULL && seen_from_device(at) != NULL &&
         seen_from_device(at + bytes - 1) != NULL;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) {
  char* const at = (char*)(size_t)from;
  if (!is_whole(at, bytes)) return is_lost;
  memcpy(to, seen_from_device(at), bytes);
  return 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) {
  char* const at = (char*)(size_t)to;
  if (!is_whole(at, bytes)) return is_lost;
  memcpy(seen_from_device(at), from, bytes);
  return 0;
}
