/* SPDX-License-Identifier: Apache-2.0 */
/* A disk on which each write into a restart set takes long, or each read of an output file, or each
   write of events, or where output files are not written before a file is there, or where who
   creates a file with a certain name, gives another one its name, or has just given it, waits for
   ever, or that takes only half of a large write: loaded before the C library. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int lies_below(int file, const char* folder) {
  char link[64], path[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof(path) - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strstr(path, folder) != NULL;
}

static void be_slow(int file, const char* folder, const char* setting) {
  const char* seconds = getenv(setting);
  if (seconds != NULL && lies_below(file, folder)) usleep((useconds_t)(1e6 * atof(seconds)));
}

static void wait_for_the_gate(int file) {
  const char* gate = getenv("DISK_GATE");
  if (gate == NULL || !lies_below(file, "/files/")) return;
  while (access(gate, F_OK) != 0) usleep(10000);
}

/* Of the large write of this number into output files: half of it, without a reason. */
static size_t taken(int file, size_t size) {
  static int large = 0;
  const char* number = getenv("SHORT_WRITE");
  if (number == NULL || size < 20000 || !lies_below(file, "/files/")) return size;
  return ++large == atoi(number) ? size / 2 : size;
}

ssize_t pwritev(int file, const struct iovec* parts, int count, off_t offset) {
  size_t size = 0, left = 0;
  for (int i = 0; i < count; ++i) size += parts[i].iov_len;
  left = taken(file, size);
  if (left == size) return syscall(SYS_pwritev, file, parts, count, offset, 0);
  struct iovec fewer[1024];
  int some = 0;
  for (; some < count && left > 0; ++some) {
    fewer[some] = parts[some];
    if (fewer[some].iov_len > left) fewer[some].iov_len = left;
    left -= fewer[some].iov_len;
  }
  return syscall(SYS_pwritev, file, fewer, some, offset, 0);
}

ssize_t pwritev64(int file, const struct iovec* parts, int count, off_t offset) {
  return pwritev(file, parts, count, offset);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  be_slow(file, "/restart/", "SLOW_DISK_S");
  wait_for_the_gate(file);
  size = taken(file, size);
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

ssize_t write(int file, const void* bytes, size_t size) {
  be_slow(file, "/events.jsonl", "SLOW_EVENTS_S");
  return syscall(SYS_write, file, bytes, size);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  be_slow(file, "/events.jsonl", "SLOW_EVENTS_S");
  return syscall(SYS_writev, file, parts, count);
}

static void hold(const char* path, const char* setting) {
  const char* held = getenv(setting);
  if (held == NULL || strstr(path, held) == NULL) return;
  char sign[4096];
  snprintf(sign, sizeof(sign), "%s.held", path);
  syscall(SYS_openat, AT_FDCWD, sign, O_CREAT | O_WRONLY, 0600);
  pause();
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0) hold(path, "HELD_FILE");
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int rename(const char* from, const char* to) {
  hold(from, "HELD_NAME");
  const int result = (int)syscall(SYS_rename, from, to);
  if (result == 0) hold(to, "HELD_NAMED");
  return result;
}
