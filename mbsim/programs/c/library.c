/* The functions of the header. */

struct @MODEL@_unit {
    struct Unit unit;
};

static struct Unit *unit_of(const @MODEL@_unit *unit) { return (struct Unit *)unit; }

@MODEL@_unit *@MODEL@_create(void) { return (@MODEL@_unit *)create(); }
void @MODEL@_free(@MODEL@_unit *unit) { discard(unit_of(unit)); }

int @MODEL@_reset(@MODEL@_unit *unit)
{
    begin(unit_of(unit));
    return 0;
}

double @MODEL@_time(const @MODEL@_unit *unit) { return number(unit_of(unit), TIME); }
int @MODEL@_set(@MODEL@_unit *unit, int input, double value) { return give(unit_of(unit), input, value); }

double @MODEL@_get(const @MODEL@_unit *unit, int input)
{
    return input < 0 || input >= INPUTS ? NAN : *input_of(unit_of(unit), input);
}

int @MODEL@_step(@MODEL@_unit *unit, double h)
{
    if (advance(unit_of(unit), h, NEVER) != 0) return -1;
    const char *by = ended(unit_of(unit));
    if (by == NULL) return 0;
    fail(unit_of(unit), "ended by", by);
    return 1;
}

double @MODEL@_output(@MODEL@_unit *unit, int output)
{
    if (output < 0 || output >= OUTPUTS || tell(unit_of(unit)) != 0) return NAN;
    return number(unit_of(unit), OUTPUT + output);
}

const char *@MODEL@_message(const @MODEL@_unit *unit) { return unit_of(unit)->message; }

size_t @MODEL@_state_size(void) { return sizeof identity + ARRAYS * sizeof(int64_t); }

void @MODEL@_save(const @MODEL@_unit *unit, void *bytes)
{
    memcpy(bytes, identity, sizeof identity);
    memcpy((char *)bytes + sizeof identity, unit->unit.words, ARRAYS * sizeof(int64_t));
}

int @MODEL@_restore(@MODEL@_unit *unit, const void *bytes)
{
    if (memcmp(bytes, identity, sizeof identity) != 0) return fail(unit_of(unit), "these bytes are the state of another model", "");
    memcpy(unit->unit.words, (const char *)bytes + sizeof identity, ARRAYS * sizeof(int64_t));
    return 0;
}
