/* SPDX-License-Identifier: Apache-2.0 */
/* What the library asks of CUDA's driver, for a machine without a GPU: a "device" is memory that
 * the host sees twice, at an address that it must not touch, and at one that only this file knows.
 */
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
  enum kind kind;
} rooms[most];
static int count = 0, depth = 0, copies = 0;

void* device_room(size_t bytes, enum kind kind) {
  const int memory = memfd_create("device", 0);
  if (count == most || memory < 0 || ftruncate(memory, (off_t)bytes) != 0) abort();
  rooms[count].device = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, memory, 0);
  rooms[count].seen = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  rooms[count].bytes = bytes;
  rooms[count].kind = kind;
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
    const int managed = rooms[i].kind == of_both;
    if (which == context_of) *(void**)found = rooms[i].kind == of_pool ? NULL : rooms;
    if (which == memory_type_of) *(unsigned*)found = managed ? 1 : 2;
    if (which == is_managed) memset(found, managed, 1);
    return 0;
  }
  return no_value;
}
int cuCtxPushCurrent_v2(void* context) { return context == rooms ? (++depth, 0) : no_value; }
int cuCtxPopCurrent_v2(void** context) { return *context = rooms, --depth, 0; }

int cuCtxSynchronize(void) { return 0; }

/* Rank DEVICE_RANK loses its device after so many DEVICE_COPIES. */
static int is_lost_now(void) {
  const char *rank = getenv("DEVICE_RANK"), *own = getenv("OMPI_COMM_WORLD_RANK");
  return rank != NULL && own != NULL && atoi(rank) == atoi(own) &&
         copies++ >= atoi(getenv("DEVICE_COPIES"));
}
/* Not a byte beyond what the device has given. */
static int is_whole(char* at, size_t bytes) {
  char *const first = seen_from_device(at), *const last = seen_from_device(at + bytes - 1);
  return !is_lost_now() && first != NULL && last == first + bytes - 1;
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
