/* The part of PJRT's interface that only aot.c calls, in addition to src/pjrt/pjrt.h. header_check.c compares it, too. */

#include "pjrt/pjrt.h"

#define AOT_FUNCTIONS(X) X(Executable_Destroy, 40) X(TopologyDescription_Create, 82) X(TopologyDescription_PlatformVersion, 85) X(Compile, 89)
enum aot_function {
#define AOT_ID(name, number) AOT_CALL_##name = number,
  AOT_FUNCTIONS(AOT_ID)
#undef AOT_ID
  AOT_SLOTS = 90
};

typedef struct aot_topology {
  size_t size;
  void  *extensions;
  const char *name;
  size_t length;
  const void *options;
  size_t noptions;
  void  *topology;                     /* result */
} aot_topology;

typedef struct aot_compile {
  size_t size;
  void  *extensions, *topology;
  const pjrt_program *program;
  const char *options;
  size_t options_length;
  void  *client, *executable;          /* no client; the result */
} aot_compile;
