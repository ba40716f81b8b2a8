/* The function that lists a folder. */

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "lua/io/file.h"
#include "lua/register.h"

typedef struct folder {
  DIR *dir;
} folder;
static const char folder_class = 0;

static int folder_gc(lua_State *L) {
  folder *f = lua_touserdata(L, 1);
  if (f->dir) closedir(f->dir);
  f->dir = NULL;
  return 0;
}

/* True if an entry is a folder, or a symbolic link to one. */
static bool is_folder(DIR *dir, const struct dirent *entry) {
  struct stat s;
  return fstatat(dirfd(dir), entry->d_name, &s, 0) == 0 && S_ISDIR(s.st_mode);
}

/* Pushes nil and the reason in errno. */
static int push_reason(lua_State *L) {
  int why = errno;
  lua_pushnil(L);
  lua_pushstring(L, strerror(why));
  return 2;
}

/* list_folder(path): returns the names of the folder's entries in any order, without "." and "..". The names of folders end in
** "/". Returns nil and the reason if the folder cannot be read. */
static int l_list_folder(lua_State *L) {
  const char *path = check_path(L, 1, "list_folder");
  lua_newtable(L);
  folder *f = push_object(L, &folder_class, sizeof *f, 0);
  lua_toclose(L, -1);
  f->dir = opendir(path);
  if (!f->dir) return push_reason(L);
  lua_Integer n = 0;
  for (const struct dirent *entry; errno = 0, (entry = readdir(f->dir));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    lua_pushfstring(L, "%s%s", entry->d_name, is_folder(f->dir, entry) ? "/" : "");
    lua_rawseti(L, 2, ++n);
  }
  if (errno != 0) return push_reason(L);
  lua_settop(L, 2);
  return 1;
}

static const function_row functions[] = {{"list_folder", l_list_folder, OUTSIDE}, {NULL, NULL, 0}};
static const luaL_Reg folder_meta[] = {{"__gc", folder_gc}, {"__close", folder_gc}, {NULL, NULL}};

void open_folder(lua_State *L) {
  add_class(L, &folder_class, NULL, folder_meta, NULL);
  add_functions(L, functions);
}
