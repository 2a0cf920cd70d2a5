/* SPDX-License-Identifier: Apache-2.0 */
/* A disk on which each write into a restart set takes long, or each read of an output file: loaded
   before the C library. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void be_slow(int file, const char* folder, const char* setting) {
  const char* seconds = getenv(setting);
  char link[64], path[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof(path) - 1);
  if (seconds == NULL || length < 0) return;
  path[length] = '\0';
  if (strstr(path, folder) != NULL) usleep((useconds_t)(1e6 * atof(seconds)));
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  be_slow(file, "/restart/", "SLOW_DISK_S");
  return syscall(SYS_pwrite64, file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off_t offset) {
  return pwrite(file, bytes, size, offset);
}

ssize_t pread(int file, void* bytes, size_t size, off_t offset) {
  be_slow(file, "/files/", "SLOW_READ_S");
  return syscall(SYS_pread64, file, bytes, size, offset);
}

ssize_t pread64(int file, void* bytes, size_t size, off_t offset) {
  return pread(file, bytes, size, offset);
}
