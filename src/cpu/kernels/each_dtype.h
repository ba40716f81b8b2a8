/* Includes the header LOOPS once for each compute dtype, with D defined as the dtype's name. LOOPS must undefine
** D. */

#define D bool
#include LOOPS
#define D uint8
#include LOOPS
#define D uint16
#include LOOPS
#define D uint32
#include LOOPS
#define D uint64
#include LOOPS
#define D int8
#include LOOPS
#define D int16
#include LOOPS
#define D int32
#include LOOPS
#define D int64
#include LOOPS
#define D float32
#include LOOPS
#define D float64
#include LOOPS
#define D complex64
#include LOOPS
#define D complex128
#include LOOPS

#undef LOOPS
