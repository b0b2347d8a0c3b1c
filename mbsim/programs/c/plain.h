/* @TITLE@: an mbsim model as plain C. C99, the C library alone; no memory is allocated. */
#ifndef @GUARD@
#define @GUARD@

#ifdef __CUDACC__ /* include the .c file in a .cu file: a thread may take the steps of a unit of its own */
#define @CALL@ __host__ __device__
#else
#define @CALL@
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { @MODEL@_INPUTS = @INPUTS@, @MODEL@_OUTPUTS = @OUTPUTS@ };

/* Names in the order of their indices, ended by a null pointer. */
extern const char *const @MODEL@_input_names[];
extern const char *const @MODEL@_output_names[];

/* A run. It is yours, and nothing else is written: copying it saves the state, and several go on beside each other. */
typedef struct @MODEL@_unit {
    double s[@SLOTS@], time, anchor, step;
    long count;
    int fresh;
    const char *message;
} @MODEL@_unit;

/* To the start, with the inputs as they are in the model. It comes first, and is not for CUDA's threads: copy what it has made. */
void @MODEL@_reset(@MODEL@_unit *unit);

/* s */
@CALL@ double @MODEL@_time(const @MODEL@_unit *unit);

/* An input or parameter of the model's laws by its index. It holds from now on. 0, or -1 for a wrong index and a number that is not finite. */
@CALL@ int @MODEL@_set(@MODEL@_unit *unit, int input, double value);
@CALL@ double @MODEL@_get(const @MODEL@_unit *unit, int input);

/* Go on by h seconds. 0, or -1 where the motion cannot go on: `message` says why, and the unit is where it was. */
@CALL@ int @MODEL@_step(@MODEL@_unit *unit, double h);

/* An output by its index, with the inputs that hold now; NaN where there is none. */
@CALL@ double @MODEL@_output(@MODEL@_unit *unit, int output);

/* Why the last call failed; empty where none has. */
@CALL@ const char *@MODEL@_message(const @MODEL@_unit *unit);

#ifdef __cplusplus
}
#endif
#endif
