// Preloaded into a process, this library simulates a power cut. LOSSY_IMAGE is what the disk would hold of LOSSY_FOLDER
// then: only what fsync() has reported as written. LOSSY_FAILURES calls of fsync() fail, from number LOSSY_FAILS on, as
// on Linux: with EIO, and the affected pages are marked clean, so that no later call writes them. The process itself
// still reads what it has written, as from the page cache. While LOSSY_FULL exists, no file in the folder grows.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CUT_OFF = -1 };

struct change {
  struct change *next;
  char name[NAME_MAX];
  off_t offset;
  ssize_t length; // or CUT_OFF: the file ends at `offset`
  char bytes[];
};

static struct change *pending;
static int calls;

// Copies the name of a file in the folder that must survive a power cut; returns 0 for any other file.
static int name_of(int fd, char name[NAME_MAX]) {
  const char *folder = getenv("LOSSY_FOLDER");
  size_t prefix = strlen(folder);
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= (ssize_t)prefix || strncmp(path, folder, prefix) != 0) return 0;
  path[length] = 0;
  snprintf(name, NAME_MAX, "%s", path + prefix + 1);
  return strstr(name, "-shm") == NULL && strstr(name, "-worker-") == NULL;
}

static void add(int fd, const void *bytes, ssize_t length, off_t offset) {
  char name[NAME_MAX];
  if (!name_of(fd, name)) return;
  size_t size = length == CUT_OFF ? 0 : length;
  struct change *change = malloc(sizeof *change + size);
  *change = (struct change){.offset = offset, .length = length};
  memcpy(change->name, name, sizeof name);
  if (size > 0) memcpy(change->bytes, bytes, size);
  struct change **end = &pending;
  while (*end) end = &(*end)->next;
  *end = change;
}

// Applies the changes of a file to its image; writes only if they did not fail.
static void apply(const char *name, int failed) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", getenv("LOSSY_IMAGE"), name);
  int image = syscall(SYS_open, path, O_RDWR | O_CREAT, 0600);
  for (struct change **at = &pending; *at;) {
    struct change *change = *at;
    if (strcmp(change->name, name) != 0) {
      at = &change->next;
      continue;
    }
    long result = 0;
    if (change->length == CUT_OFF) result = syscall(SYS_ftruncate, image, change->offset);
    else if (!failed) result = syscall(SYS_pwrite64, image, change->bytes, change->length, change->offset);
    if (result < 0) abort();
    *at = change->next;
    free(change);
  }
  syscall(SYS_close, image);
}

// Whether a write would need space that a full disk does not have.
static int lacks_space(int fd, off64_t end) {
  const char *full = getenv("LOSSY_FULL");
  char name[NAME_MAX];
  struct stat file;
  return full && access(full, F_OK) == 0 && name_of(fd, name) && fstat(fd, &file) == 0 && end > file.st_size;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  if (lacks_space(fd, offset + (off64_t)length)) {
    errno = ENOSPC;
    return -1;
  }
  ssize_t written = syscall(SYS_pwrite64, fd, bytes, length, offset);
  if (written > 0) add(fd, bytes, written, offset);
  return written;
}

int ftruncate64(int fd, off64_t length) {
  int result = syscall(SYS_ftruncate, fd, length);
  if (result == 0) add(fd, NULL, CUT_OFF, length);
  return result;
}

int fsync(int fd) {
  char name[NAME_MAX];
  if (!name_of(fd, name)) return syscall(SYS_fsync, fd);
  int first = atoi(getenv("LOSSY_FAILS"));
  calls++;
  int failed = calls >= first && calls < first + atoi(getenv("LOSSY_FAILURES"));
  apply(name, failed);
  if (failed) errno = EIO;
  return failed ? -1 : 0;
}

int fdatasync(int fd) { return fsync(fd); }

int unlink(const char *path) {
  const char *folder = getenv("LOSSY_FOLDER");
  if (strncmp(path, folder, strlen(folder)) == 0) {
    char image[PATH_MAX];
    snprintf(image, sizeof image, "%s%s", getenv("LOSSY_IMAGE"), path + strlen(folder));
    syscall(SYS_unlink, image);
  }
  return syscall(SYS_unlink, path);
}
