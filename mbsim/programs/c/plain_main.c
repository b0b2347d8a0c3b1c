/* @TITLE@ to its end: a row of outputs at each step. Without Python. */
#include <stdio.h>
#include "@HEADER@"

int main(void)
{
    const double h = @STEP@, end = @END@;
    static @MODEL@_unit unit;
    @MODEL@_reset(&unit);
    printf("time");
    for (int i = 0; i < @MODEL@_OUTPUTS; i++) printf(",%s", @MODEL@_output_names[i]);
    for (;;) {
        printf("\n%.17g", @MODEL@_time(&unit));
        for (int i = 0; i < @MODEL@_OUTPUTS; i++) printf(",%.17g", @MODEL@_output(&unit, i));
        if (@MODEL@_time(&unit) > end - 0.5 * h) break;
        if (@MODEL@_step(&unit, h) != 0) {
            fprintf(stderr, "%s\n", @MODEL@_message(&unit));
            return 1;
        }
    }
    printf("\n");
    return 0;
}
