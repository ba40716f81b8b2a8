/* Loans: makes tensors that use memory of the host (the program that embeds Lua), and ends this use when the host
** revokes the loan. */

#include "base/loan.h"
#include "io/dlpack.h"
#include "lua/args.h"
#include "lua/host/host.h"
#include "lua/interrupt.h"
#include "lua/state.h"
#include "op/queue.h"

/* Fills *form with the dtype, shape and strides of the array, and *data with the address of its elements. If the array
** is not valid, raises an error that says why. */
static void check_array(lua_State *L, luatensor_array *a, tensor *form, void **data) {
  int d = api_dtype(L, "lend", a->dtype);
  dl_versioned as = {.version = {.major = DL_MAJOR}};
  as.tensor = (dl_tensor){.data = a->data, .device = {DL_CPU, 0}, .ndim = a->ndim, .shape = a->shape, .strides = a->stride,
                          .dtype = {dtypes[d].dlpack, (uint8_t)(8 * dtype_size((enum dtype)d)), 1}};
  place where;
  bool read_only, clean;
  const char *wrong = dlpack_describe(&(dl_owned){&as, true}, form, data, &where, &read_only);
  if (wrong) luaL_error(L, "lend: %s", wrong);
  form->store = &(storage){.place = where, .ptr = *data, .refs = 1};
  int st = dlpack_check_bools(form, &clean);
  if (st != OK) raise(L, "lend", st, (const tensor *[]){form}, 1);
  if (!clean) luaL_error(L, "lend: a bool with bytes other than 0 and 1; lend it as uint8");
}

luatensor_loan api_lend(lua_State *L, const luatensor_array *a, void (*release)(void *context), void *context) {
  luatensor_array copy = *a;
  tensor form;
  void *data;
  luaL_checkstack(L, LUA_MINSTACK, "lend");
  check_array(L, &copy, &form, &data);
  tensor *t = push_empty(L);
  storage *s;
  uint64_t number;
  int st = loan_open(data, (size_t)form.count * (size_t)dtype_size(form.dtype), release, context,
                     &state_of(L)->running, &s, &number);
  if (st != OK) raise(L, "lend", st, NULL, 0);
  *t = form;
  t->store = s;
  return number;
}

static int to_status(enum loan_status status) {
  static const int of[] = {[LOAN_OPEN] = LUATENSOR_ok, [LOAN_ENDED] = LUATENSOR_ended, [LOAN_ELSEWHERE] = LUATENSOR_other_thread,
                           [LOAN_BUSY] = LUATENSOR_busy};
  return of[status];
}

/* First checks that the loan belongs to this thread, because no other thread may use L. Then waits for all queues,
** because queued copies to a GPU may still read the memory. */
int api_revoke(lua_State *L, luatensor_loan loan) {
  enum loan_status status = loan_look(loan);
  if (status != LOAN_OPEN) return to_status(status);
  if (is_interrupting(L)) return LUATENSOR_busy;
  place failing;
  queue_wait_all(&failing);              /* an error is ignored: a device that failed does no more work */
  return to_status(loan_revoke(loan));
}

int api_claim(luatensor_loan loan) { return to_status(loan_claim(loan)); }
