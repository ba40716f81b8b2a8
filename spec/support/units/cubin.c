#include "cubin.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* From compute capability 9.0 on, the section of a kernel's shared memory begins with memory that the system reserves. */
enum { RESERVED = 1 << 10, RESERVES = 90 };

/* Attributes of .nv.info sections. An attribute has a format, a number and 16 bits: a value, or, in format SIZED, the size
** of the value that follows. */
enum { SIZED = 4, MAX_THREADS = 0x05, MIN_STACK = 0x12, REGISTERS = 0x2f };

typedef struct elf {
  const char *code;
  size_t      bytes;
  const Elf64_Shdr *section;
  int         sections;
  const char *names;
} elf;

static bool open_elf(elf *e, const char *code, size_t bytes) {
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)code;
  *e = (elf){.code = code, .bytes = bytes};
  if (bytes < sizeof *head || memcmp(code, ELFMAG, SELFMAG) != 0 || head->e_shstrndx >= head->e_shnum) return false;
  if (head->e_shoff > bytes || head->e_shnum * sizeof *e->section > bytes - head->e_shoff) return false;
  e->section = (const Elf64_Shdr *)(code + head->e_shoff);
  e->sections = head->e_shnum;
  e->names = code + e->section[head->e_shstrndx].sh_offset;
  for (int i = 0; i < e->sections; i++) {
    const Elf64_Shdr *s = &e->section[i];
    if (s->sh_type != SHT_NOBITS && (s->sh_offset > bytes || s->sh_size > bytes - s->sh_offset)) return false;
  }
  return true;
}

/* Returns the section whose name is `start` followed by `rest`, or NULL. */
static const Elf64_Shdr *find_section(const elf *e, const char *start, const char *rest) {
  size_t length = strlen(start);
  for (int i = 0; i < e->sections; i++) {
    const char *name = e->names + e->section[i].sh_name;
    if (strncmp(name, start, length) == 0 && strcmp(name + length, rest) == 0) return &e->section[i];
  }
  return NULL;
}

static const char *symbol_name(const elf *e, uint32_t number) {
  const Elf64_Shdr *table = find_section(e, ".symtab", "");
  if (!table || number >= table->sh_size / sizeof(Elf64_Sym)) return "";
  const Elf64_Sym *symbol = (const Elf64_Sym *)(e->code + table->sh_offset) + number;
  return e->code + e->section[table->sh_link].sh_offset + symbol->st_name;
}

/* Finds the next value of an attribute of format SIZED with at least `words` words from *at on, and moves *at behind it. */
static const uint32_t *next_value(const elf *e, const Elf64_Shdr *info, size_t *at, int attribute, size_t words) {
  const unsigned char *p = (const unsigned char *)e->code + info->sh_offset;
  while (*at + 4 <= info->sh_size) {
    const unsigned char *head = p + *at;
    size_t size = head[0] == SIZED ? (size_t)head[2] | (size_t)head[3] << 8 : 0;
    *at += 4 + size;
    if (*at <= info->sh_size && head[0] == SIZED && head[1] == attribute && size >= 4 * words)
      return (const uint32_t *)(const void *)(head + 4);
  }
  return NULL;
}

/* Returns the value of an attribute that .nv.info lists with the symbol of each function, or 0. */
static unsigned value_of(const elf *e, const char *kernel, int attribute) {
  const Elf64_Shdr *info = find_section(e, ".nv.info", "");
  size_t at = 0;
  for (const uint32_t *v; info && (v = next_value(e, info, &at, attribute, 2));)
    if (strcmp(symbol_name(e, v[0]), kernel) == 0) return v[1];
  return 0;
}

static unsigned threads_of(const elf *e, const char *kernel) {
  const Elf64_Shdr *info = find_section(e, ".nv.info.", kernel);
  size_t at = 0;
  const uint32_t *v = info ? next_value(e, info, &at, MAX_THREADS, 3) : NULL;
  return v ? v[0] * v[1] * v[2] : 1024;
}

static unsigned shared_of(const elf *e, const char *kernel, int arch) {
  const Elf64_Shdr *s = find_section(e, ".nv.shared.", kernel);
  return s ? (unsigned)s->sh_size - (arch >= RESERVES ? RESERVED : 0) : 0;
}

/* Sets the spilled bytes of a kernel from the compiler's messages, also of the functions that it calls. Returns false if
** the messages lack the kernel or name another number of registers. */
static bool read_log(const char *log, cubin_kernel *k) {
  static const char entry[] = "Compiling entry function '", stores[] = " bytes spill stores";
  char name[96];
  unsigned registers;
  snprintf(name, sizeof name, "%s%s'", entry, k->name);
  const char *from = strstr(log, name), *end = from ? strstr(from + 1, entry) : NULL;
  const char *used = from ? strstr(from, "Used ") : NULL;
  if (!used || sscanf(used, "Used %u registers", &registers) != 1 || registers != k->registers) return false;
  for (const char *at = from; (at = strstr(at + 1, stores)) && (!end || at < end);) {
    const char *digits = at;
    unsigned bytes = 0;
    while (digits[-1] >= '0' && digits[-1] <= '9') digits--;
    sscanf(digits, "%u", &bytes);
    k->spills += bytes;
  }
  return true;
}

int cubin_read(const char *code, size_t bytes, int arch, const char *log, cubin_kernel *list, int most) {
  static const char start[] = ".nv.info.";
  elf e;
  int count = 0;
  if (!open_elf(&e, code, bytes)) return -1;
  for (int i = 0; i < e.sections; i++) {
    const char *name = e.names + e.section[i].sh_name;
    if (strncmp(name, start, sizeof start - 1) != 0) continue;
    name += sizeof start - 1;
    if (count == most) return -1;
    cubin_kernel *k = &list[count++];
    *k = (cubin_kernel){.threads = threads_of(&e, name), .registers = value_of(&e, name, REGISTERS),
                        .shared = shared_of(&e, name, arch), .stack = value_of(&e, name, MIN_STACK)};
    snprintf(k->name, sizeof k->name, "%s", name);
    if (!read_log(log, k)) return -1;
  }
  return count;
}
