/* An mbsim model as a C library: what its two files declare. C99, the C library alone. */
#ifndef MBSIM_UNIT_H
#define MBSIM_UNIT_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct @MODEL@_unit @MODEL@_unit;

enum { @MODEL@_INPUTS = @INPUTS@, @MODEL@_OUTPUTS = @OUTPUTS@ };

/* Names in the order of their indices, ended by a null pointer. */
extern const char *const @MODEL@_input_names[];
extern const char *const @MODEL@_output_names[];

/* An instance at the start of the model; NULL where there is no memory. Instances share nothing that is written. */
@MODEL@_unit *@MODEL@_create(void);
void @MODEL@_free(@MODEL@_unit *unit);

/* Back to the start, with the inputs as they are in the model. */
int @MODEL@_reset(@MODEL@_unit *unit);

/* s */
double @MODEL@_time(const @MODEL@_unit *unit);

/* An input or parameter of the model's laws by its index. It holds from now on. 0, or -1 for a wrong index and a number that is not finite. */
int @MODEL@_set(@MODEL@_unit *unit, int input, double value);
double @MODEL@_get(const @MODEL@_unit *unit, int input);

/* Go on by h seconds. 0, or -1 where the motion cannot go on: `message` says why, and the unit is where it came to. 1 where an event or the
   stop expression has ended it, which `message` names: the unit is there, and further steps fail. */
int @MODEL@_step(@MODEL@_unit *unit, double h);

/* An output by its index, with the inputs that hold now; NaN where there is none. */
double @MODEL@_output(@MODEL@_unit *unit, int output);

/* Why the last call failed; empty where none has. */
const char *@MODEL@_message(const @MODEL@_unit *unit);

/* The whole state as bytes, of this build of the model alone: going on from it gives the same bits. restore: 0, or -1 for other bytes. */
size_t @MODEL@_state_size(void);
void @MODEL@_save(const @MODEL@_unit *unit, void *bytes);
int @MODEL@_restore(@MODEL@_unit *unit, const void *bytes);

#ifdef __cplusplus
}
#endif
#endif
