#include "lua/record.h"

#include "lua/args.h"

const char captured_uses = 0;

const op_recorder *the_recorder = NULL;

int finish_record(lua_State *L, const op_record *r) {
  if (r->in_place) storage_written(((tensor *)lua_touserdata(L, -1))->store);
  if (recorder()) recorder()->record(L, r);
  return 1;
}

void check_constant(lua_State *L, const char *fn, int target) {
  const tensor *t = test_tensor(L, target);
  if (t && t->weak && place_is_captured(t->store->place)) raise_device(L, fn, ERR_CAPTURE, t->store->place);
}

void free_kept(lua_State *L, const op_record *r, int height) {
  for (int k = 0; k < r->nin; k++)
    if (r->in[k] > height) tensor_drop(lua_touserdata(L, r->in[k]));
}

int finish_op(lua_State *L, bool in_place) {
  if (!in_place) return 1;
  return finish_record(L, &(op_record){.name = "fill_", .nin = 1, .in = {lua_gettop(L)}, .in_place = true});
}
