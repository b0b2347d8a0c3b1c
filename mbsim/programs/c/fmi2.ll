; made by scripts/shim.py from afe217b73704c76d4d2fa0686716ba156f5ef57d40d559e689b640526904eed3

%struct.anon = type { i32, i64 }
%struct.anon.0 = type { i32, i32 }
%struct.anon.1 = type { i32, ptr }
%struct.anon.2 = type { i32, i32 }
%struct.anon.3 = type { i32, i32, i32 }
%struct.anon.4 = type { ptr, ptr, double, double, i32, i32, i32, i32, i32, i32 }
%struct.anon.5 = type { i8, i8 }
%struct.anon.6 = type { i32, i32, i32, i32 }
%struct.anon.7 = type { i32, i32, i32, i32, i32, i32, i32, [3 x double] }
%struct.anon.8 = type { i32, i32, i32, i32, i32, double }
%struct.anon.9 = type { i16, i16, i16, i16, i16, i16, i16, [2 x i16] }
%struct.anon.10 = type { i16, i16, i16 }
%struct.anon.11 = type { i16, i16, double }
%struct.anon.12 = type { i16, i16, i16, i16 }
%struct.anon.13 = type { i16, i16, double }
%struct.anon.14 = type { i16, i16 }
%struct.anon.15 = type { i16, i16, double }
%struct.anon.16 = type { i32, i32, i32, i32 }
%struct.anon.17 = type { i16, i16, i16 }
%struct.Direction = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i32 }

@.str = private unnamed_addr constant [8 x i8] c"default\00"
@.str.1 = private unnamed_addr constant [4 x i8] c"2.0\00"
@.str.2 = private unnamed_addr constant [48 x i8] c"the categories are logEvents and logStatusError\00"
@EXCHANGES = external constant i32
@TAKES_STEPS = external constant i32
@identity = external constant [33 x i8]
@.str.3 = private unnamed_addr constant [31 x i8] c"this unit is for co-simulation\00"
@.str.4 = private unnamed_addr constant [32 x i8] c"this unit is for model exchange\00"
@.str.5 = private unnamed_addr constant [33 x i8] c"the GUID is that of another unit\00"
@.str.6 = private unnamed_addr constant [48 x i8] c"fmi2SetupExperiment comes after fmi2Instantiate\00"
@TIME = external constant i32
@.str.7 = private unnamed_addr constant [68 x i8] c"the start time is that of the model, whose start is assembled there\00"
@.str.8 = private unnamed_addr constant [60 x i8] c"fmi2EnterInitializationMode comes after fmi2SetupExperiment\00"
@.str.9 = private unnamed_addr constant [67 x i8] c"fmi2ExitInitializationMode comes after fmi2EnterInitializationMode\00"
@.str.10 = private unnamed_addr constant [31 x i8] c"all variables are of type Real\00"
@.str.11 = private unnamed_addr constant [31 x i8] c"there is no memory for a state\00"
@.str.12 = private unnamed_addr constant [23 x i8] c"there is no such state\00"
@.str.13 = private unnamed_addr constant [37 x i8] c"there is not enough room for a state\00"
@.str.14 = private unnamed_addr constant [42 x i8] c"these bytes are the state of another unit\00"
@.str.15 = private unnamed_addr constant [50 x i8] c"fmi2DoStep comes after fmi2ExitInitializationMode\00"
@.str.16 = private unnamed_addr constant [49 x i8] c"the communication point is not where the unit is\00"
@.str.17 = private unnamed_addr constant [24 x i8] c"steps are never pending\00"
@DIFFERENTIATES = external constant i32
@.str.18 = private unnamed_addr constant [43 x i8] c"this unit gives no directional derivatives\00"
@.str.19 = private unnamed_addr constant [38 x i8] c"this unit does not interpolate inputs\00"
@.str.20 = private unnamed_addr constant [42 x i8] c"this unit gives no derivatives of outputs\00"
@.str.21 = private unnamed_addr constant [59 x i8] c"fmi2EnterEventMode comes after fmi2EnterContinuousTimeMode\00"
@.str.22 = private unnamed_addr constant [53 x i8] c"fmi2NewDiscreteStates comes after fmi2EnterEventMode\00"
@.str.23 = private unnamed_addr constant [62 x i8] c"fmi2EnterContinuousTimeMode comes after fmi2NewDiscreteStates\00"
@.str.24 = private unnamed_addr constant [68 x i8] c"fmi2CompletedIntegratorStep comes after fmi2EnterContinuousTimeMode\00"
@.str.25 = private unnamed_addr constant [38 x i8] c"this is an instance for co-simulation\00"
@STATES = external constant i32
@.str.26 = private unnamed_addr constant [36 x i8] c"the number of states is another one\00"
@Z = external constant i32
@Z_DOT = external constant i32
@NOMINALS = external constant i32
@EVENT_COUNT = external constant i32
@.str.27 = private unnamed_addr constant [46 x i8] c"the number of event indicators is another one\00"
@.str.28 = private unnamed_addr constant [10 x i8] c"logEvents\00"
@.str.29 = private unnamed_addr constant [15 x i8] c"logStatusError\00"
@.str.30 = private unnamed_addr constant [21 x i8] c"t = %.12g s: %s (%s)\00"
@.str.31 = private unnamed_addr constant [3 x i8] c"%s\00"
@WORDS = external constant i32
@count_of_lengths = external constant i32
@lengths = external constant [0 x %struct.anon]
@count_of_pointers = external constant i32
@pointers = external constant [0 x %struct.anon.0]
@count_of_functions = external constant i32
@functions = external constant [0 x %struct.anon.1]
@CONTROL = external constant i32
@CONTROL_TOLERANCE = external constant i32
@CONTROLS_ERROR = external constant i32
@of_RELATIVE = external constant [0 x i32]
@PHASE = external constant i32
@stride_RELATIVE = external constant i32
@of_ABSOLUTE = external constant [0 x i32]
@stride_ABSOLUTE = external constant i32
@of_OF_A_STEP = external constant [0 x i32]
@stride_OF_A_STEP = external constant i32
@TURNED = external constant i32
@FRESH_OUTPUTS = external constant i32
@count_of_counted = external constant i32
@COUNTS = external constant i32
@counted = external constant [0 x %struct.anon.2]
@OUTPUT = external constant i32
@of_STATUS = external constant [0 x i32]
@stride_STATUS = external constant i32
@STATUS_CHANGED = external constant i32
@of_WIDTH = external constant [0 x i32]
@stride_WIDTH = external constant i32
@ROW = external constant i32
@.str.32 = private unnamed_addr constant [47 x i8] c"the laws cannot be evaluated with these inputs\00"
@.str.33 = private unnamed_addr constant [1 x i8] zeroinitializer
@of_SCRATCH = external constant [0 x i32]
@stride_SCRATCH = external constant i32
@STATE = external constant i32
@of_SCRATCH_ROWS = external constant [0 x i32]
@stride_SCRATCH_ROWS = external constant i32
@STATUS_CODE = external constant i32
@STATUS_INDEX = external constant i32
@count_of_reasons = external constant i32
@reasons = external constant [0 x ptr]
@.str.34 = private unnamed_addr constant [24 x i8] c"the motion cannot go on\00"
@NAMES = external constant i32
@flat_state_names = external constant [0 x ptr]
@CODE_SINGULAR_MASS = external constant i32
@SPEEDS = external constant i32
@CODE_DRIFT_REMAINS = external constant i32
@CODE_NO_CONVERGENCE = external constant i32
@of_ROWS = external constant [0 x i32]
@stride_ROWS = external constant i32
@CODE_NOT_FINITE = external constant i32
@CODE_STEP_TOO_SMALL = external constant i32
@ROW_LINES = external constant i32
@SLOT_ROW = external constant i32
@row_names = external constant [0 x ptr]
@.str.35 = private unnamed_addr constant [19 x i8] c"t = %.9g s: %s%s%s\00"
@.str.36 = private unnamed_addr constant [3 x i8] c": \00"
@COORDINATES = external constant i32
@SPREAD = external constant i32
@ARRAYS = external constant i32
@images = external constant [0 x i32]
@runs = external constant [0 x %struct.anon.3]
@image_words = external constant [0 x i64]
@INPUTS = external constant i32
@OUTPUTS = external constant i32
@LOCALS = external constant i32
@local_rates = external constant [0 x i8]
@local_places = external constant [0 x i32]
@.str.37 = private unnamed_addr constant [47 x i8] c"there is no variable with this value reference\00"
@of_PARAMETERS = external constant [0 x i32]
@stride_PARAMETERS = external constant i32
@input_places = external constant [0 x i32]
@.str.38 = private unnamed_addr constant [35 x i8] c"only inputs and parameters are set\00"
@.str.39 = private unnamed_addr constant [23 x i8] c"there is no such input\00"
@.str.40 = private unnamed_addr constant [24 x i8] c"an input must be finite\00"
@input_names = external constant [0 x ptr]
@FRESH_RATES = external constant i32
@BEGINS = external constant i32
@WAY = external constant i32
@of_CLOCK = external constant [0 x i32]
@stride_CLOCK = external constant i32
@.str.41 = private unnamed_addr constant [30 x i8] c"a step must be greater than 0\00"
@REMEMBERS = external constant i32
@CONTROL_H = external constant i32
@COUNT = external constant i32
@CONTROL_TIME = external constant i32
@CONTROL_ANCHOR = external constant i32
@of_CLOCK_SIZE = external constant [0 x i32]
@stride_CLOCK_SIZE = external constant i32
@CLOCK_TIME = external constant i32
@STATUS_PAUSE = external constant i32
@ENDED_BY = external constant i32
@.str.42 = private unnamed_addr constant [21 x i8] c"the motion has ended\00"
@happenings = external constant [0 x %struct.anon.4]
@PENDING = external constant i32
@JUST_TIME = external constant i32
@STOPS = external constant i32
@AT_DUE = external constant i32
@DUES_MOST = external constant i32
@AT_CROSSING = external constant i32
@EVENT_SIDE = external constant i32
@SIDES = external constant i32
@EVENT_HAPPENS = external constant i32
@JUST = external constant i32
@FIRST_EVENT = external constant i32
@of_LINES = external constant [0 x i32]
@stride_LINES = external constant i32
@LINE = external constant i32
@DUE = external constant i32
@EVENT_ACTIVE = external constant i32
@DUES = external constant i32
@.str.43 = private unnamed_addr constant [30 x i8] c"too many delayed actions wait\00"
@SIZES = external constant i32
@SEEN = external constant i32
@STOP_FIRED = external constant i32
@AT_ONCE = external constant i32
@.str.44 = private unnamed_addr constant [51 x i8] c"too many events at one time make each other happen\00"
@.str.45 = private unnamed_addr constant [6 x i8] c"stops\00"
@ROW_BEFORE = external constant i32
@CROWD_TIME = external constant i32
@CROWD_INTERVAL = external constant i32
@CROWD_LONGEST = external constant i32
@CROWD_EVENT = external constant i32
@CROWDED = external constant double
@SPAN = external constant double
@CROWD = external constant i32
@ABRUPT = external constant double
@CROWD_SHORTER = external constant i32
@SHORTER = external constant i32
@VANISHES = external constant double
@.str.46 = private unnamed_addr constant [110 x i8] c"events follow each other in ever shorter times; they come to an end there, and what they set leads no further\00"
@CROWD_END = external constant i32
@.str.47 = private unnamed_addr constant [94 x i8] c"events follow each other without end; what they set does not lead away from where they happen\00"
@COMERS = external constant i32
@doors = external constant [0 x %struct.anon.5]
@flat_leads = external constant [0 x i16]
@EVENT_Q = external constant i32
@EVENT_V = external constant i32
@WAYS = external constant i32
@flat_both = external constant [0 x i32]
@.str.48 = private unnamed_addr constant [114 x i8] c"more events at one time set different coordinates than this unit knows how to bring onto the constraints together\00"
@of_VALUE_ROWS = external constant [0 x i32]
@stride_VALUE_ROWS = external constant i32
@VALUE_MEMORY = external constant i32
@VALUE_COLUMNS = external constant i32
@LAST_TIME = external constant i32
@HAS_ENERGY = external constant i32
@ASSIGNMENTS = external constant i32
@assignments = external constant [0 x %struct.anon.6]
@VALUES = external constant i32
@.str.49 = private unnamed_addr constant [34 x i8] c"a value that is set is not finite\00"
@.str.50 = private unnamed_addr constant [51 x i8] c"events at one time give one thing different values\00"
@IS_PARAMETER = external constant i32
@IS_SPEED = external constant i32
@.str.51 = private unnamed_addr constant [5 x i8] c"%s%s\00"
@.str.52 = private unnamed_addr constant [3 x i8] c", \00"
@ENERGY = external constant i32
@rubs = external constant [0 x i8]
@IS_IDLE = external constant i32
@IS_OPEN = external constant i32
@STOP_MODE = external constant i32
@STOP_SHARED = external constant i32
@DIRECTIONS = external constant i32
@STOP_SLIP = external constant i32
@STOP_HOLDS = external constant i32
@bases = external constant [0 x i16]
@stop_of = external constant [0 x i16]
@HOLDS = external constant i32
@AFTER = external constant i32
@of_GEOMETRY_COLUMNS = external constant [0 x i32]
@stride_GEOMETRY_COLUMNS = external constant i32
@PASSED = external constant i32
@of_FRAMES = external constant [0 x i32]
@stride_FRAMES = external constant i32
@of_FRAME_NUMBERS = external constant [0 x i32]
@stride_FRAME_NUMBERS = external constant i32
@of_GEOMETRY = external constant [0 x i32]
@stride_GEOMETRY = external constant i32
@of_GEOMETRY_NUMBERS = external constant [0 x i32]
@stride_GEOMETRY_NUMBERS = external constant i32
@of_PARAMETER_NUMBERS = external constant [0 x i32]
@stride_PARAMETER_NUMBERS = external constant i32
@of_SETTINGS = external constant [0 x i32]
@stride_SETTINGS = external constant i32
@of_SETTINGS_SIZE = external constant [0 x i32]
@stride_SETTINGS_SIZE = external constant i32
@GIVEN = external constant i32
@EVENT_LARGEST = external constant i32
@EVENT_FASTEST = external constant i32
@count_of_seats = external constant i32
@seats = external constant [0 x %struct.anon.7]
@count_of_shifts = external constant i32
@shifts = external constant [0 x %struct.anon.8]
@of_MISSED = external constant [0 x i32]
@stride_MISSED = external constant i32
@of_HOLONOMIC = external constant [0 x i32]
@stride_HOLONOMIC = external constant i32
@COMER_ROWS = external constant i32
@flat_comers = external constant [0 x i16]
@.str.53 = private unnamed_addr constant [37 x i8] c"what an event locks is off its place\00"
@.str.54 = private unnamed_addr constant [29 x i8] c"what closes is off its place\00"
@WIDEST = external constant i32
@COMMON = external constant i32
@SLOT_LINE = external constant i32
@slot_first = external constant [0 x i16]
@row_lines = external constant [0 x %struct.anon.9]
@slots = external constant [0 x %struct.anon.10]
@of_PRIMITIVES = external constant [0 x i32]
@stride_PRIMITIVES = external constant i32
@PRIMITIVE = external constant i32
@ROW_GEOMETRY = external constant i32
@flat_row_geometry = external constant [0 x double]
@BODIES = external constant i32
@of_ROW_BODIES = external constant [0 x i32]
@stride_ROW_BODIES = external constant i32
@row_levers = external constant [0 x double]
@of_LEVERS = external constant [0 x i32]
@stride_LEVERS = external constant i32
@SLOT_MISS = external constant i32
@row_of_direction = external constant [0 x i16]
@of_STOP_ROWS = external constant [0 x i32]
@stride_STOP_ROWS = external constant i32
@of_EASED = external constant [0 x i32]
@stride_EASED = external constant i32
@FRICTIONS = external constant i32
@count_of_row_shifts = external constant i32
@row_shifts = external constant [0 x %struct.anon.11]
@of_COMPONENTS = external constant [0 x i32]
@stride_COMPONENTS = external constant i32
@of_COMPONENT_COUNT = external constant [0 x i32]
@stride_COMPONENT_COUNT = external constant i32
@frictions = external constant [0 x %struct.anon.12]
@of_LOADED = external constant [0 x i32]
@stride_LOADED = external constant i32
@of_SLIPPINGS = external constant [0 x i32]
@stride_SLIPPINGS = external constant i32
@SLIPPING = external constant i32
@of_LOAD_GROUPS = external constant [0 x i32]
@stride_LOAD_GROUPS = external constant i32
@GROUP = external constant i32
@friction_groups = external constant [0 x %struct.anon.13]
@friction_components = external constant [0 x %struct.anon.14]
@friction_terms = external constant [0 x %struct.anon.15]
@OTHERS = external constant i32
@flat_other_rows = external constant [0 x i16]
@FRAME = external constant i32
@PLANAR = external constant i32
@FRAME_ANGLE = external constant i32
@FRAME_ATTITUDE = external constant i32
@QUARTER_TURN = external constant double
@LOCK_LIMIT = external constant double
@DEEPEST = external constant double
@stop_near = external constant [0 x double]
@STOP_NEAR = external constant i32
@SAME_VALUE = external constant double
@.str.55 = private unnamed_addr constant [53 x i8] c"of events at one time one locks what another unlocks\00"
@flat_meets_positions = external constant [0 x ptr]
@.str.56 = private unnamed_addr constant [56 x i8] c"what an event sets or locks contradicts the constraints\00"
@roams = external constant [0 x i8]
@flat_holds = external constant [0 x i8]
@flat_meets_speeds = external constant [0 x ptr]
@count_of_begun = external constant i32
@begun = external constant [0 x %struct.anon.16]
@STATUSES = external constant i32
@of_BESIDE_AT = external constant [0 x i32]
@stride_BESIDE_AT = external constant i32
@CODE_OK = external constant i32
@.str.57 = private unnamed_addr constant [61 x i8] c"what an event sets leads to a state that cannot be evaluated\00"
@STOP_WATCHED = external constant i32
@FORCE_SIZE = external constant double
@STOP_FORCE = external constant i32
@STOP_HELD = external constant i32
@STOP_EVENT = external constant i32
@STOP_REPORT = external constant i32
@STOP_BLAMED = external constant i32
@stop_reasons = external constant [0 x ptr]
@stop_names = external constant [0 x ptr]
@.str.58 = private unnamed_addr constant [64 x i8] c"more rows of contacts hold at once than a unit has a system for\00"
@.str.59 = private unnamed_addr constant [78 x i8] c"what holds of one coordinate is more than one row, which a unit does not know\00"
@STOP_IMPULSES = external constant i32
@first_direction = external constant [0 x i16]
@.str.60 = private unnamed_addr constant [7 x i8] c"impact\00"
@mode_words = external constant [0 x ptr]
@ROOM = external constant i32
@PHASES = external constant i32
@flat_takes = external constant [0 x i16]
@flat_rooms = external constant [0 x i16]
@EFFORTS = external constant i32
@efforts = external constant [0 x %struct.anon.17]
@EXCEEDS = external constant double
@STOP_BRAKE = external constant i32
@IS_CLOSED = external constant i32
@IS_SLIPPING = external constant i32
@NOISE = external constant double
@.str.61 = private unnamed_addr constant [28 x i8] c"an expression is not finite\00"
@SAME_TIME = external constant double
@of_WORK_EVENT = external constant [0 x i32]
@stride_WORK_EVENT = external constant i32
@EVENT_NOTED = external constant i32
@CODE_PAUSED = external constant i32
@CODE_STOPPED = external constant i32
@EVENT_TARGET = external constant i32
@of_WORK_ROW = external constant [0 x i32]
@stride_WORK_ROW = external constant i32
@of_NOTES = external constant [0 x i32]
@stride_NOTES = external constant i32
@of_NOTE = external constant [0 x i32]
@stride_NOTE = external constant i32
@NOTE_EVENT = external constant i32
@NOTE_TIME = external constant i32
@.str.62 = private unnamed_addr constant [9 x i8] c"ended by\00"
@.str.63 = private unnamed_addr constant [75 x i8] c"an event is due at this time: derivatives are those of what holds after it\00"
@of_Q_D = external constant [0 x i32]
@stride_Q_D = external constant i32
@of_V_D = external constant [0 x i32]
@stride_V_D = external constant i32
@of_PARAMETERS_D = external constant [0 x i32]
@stride_PARAMETERS_D = external constant i32
@.str.64 = private unnamed_addr constant [60 x i8] c"derivatives are by inputs, parameters and continuous states\00"
@state_references = external constant [0 x i32]
@of_MATRIX = external constant [0 x i32]
@stride_MATRIX = external constant i32
@of_RESIDUAL_D = external constant [0 x i32]
@stride_RESIDUAL_D = external constant i32
@of_XI = external constant [0 x i32]
@stride_XI = external constant i32
@.str.65 = private unnamed_addr constant [70 x i8] c"reactions of constraints that depend on each other have no derivative\00"
@.str.66 = private unnamed_addr constant [56 x i8] c"derivatives are those of outputs and of rates of states\00"
@KNOWN = external constant i32
@RISING = external constant i32
@of_DERIVATIVE_SCRATCH = external constant [0 x i32]
@stride_DERIVATIVE_SCRATCH = external constant i32
@of_PIVOTS = external constant [0 x i32]
@stride_PIVOTS = external constant i32
@follow_outputs.weights = internal constant [3 x double] [double 7.500000e-01, double -1.500000e-01, double 0x3F91111111111111]
@of_REMEMBERED_SIZE = external constant [0 x i32]
@stride_REMEMBERED_SIZE = external constant i32
@of_SCALES = external constant [0 x i32]
@stride_SCALES = external constant i32
@REMEMBERED = external constant i32
@OUTPUT_COLUMNS = external constant i32
@flat_output_places = external constant [0 x i32]
@KEPT = external constant i32
@of_BESIDE_SIZE = external constant [0 x i32]
@stride_BESIDE_SIZE = external constant i32
@of_STATUS_SIZE = external constant [0 x i32]
@stride_STATUS_SIZE = external constant i32
@of_BESIDE = external constant [0 x i32]
@stride_BESIDE = external constant i32
@CONTROL_SAMPLED = external constant i32
@CLOCKS = external constant i32
@SAMPLES = external constant i32
@SAMPLE_COLUMNS = external constant i32
@SAMPLE_FIRST = external constant i32
@SAMPLE_PERIOD = external constant i32
@SAMPLE_DUE = external constant i32
@MARGINS = external constant i32
@STOP_CLOSING = external constant i32
@GLANCES = external constant i32
@EVENT_LAST_VALUE = external constant i32
@TOGETHER = external constant double
@SAMPLED = external constant i32
@JUMPED = external constant double
@TELLS_GAP = external constant i32
@TELLS_SLIDE = external constant i32
@NONE = external constant double
@.str.67 = private unnamed_addr constant [23 x i8] c"the rate is not finite\00"

define ptr @fmi2GetTypesPlatform() {
  ret ptr @.str
}

define ptr @fmi2GetVersion() {
  ret ptr @.str.1
}

define i32 @fmi2SetDebugLogging(ptr %0, i32 %1, i64 %2, ptr %3) {
  %5 = call i32 @hear(ptr %0, i32 %1, i64 %2, ptr %3)
  %.not = icmp eq i32 %5, 0
  br i1 %.not, label %6, label %8

6:                                                ; preds = %4
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.2)
  br label %8

8:                                                ; preds = %4, %6
  %9 = phi i32 [ %7, %6 ], [ 0, %4 ]
  ret i32 %9
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #0

define internal i32 @hear(ptr %0, i32 %1, i64 %2, ptr %3) {
  br label %5

5:                                                ; preds = %22, %4
  %.019 = phi i64 [ 0, %4 ], [ %23, %22 ]
  %.0 = phi i32 [ 1, %4 ], [ %19, %22 ]
  %6 = icmp ult i64 %.019, %2
  br i1 %6, label %7, label %24

7:                                                ; preds = %5
  %8 = getelementptr inbounds nuw ptr, ptr %3, i64 %.019
  %9 = load ptr, ptr %8, align 8
  %10 = call i32 @strcmp(ptr nonnull dereferenceable(1) %9, ptr nonnull dereferenceable(10) @.str.28)
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %17, label %12

12:                                               ; preds = %7
  %13 = load ptr, ptr %8, align 8
  %14 = call i32 @strcmp(ptr nonnull dereferenceable(1) %13, ptr nonnull dereferenceable(15) @.str.29)
  %15 = icmp eq i32 %14, 0
  %16 = zext i1 %15 to i32
  br label %17

17:                                               ; preds = %12, %7
  %18 = phi i32 [ 1, %7 ], [ %16, %12 ]
  %19 = and i32 %.0, %18
  br i1 %11, label %20, label %22

20:                                               ; preds = %17
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store i32 %1, ptr %21, align 4
  br label %22

22:                                               ; preds = %17, %20
  %23 = add i64 %.019, 1
  br label %5

24:                                               ; preds = %5
  %25 = icmp eq i64 %2, 0
  br i1 %25, label %26, label %28

26:                                               ; preds = %24
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store i32 %1, ptr %27, align 4
  br label %28

28:                                               ; preds = %26, %24
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 44
  %30 = load i32, ptr %29, align 4
  %.not = icmp eq i32 %30, 0
  %31 = select i1 %.not, ptr null, ptr @hear_event
  %32 = load ptr, ptr %0, align 8
  %33 = getelementptr inbounds nuw i8, ptr %32, i64 8
  store ptr %31, ptr %33, align 8
  %34 = load ptr, ptr %0, align 8
  %35 = getelementptr inbounds nuw i8, ptr %34, i64 16
  store ptr %0, ptr %35, align 8
  ret i32 %.0
}

define internal i32 @refuse(ptr %0, ptr %1) {
  call void @say(ptr %0, i32 3, ptr %1)
  ret i32 3
}

declare void @llvm.lifetime.end.p0(ptr captures(none)) #0

define ptr @fmi2Instantiate(ptr %0, i32 %1, ptr %2, ptr %3, ptr %4, i32 %5, i32 %6) {
  %8 = call ptr @make(ptr %0)
  %9 = icmp eq ptr %8, null
  br i1 %9, label %27, label %10

10:                                               ; preds = %7
  %11 = getelementptr inbounds nuw i8, ptr %8, i64 8
  store ptr %4, ptr %11, align 8
  %12 = icmp eq i32 %1, 0
  %13 = zext i1 %12 to i32
  %14 = getelementptr inbounds nuw i8, ptr %8, i64 36
  store i32 %13, ptr %14, align 4
  %15 = load i32, ptr @EXCHANGES, align 4
  %16 = load i32, ptr @TAKES_STEPS, align 4
  %17 = select i1 %12, i32 %15, i32 %16
  %18 = icmp eq i32 %17, 0
  %19 = icmp eq ptr %2, null
  %or.cond = select i1 %18, i1 true, i1 %19
  br i1 %or.cond, label %22, label %20

20:                                               ; preds = %10
  %21 = call i32 @strcmp(ptr nonnull dereferenceable(1) %2, ptr nonnull dereferenceable(1) @identity)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %25, label %22

22:                                               ; preds = %20, %10
  %23 = load i32, ptr %14, align 4
  %.not22 = icmp eq i32 %23, 0
  %24 = select i1 %.not22, ptr @.str.4, ptr @.str.3
  %.not23 = icmp eq i32 %17, 0
  %.str.5. = select i1 %.not23, ptr %24, ptr @.str.5
  call void @say(ptr nonnull %8, i32 3, ptr nonnull %.str.5.)
  call void @disown(ptr nonnull %8)
  br label %27

25:                                               ; preds = %20
  %26 = call i32 @hear(ptr nonnull %8, i32 %6, i64 0, ptr null)
  br label %27

27:                                               ; preds = %22, %25, %7
  %.0 = phi ptr [ null, %7 ], [ null, %22 ], [ %8, %25 ]
  ret ptr %.0
}

define internal ptr @make(ptr %0) {
  %2 = call ptr @calloc(i64 1, i64 56)
  %3 = icmp eq ptr %2, null
  br i1 %3, label %21, label %4

4:                                                ; preds = %1
  %5 = icmp eq ptr %0, null
  br i1 %5, label %9, label %6

6:                                                ; preds = %4
  %7 = call i64 @strlen(ptr nonnull dereferenceable(1) %0)
  %8 = add i64 %7, 1
  br label %9

9:                                                ; preds = %4, %6
  %10 = phi i64 [ %8, %6 ], [ 1, %4 ]
  %11 = call ptr @calloc(i64 1, i64 %10)
  %12 = getelementptr inbounds nuw i8, ptr %2, i64 24
  store ptr %11, ptr %12, align 8
  %13 = call ptr @create()
  store ptr %13, ptr %2, align 8
  %14 = load ptr, ptr %12, align 8
  %15 = icmp eq ptr %14, null
  %16 = icmp eq ptr %13, null
  %or.cond = select i1 %15, i1 true, i1 %16
  br i1 %or.cond, label %17, label %18

17:                                               ; preds = %9
  call void @disown(ptr nonnull %2)
  br label %21

18:                                               ; preds = %9
  %.not = icmp eq ptr %0, null
  br i1 %.not, label %21, label %19

19:                                               ; preds = %18
  %20 = call ptr @strcpy(ptr nonnull dereferenceable(1) %14, ptr nonnull dereferenceable(1) %0)
  br label %21

21:                                               ; preds = %18, %19, %1, %17
  %.0 = phi ptr [ null, %1 ], [ null, %17 ], [ %2, %19 ], [ %2, %18 ]
  ret ptr %.0
}

declare i32 @strcmp(ptr noundef, ptr noundef)

define internal void @say(ptr %0, i32 %1, ptr %2) {
  call void @tell_log(ptr %0, i32 %1, ptr nonnull @.str.29, ptr %2)
  ret void
}

define internal void @disown(ptr %0) {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %7, label %3

3:                                                ; preds = %1
  %4 = load ptr, ptr %0, align 8
  call void @discard(ptr %4)
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %6 = load ptr, ptr %5, align 8
  call void @free(ptr %6)
  call void @free(ptr nonnull %0)
  br label %7

7:                                                ; preds = %1, %3
  ret void
}

define void @fmi2FreeInstance(ptr %0) {
  call void @disown(ptr %0)
  ret void
}

define i32 @fmi2SetupExperiment(ptr %0, i32 %1, double %2, double %3, i32 %4, double %5) {
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %8 = load i32, ptr %7, align 4
  %.not = icmp eq i32 %8, 0
  br i1 %.not, label %11, label %9

9:                                                ; preds = %6
  %10 = call i32 @refuse(ptr %0, ptr nonnull @.str.6)
  br label %20

11:                                               ; preds = %6
  %12 = load ptr, ptr %0, align 8
  %13 = load i32, ptr @TIME, align 4
  %14 = call double @number(ptr %12, i32 %13)
  %15 = fcmp une double %3, %14
  br i1 %15, label %16, label %18

16:                                               ; preds = %11
  %17 = call i32 @refuse(ptr nonnull %0, ptr nonnull @.str.7)
  br label %20

18:                                               ; preds = %11
  %.not11 = icmp eq i32 %1, 0
  br i1 %.not11, label %20, label %19

19:                                               ; preds = %18
  call void @tolerate(ptr nonnull %0, double %2)
  br label %20

20:                                               ; preds = %18, %19, %16, %9
  %.0 = phi i32 [ %10, %9 ], [ %17, %16 ], [ 0, %19 ], [ 0, %18 ]
  ret i32 %.0
}

define internal double @number(ptr %0, i32 %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = sext i32 %1 to i64
  %5 = getelementptr inbounds double, ptr %3, i64 %4
  %6 = load double, ptr %5, align 8
  ret double %6
}

define internal void @tolerate(ptr %0, double %1) {
  %3 = fcmp ogt double %1, 0.000000e+00
  br i1 %3, label %4, label %55

4:                                                ; preds = %2
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %6 = load i32, ptr %5, align 4
  %.not = icmp eq i32 %6, 0
  br i1 %.not, label %15, label %7

7:                                                ; preds = %4
  %8 = fmul double %1, 1.000000e+03
  %9 = load ptr, ptr %0, align 8
  %10 = load i32, ptr @CONTROL, align 4
  %11 = call ptr @numbers(ptr %9, i32 %10)
  %12 = load i32, ptr @CONTROL_TOLERANCE, align 4
  %13 = sext i32 %12 to i64
  %14 = getelementptr inbounds double, ptr %11, i64 %13
  store double %8, ptr %14, align 8
  br label %15

15:                                               ; preds = %7, %4
  %16 = load i32, ptr @CONTROLS_ERROR, align 4
  %.not19 = icmp eq i32 %16, 0
  br i1 %.not19, label %55, label %17

17:                                               ; preds = %15
  %18 = load i32, ptr %5, align 4
  %.not20 = icmp eq i32 %18, 0
  br i1 %.not20, label %19, label %55

19:                                               ; preds = %17
  %20 = load ptr, ptr %0, align 8
  %21 = load ptr, ptr %20, align 8
  %22 = load i32, ptr @PHASE, align 4
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds i64, ptr %21, i64 %23
  %25 = load i64, ptr %24, align 8
  %26 = load i32, ptr @stride_RELATIVE, align 4
  %27 = sext i32 %26 to i64
  %28 = mul nsw i64 %25, %27
  %29 = getelementptr inbounds i32, ptr @of_RELATIVE, i64 %28
  %30 = load i32, ptr %29, align 4
  %31 = call ptr @numbers(ptr nonnull %20, i32 %30)
  %32 = load ptr, ptr %20, align 8
  %33 = getelementptr inbounds i64, ptr %32, i64 %23
  %34 = load i64, ptr %33, align 8
  %35 = load i32, ptr @stride_ABSOLUTE, align 4
  %36 = sext i32 %35 to i64
  %37 = mul nsw i64 %34, %36
  %38 = getelementptr inbounds i32, ptr @of_ABSOLUTE, i64 %37
  %39 = load i32, ptr %38, align 4
  %40 = call ptr @numbers(ptr nonnull %20, i32 %39)
  %41 = fcmp olt double %1, 1.000000e-13
  %. = select i1 %41, double 1.000000e-13, double %1
  %42 = load double, ptr %31, align 8
  %43 = fdiv double %., %42
  %44 = load double, ptr %40, align 8
  %45 = fmul double %44, %43
  store double %45, ptr %40, align 8
  %46 = load ptr, ptr %20, align 8
  %47 = getelementptr inbounds i64, ptr %46, i64 %23
  %48 = load i64, ptr %47, align 8
  %49 = load i32, ptr @stride_OF_A_STEP, align 4
  %50 = sext i32 %49 to i64
  %51 = mul nsw i64 %48, %50
  %52 = getelementptr inbounds i32, ptr @of_OF_A_STEP, i64 %51
  %53 = load i32, ptr %52, align 4
  %54 = call ptr @numbers(ptr nonnull %20, i32 %53)
  store double %., ptr %54, align 8
  store double %., ptr %31, align 8
  br label %55

55:                                               ; preds = %2, %19, %17, %15
  ret void
}

define i32 @fmi2EnterInitializationMode(ptr %0) {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %3 = load i32, ptr %2, align 4
  %.not = icmp eq i32 %3, 0
  br i1 %.not, label %6, label %4

4:                                                ; preds = %1
  %5 = call i32 @refuse(ptr %0, ptr nonnull @.str.8)
  br label %7

6:                                                ; preds = %1
  store i32 1, ptr %2, align 4
  br label %7

7:                                                ; preds = %6, %4
  %.0 = phi i32 [ %5, %4 ], [ 0, %6 ]
  ret i32 %.0
}

define i32 @fmi2ExitInitializationMode(ptr %0) {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %3 = load i32, ptr %2, align 4
  %.not = icmp eq i32 %3, 1
  br i1 %.not, label %6, label %4

4:                                                ; preds = %1
  %5 = call i32 @refuse(ptr %0, ptr nonnull @.str.9)
  br label %15

6:                                                ; preds = %1
  %7 = load ptr, ptr %0, align 8
  %8 = call i32 @tell(ptr %7)
  %.not8 = icmp eq i32 %8, 0
  br i1 %.not8, label %13, label %9

9:                                                ; preds = %6
  %10 = load ptr, ptr %0, align 8
  %11 = getelementptr inbounds nuw i8, ptr %10, i64 24
  %12 = call i32 @refuse(ptr nonnull %0, ptr nonnull %11)
  br label %15

13:                                               ; preds = %6
  %14 = call i32 @first_phase(ptr nonnull %0)
  store i32 %14, ptr %2, align 4
  br label %15

15:                                               ; preds = %13, %9, %4
  %.0 = phi i32 [ %5, %4 ], [ %12, %9 ], [ 0, %13 ]
  ret i32 %.0
}

define internal i32 @tell(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @TURNED, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i64, ptr %2, i64 %4
  %6 = load i64, ptr %5, align 8
  %.not = icmp eq i64 %6, 0
  br i1 %.not, label %9, label %7

7:                                                ; preds = %1
  %8 = call i32 @turn(ptr nonnull %0)
  %.not13 = icmp eq i32 %8, 0
  br i1 %.not13, label %9, label %40

9:                                                ; preds = %7, %1
  %10 = load ptr, ptr %0, align 8
  %11 = load i32, ptr @FRESH_OUTPUTS, align 4
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds i64, ptr %10, i64 %12
  %14 = load i64, ptr %13, align 8
  %.not14 = icmp eq i64 %14, 0
  br i1 %.not14, label %15, label %40

15:                                               ; preds = %9
  call void @spread(ptr nonnull %0)
  %16 = load ptr, ptr %0, align 8
  call void @call_outputs(ptr %16)
  br label %17

17:                                               ; preds = %21, %15
  %.0 = phi i64 [ 0, %15 ], [ %36, %21 ]
  %18 = load i32, ptr @count_of_counted, align 4
  %19 = sext i32 %18 to i64
  %20 = icmp ult i64 %.0, %19
  br i1 %20, label %21, label %37

21:                                               ; preds = %17
  %22 = load ptr, ptr %0, align 8
  %23 = load i32, ptr @COUNTS, align 4
  %24 = getelementptr inbounds nuw %struct.anon.2, ptr @counted, i64 %.0
  %25 = getelementptr inbounds nuw i8, ptr %24, i64 4
  %26 = load i32, ptr %25, align 4
  %27 = add nsw i32 %23, %26
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds i64, ptr %22, i64 %28
  %30 = load i64, ptr %29, align 8
  %31 = sitofp i64 %30 to double
  %32 = load i32, ptr @OUTPUT, align 4
  %33 = load i32, ptr %24, align 4
  %34 = add nsw i32 %32, %33
  %35 = call ptr @numbers(ptr nonnull %0, i32 %34)
  store double %31, ptr %35, align 8
  %36 = add i64 %.0, 1
  br label %17

37:                                               ; preds = %17
  %38 = load ptr, ptr %0, align 8
  %39 = getelementptr inbounds i64, ptr %38, i64 %12
  store i64 1, ptr %39, align 8
  br label %40

40:                                               ; preds = %9, %37, %7
  %.012 = phi i32 [ -1, %7 ], [ 0, %37 ], [ 0, %9 ]
  ret i32 %.012
}

define internal i32 @first_phase(ptr %0) {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %3 = load i32, ptr %2, align 4
  %.not = icmp eq i32 %3, 0
  br i1 %.not, label %4, label %8

4:                                                ; preds = %1
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %6 = load i32, ptr %5, align 4
  %.not2 = icmp eq i32 %6, 0
  %7 = select i1 %.not2, i32 2, i32 3
  br label %8

8:                                                ; preds = %4, %1
  %9 = phi i32 [ 3, %1 ], [ %7, %4 ]
  ret i32 %9
}

define i32 @fmi2Terminate(ptr %0) {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store i32 5, ptr %2, align 4
  ret i32 0
}

define i32 @fmi2Reset(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  call void @begin(ptr %2)
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store i32 0, ptr %3, align 4
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 52
  store i32 0, ptr %4, align 4
  ret i32 0
}

define internal void @begin(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @ARRAYS, align 4
  %4 = sext i32 %3 to i64
  %5 = shl nsw i64 %4, 3
  call void @llvm.memset.p0.i64(ptr align 1 %2, i8 0, i64 %5, i1 false)
  call void @put_image(ptr nonnull %0, i32 0)
  call void @put_image(ptr nonnull %0, i32 1)
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store i8 0, ptr %6, align 1
  ret void
}

define i32 @fmi2GetReal(ptr %0, ptr %1, i64 %2, ptr %3) {
  br label %5

5:                                                ; preds = %15, %4
  %.015 = phi i64 [ 0, %4 ], [ %16, %15 ]
  %.0 = phi i32 [ undef, %4 ], [ %.2, %15 ]
  %6 = icmp ult i64 %.015, %2
  br i1 %6, label %7, label %17

7:                                                ; preds = %5
  %8 = getelementptr inbounds nuw i32, ptr %1, i64 %.015
  %9 = load i32, ptr %8, align 4
  %10 = getelementptr inbounds nuw double, ptr %3, i64 %.015
  %11 = call ptr @look_up(ptr %0, i32 %9, ptr %10)
  %.not = icmp eq ptr %11, null
  br i1 %.not, label %14, label %12

12:                                               ; preds = %7
  %13 = call i32 @refuse(ptr %0, ptr nonnull %11)
  br label %14

14:                                               ; preds = %7, %12
  %.114 = phi i32 [ 0, %7 ], [ 1, %12 ]
  %.2 = phi i32 [ %.0, %7 ], [ %13, %12 ]
  br i1 %.not, label %15, label %17

15:                                               ; preds = %14
  %16 = add i64 %.015, 1
  br label %5

17:                                               ; preds = %5, %14
  %.013 = phi i32 [ %.114, %14 ], [ 2, %5 ]
  %.1 = phi i32 [ %.2, %14 ], [ %.0, %5 ]
  switch i32 %.013, label %20 [
    i32 2, label %18
    i32 1, label %19
  ]

18:                                               ; preds = %17
  br label %19

19:                                               ; preds = %18, %17
  %.3 = phi i32 [ 0, %18 ], [ %.1, %17 ]
  ret i32 %.3

20:                                               ; preds = %17
  unreachable
}

define internal ptr @look_up(ptr %0, i32 %1, ptr %2) {
  %4 = load i32, ptr @EXCHANGES, align 4
  %.not = icmp eq i32 %4, 0
  br i1 %.not, label %33, label %5

5:                                                ; preds = %3
  %6 = load i32, ptr @INPUTS, align 4
  %7 = load i32, ptr @OUTPUTS, align 4
  %8 = add nsw i32 %6, %7
  %9 = load i32, ptr @LOCALS, align 4
  %10 = add nsw i32 %8, %9
  %11 = icmp ugt i32 %1, %10
  br i1 %11, label %12, label %33

12:                                               ; preds = %5
  %13 = load i32, ptr @EVENT_COUNT, align 4
  %14 = add nsw i32 %10, %13
  %.not30 = icmp ugt i32 %1, %14
  br i1 %.not30, label %33, label %15

15:                                               ; preds = %12
  %16 = zext i32 %13 to i64
  %17 = call ptr @llvm.stacksave.p0()
  %18 = alloca double, i64 %16, align 8
  %19 = load ptr, ptr %0, align 8
  %20 = call i32 @indicate(ptr %19, ptr nonnull %18)
  %.not35 = icmp eq i32 %20, 0
  br i1 %.not35, label %24, label %21

21:                                               ; preds = %15
  %22 = load ptr, ptr %0, align 8
  %23 = getelementptr inbounds nuw i8, ptr %22, i64 24
  br label %32

24:                                               ; preds = %15
  %25 = add i32 %6, %7
  %26 = add i32 %25, %9
  %27 = xor i32 %26, -1
  %28 = add i32 %1, %27
  %29 = zext i32 %28 to i64
  %30 = getelementptr inbounds nuw double, ptr %18, i64 %29
  %31 = load double, ptr %30, align 8
  store double %31, ptr %2, align 8
  br label %32

32:                                               ; preds = %24, %21
  %.0 = phi ptr [ %23, %21 ], [ null, %24 ]
  call void @llvm.stackrestore.p0(ptr %17)
  br label %83

33:                                               ; preds = %12, %5, %3
  %34 = load i32, ptr @INPUTS, align 4
  %35 = load i32, ptr @OUTPUTS, align 4
  %36 = add nsw i32 %34, %35
  %37 = icmp ugt i32 %1, %36
  br i1 %37, label %38, label %.critedge

38:                                               ; preds = %33
  %39 = load i32, ptr @LOCALS, align 4
  %40 = add nsw i32 %36, %39
  %.not31 = icmp ugt i32 %1, %40
  br i1 %.not31, label %59, label %41

41:                                               ; preds = %38
  %42 = add i32 %34, %35
  %43 = xor i32 %42, -1
  %44 = add i32 %1, %43
  %45 = zext i32 %44 to i64
  %46 = getelementptr inbounds nuw i8, ptr @local_rates, i64 %45
  %47 = load i8, ptr %46, align 1
  %.not33 = icmp eq i8 %47, 0
  br i1 %.not33, label %54, label %48

48:                                               ; preds = %41
  %49 = load ptr, ptr %0, align 8
  %50 = call i32 @find_rates(ptr %49)
  %.not34 = icmp eq i32 %50, 0
  br i1 %.not34, label %54, label %51

51:                                               ; preds = %48
  %52 = load ptr, ptr %0, align 8
  %53 = getelementptr inbounds nuw i8, ptr %52, i64 24
  br label %83

54:                                               ; preds = %48, %41
  %55 = load ptr, ptr %0, align 8
  %56 = getelementptr inbounds nuw i32, ptr @local_places, i64 %45
  %57 = load i32, ptr %56, align 4
  %58 = call double @number(ptr %55, i32 %57)
  store double %58, ptr %2, align 8
  br label %83

59:                                               ; preds = %38
  br i1 %37, label %83, label %.critedge

.critedge:                                        ; preds = %33, %59
  %60 = icmp ult i32 %1, %34
  br i1 %60, label %61, label %65

61:                                               ; preds = %.critedge
  %62 = load ptr, ptr %0, align 8
  %63 = call ptr @input_of(ptr %62, i32 %1)
  %64 = load double, ptr %63, align 8
  store double %64, ptr %2, align 8
  br label %83

65:                                               ; preds = %.critedge
  %66 = icmp eq i32 %1, %36
  br i1 %66, label %67, label %71

67:                                               ; preds = %65
  %68 = load ptr, ptr %0, align 8
  %69 = load i32, ptr @TIME, align 4
  %70 = call double @number(ptr %68, i32 %69)
  store double %70, ptr %2, align 8
  br label %83

71:                                               ; preds = %65
  %72 = load ptr, ptr %0, align 8
  %73 = call i32 @tell(ptr %72)
  %.not32 = icmp eq i32 %73, 0
  br i1 %.not32, label %77, label %74

74:                                               ; preds = %71
  %75 = load ptr, ptr %0, align 8
  %76 = getelementptr inbounds nuw i8, ptr %75, i64 24
  br label %83

77:                                               ; preds = %71
  %78 = load ptr, ptr %0, align 8
  %79 = load i32, ptr @OUTPUT, align 4
  %80 = add nsw i32 %79, %1
  %81 = sub nsw i32 %80, %34
  %82 = call double @number(ptr %78, i32 %81)
  store double %82, ptr %2, align 8
  br label %83

83:                                               ; preds = %61, %77, %67, %59, %51, %54, %74, %32
  %.1 = phi ptr [ %.0, %32 ], [ %76, %74 ], [ null, %54 ], [ @.str.37, %59 ], [ %53, %51 ], [ null, %67 ], [ null, %77 ], [ null, %61 ]
  ret ptr %.1
}

define i32 @fmi2SetReal(ptr %0, ptr %1, i64 %2, ptr %3) {
  br label %5

5:                                                ; preds = %16, %4
  %.015 = phi i64 [ 0, %4 ], [ %17, %16 ]
  %.0 = phi i32 [ undef, %4 ], [ %.2, %16 ]
  %6 = icmp ult i64 %.015, %2
  br i1 %6, label %7, label %18

7:                                                ; preds = %5
  %8 = getelementptr inbounds nuw i32, ptr %1, i64 %.015
  %9 = load i32, ptr %8, align 4
  %10 = getelementptr inbounds nuw double, ptr %3, i64 %.015
  %11 = load double, ptr %10, align 8
  %12 = call ptr @put_in(ptr %0, i32 %9, double %11)
  %.not = icmp eq ptr %12, null
  br i1 %.not, label %15, label %13

13:                                               ; preds = %7
  %14 = call i32 @refuse(ptr %0, ptr nonnull %12)
  br label %15

15:                                               ; preds = %7, %13
  %.114 = phi i32 [ 0, %7 ], [ 1, %13 ]
  %.2 = phi i32 [ %.0, %7 ], [ %14, %13 ]
  br i1 %.not, label %16, label %18

16:                                               ; preds = %15
  %17 = add i64 %.015, 1
  br label %5

18:                                               ; preds = %5, %15
  %.013 = phi i32 [ %.114, %15 ], [ 2, %5 ]
  %.1 = phi i32 [ %.2, %15 ], [ %.0, %5 ]
  switch i32 %.013, label %21 [
    i32 2, label %19
    i32 1, label %20
  ]

19:                                               ; preds = %18
  br label %20

20:                                               ; preds = %19, %18
  %.3 = phi i32 [ 0, %19 ], [ %.1, %18 ]
  ret i32 %.3

21:                                               ; preds = %18
  unreachable
}

define internal ptr @put_in(ptr %0, i32 %1, double %2) {
  %4 = load i32, ptr @INPUTS, align 4
  %.not = icmp ult i32 %1, %4
  br i1 %.not, label %5, label %11

5:                                                ; preds = %3
  %6 = load ptr, ptr %0, align 8
  %7 = call i32 @give(ptr %6, i32 %1, double %2)
  %.not6 = icmp eq i32 %7, 0
  br i1 %.not6, label %11, label %8

8:                                                ; preds = %5
  %9 = load ptr, ptr %0, align 8
  %10 = getelementptr inbounds nuw i8, ptr %9, i64 24
  br label %11

11:                                               ; preds = %8, %5, %3
  %.0 = phi ptr [ @.str.38, %3 ], [ %10, %8 ], [ null, %5 ]
  ret ptr %.0
}

define i32 @fmi2GetInteger(ptr %0, ptr %1, i64 %2, ptr %3) {
  %5 = icmp eq i64 %2, 0
  br i1 %5, label %8, label %6

6:                                                ; preds = %4
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.10)
  br label %8

8:                                                ; preds = %4, %6
  %9 = phi i32 [ %7, %6 ], [ 0, %4 ]
  ret i32 %9
}

define i32 @fmi2SetInteger(ptr %0, ptr %1, i64 %2, ptr %3) {
  %5 = icmp eq i64 %2, 0
  br i1 %5, label %8, label %6

6:                                                ; preds = %4
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.10)
  br label %8

8:                                                ; preds = %4, %6
  %9 = phi i32 [ %7, %6 ], [ 0, %4 ]
  ret i32 %9
}

define i32 @fmi2GetBoolean(ptr %0, ptr %1, i64 %2, ptr %3) {
  %5 = icmp eq i64 %2, 0
  br i1 %5, label %8, label %6

6:                                                ; preds = %4
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.10)
  br label %8

8:                                                ; preds = %4, %6
  %9 = phi i32 [ %7, %6 ], [ 0, %4 ]
  ret i32 %9
}

define i32 @fmi2SetBoolean(ptr %0, ptr %1, i64 %2, ptr %3) {
  %5 = icmp eq i64 %2, 0
  br i1 %5, label %8, label %6

6:                                                ; preds = %4
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.10)
  br label %8

8:                                                ; preds = %4, %6
  %9 = phi i32 [ %7, %6 ], [ 0, %4 ]
  ret i32 %9
}

define i32 @fmi2GetString(ptr %0, ptr %1, i64 %2, ptr %3) {
  %5 = icmp eq i64 %2, 0
  br i1 %5, label %8, label %6

6:                                                ; preds = %4
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.10)
  br label %8

8:                                                ; preds = %4, %6
  %9 = phi i32 [ %7, %6 ], [ 0, %4 ]
  ret i32 %9
}

define i32 @fmi2SetString(ptr %0, ptr %1, i64 %2, ptr %3) {
  %5 = icmp eq i64 %2, 0
  br i1 %5, label %8, label %6

6:                                                ; preds = %4
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.10)
  br label %8

8:                                                ; preds = %4, %6
  %9 = phi i32 [ %7, %6 ], [ 0, %4 ]
  ret i32 %9
}

define i32 @fmi2GetFMUstate(ptr %0, ptr %1) {
  %3 = load ptr, ptr %1, align 8
  %4 = call ptr @capture(ptr %0, ptr %3)
  %5 = icmp eq ptr %4, null
  br i1 %5, label %6, label %8

6:                                                ; preds = %2
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.11)
  br label %9

8:                                                ; preds = %2
  store ptr %4, ptr %1, align 8
  br label %9

9:                                                ; preds = %8, %6
  %.0 = phi i32 [ %7, %6 ], [ 0, %8 ]
  ret i32 %.0
}

define internal ptr @capture(ptr %0, ptr %1) {
  %3 = icmp eq ptr %1, null
  br i1 %3, label %4, label %7

4:                                                ; preds = %2
  %5 = call i64 @snapshot_size()
  %6 = call ptr @malloc(i64 %5)
  br label %7

7:                                                ; preds = %4, %2
  %.0 = phi ptr [ %6, %4 ], [ %1, %2 ]
  %8 = icmp eq ptr %.0, null
  br i1 %8, label %23, label %9

9:                                                ; preds = %7
  %10 = call i64 @snapshot_size()
  call void @llvm.memset.p0.i64(ptr nonnull align 1 %.0, i8 0, i64 %10, i1 false)
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %12 = load i32, ptr %11, align 4
  store i32 %12, ptr %.0, align 4
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 52
  %14 = load i32, ptr %13, align 4
  %15 = getelementptr inbounds nuw i8, ptr %.0, i64 4
  store i32 %14, ptr %15, align 4
  %16 = getelementptr inbounds nuw i8, ptr %.0, i64 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(33) %16, ptr noundef nonnull align 1 dereferenceable(33) @identity, i64 33, i1 false)
  %17 = getelementptr inbounds nuw i8, ptr %.0, i64 48
  %18 = load ptr, ptr %0, align 8
  %19 = load ptr, ptr %18, align 8
  %20 = load i32, ptr @ARRAYS, align 4
  %21 = sext i32 %20 to i64
  %22 = shl nsw i64 %21, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %17, ptr align 1 %19, i64 %22, i1 false)
  br label %23

23:                                               ; preds = %7, %9
  %.012 = phi ptr [ %.0, %9 ], [ null, %7 ]
  ret ptr %.012
}

define i32 @fmi2SetFMUstate(ptr %0, ptr %1) {
  %3 = icmp eq ptr %1, null
  br i1 %3, label %4, label %6

4:                                                ; preds = %2
  %5 = call i32 @refuse(ptr %0, ptr nonnull @.str.12)
  br label %7

6:                                                ; preds = %2
  call void @put(ptr %0, ptr nonnull %1)
  br label %7

7:                                                ; preds = %6, %4
  %.0 = phi i32 [ %5, %4 ], [ 0, %6 ]
  ret i32 %.0
}

define internal void @put(ptr %0, ptr %1) {
  %3 = load i32, ptr %1, align 4
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store i32 %3, ptr %4, align 4
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 4
  %6 = load i32, ptr %5, align 4
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 52
  store i32 %6, ptr %7, align 4
  %8 = load ptr, ptr %0, align 8
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %11 = load i32, ptr @ARRAYS, align 4
  %12 = sext i32 %11 to i64
  %13 = shl nsw i64 %12, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %9, ptr nonnull align 1 %10, i64 %13, i1 false)
  ret void
}

define i32 @fmi2FreeFMUstate(ptr %0, ptr %1) {
  %.not = icmp eq ptr %1, null
  br i1 %.not, label %5, label %3

3:                                                ; preds = %2
  %4 = load ptr, ptr %1, align 8
  call void @free(ptr %4)
  store ptr null, ptr %1, align 8
  br label %5

5:                                                ; preds = %3, %2
  ret i32 0
}

declare void @free(ptr noundef)

define i32 @fmi2SerializedFMUstateSize(ptr %0, ptr %1, ptr %2) {
  %4 = call i64 @snapshot_size()
  store i64 %4, ptr %2, align 8
  ret i32 0
}

define internal i64 @snapshot_size() {
  %1 = load i32, ptr @ARRAYS, align 4
  %2 = sext i32 %1 to i64
  %3 = shl nsw i64 %2, 3
  %4 = add nsw i64 %3, 48
  ret i64 %4
}

define i32 @fmi2SerializeFMUstate(ptr %0, ptr %1, ptr %2, i64 %3) {
  %5 = icmp eq ptr %1, null
  br i1 %5, label %9, label %6

6:                                                ; preds = %4
  %7 = call i64 @snapshot_size()
  %8 = icmp ult i64 %3, %7
  br i1 %8, label %9, label %11

9:                                                ; preds = %6, %4
  %10 = call i32 @refuse(ptr %0, ptr nonnull @.str.13)
  br label %13

11:                                               ; preds = %6
  %12 = call i64 @snapshot_size()
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %2, ptr nonnull align 1 %1, i64 %12, i1 false)
  br label %13

13:                                               ; preds = %11, %9
  %.0 = phi i32 [ %10, %9 ], [ 0, %11 ]
  ret i32 %.0
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

define i32 @fmi2DeSerializeFMUstate(ptr %0, ptr %1, i64 %2, ptr %3) {
  %5 = load ptr, ptr %3, align 8
  %6 = call ptr @revive(ptr %1, i64 %2, ptr %5)
  %7 = icmp eq ptr %6, null
  br i1 %7, label %8, label %10

8:                                                ; preds = %4
  %9 = call i32 @refuse(ptr %0, ptr nonnull @.str.14)
  br label %11

10:                                               ; preds = %4
  store ptr %6, ptr %3, align 8
  br label %11

11:                                               ; preds = %10, %8
  %.0 = phi i32 [ %9, %8 ], [ 0, %10 ]
  ret i32 %.0
}

define internal ptr @revive(ptr %0, i64 %1, ptr %2) {
  %4 = call i64 @snapshot_size()
  %.not = icmp eq i64 %1, %4
  br i1 %.not, label %5, label %14

5:                                                ; preds = %3
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %7 = call i32 @memcmp(ptr nonnull dereferenceable(33) %6, ptr nonnull dereferenceable(33) @identity, i64 33)
  %.not12 = icmp eq i32 %7, 0
  br i1 %.not12, label %8, label %14

8:                                                ; preds = %5
  %9 = icmp eq ptr %2, null
  br i1 %9, label %10, label %12

10:                                               ; preds = %8
  %11 = call ptr @malloc(i64 %1)
  br label %12

12:                                               ; preds = %10, %8
  %.0 = phi ptr [ %11, %10 ], [ %2, %8 ]
  %.not13 = icmp eq ptr %.0, null
  br i1 %.not13, label %14, label %13

13:                                               ; preds = %12
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %.0, ptr align 1 %0, i64 %1, i1 false)
  br label %14

14:                                               ; preds = %12, %13, %3, %5
  %.09 = phi ptr [ null, %3 ], [ null, %5 ], [ %.0, %13 ], [ null, %12 ]
  ret ptr %.09
}

define i32 @fmi2DoStep(ptr %0, double %1, double %2, i32 %3) {
  %5 = load i32, ptr @TAKES_STEPS, align 4
  %.not = icmp eq i32 %5, 0
  br i1 %.not, label %6, label %8

6:                                                ; preds = %4
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.4)
  br label %34

8:                                                ; preds = %4
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %10 = load i32, ptr %9, align 4
  %.not16 = icmp eq i32 %10, 2
  br i1 %.not16, label %13, label %11

11:                                               ; preds = %8
  %12 = call i32 @refuse(ptr %0, ptr nonnull @.str.15)
  br label %34

13:                                               ; preds = %8
  %14 = call i32 @is_at(ptr %0, double %1)
  %.not17 = icmp eq i32 %14, 0
  br i1 %.not17, label %15, label %17

15:                                               ; preds = %13
  %16 = call i32 @refuse(ptr %0, ptr nonnull @.str.16)
  br label %34

17:                                               ; preds = %13
  %18 = load ptr, ptr %0, align 8
  %19 = call i32 @advance(ptr %18, double %2, i32 0)
  %.not18 = icmp eq i32 %19, 0
  br i1 %.not18, label %20, label %24

20:                                               ; preds = %17
  %21 = load ptr, ptr %0, align 8
  %22 = call i32 @has_ended(ptr %21)
  %23 = icmp ne i32 %22, 0
  br label %24

24:                                               ; preds = %20, %17
  %25 = phi i1 [ true, %17 ], [ %23, %20 ]
  %26 = zext i1 %25 to i32
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 52
  store i32 %26, ptr %27, align 4
  br i1 %25, label %28, label %31

28:                                               ; preds = %24
  %29 = load ptr, ptr %0, align 8
  %30 = getelementptr inbounds nuw i8, ptr %29, i64 24
  call void @say(ptr nonnull %0, i32 2, ptr nonnull %30)
  br label %31

31:                                               ; preds = %28, %24
  %32 = load i32, ptr %27, align 4
  %.not19 = icmp eq i32 %32, 0
  %33 = select i1 %.not19, i32 0, i32 2
  br label %34

34:                                               ; preds = %31, %15, %11, %6
  %.0 = phi i32 [ %12, %11 ], [ %33, %31 ], [ %16, %15 ], [ %7, %6 ]
  ret i32 %.0
}

define internal i32 @is_at(ptr %0, double %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @TIME, align 4
  %5 = call double @number(ptr %3, i32 %4)
  %6 = fsub double %1, %5
  %7 = call double @llvm.fabs.f64(double %6)
  %8 = call double @llvm.fabs.f64(double %5)
  %9 = call double @llvm.maxnum.f64(double %8, double 1.000000e+00)
  %10 = fmul double %9, 1.000000e-09
  %11 = fcmp ole double %7, %10
  %12 = zext i1 %11 to i32
  ret i32 %12
}

define internal i32 @advance(ptr %0, double %1, i32 %2) {
  %4 = load i32, ptr @CONTROL, align 4
  %5 = call ptr @numbers(ptr %0, i32 %4)
  %6 = load i32, ptr @WAY, align 4
  %7 = call ptr @numbers(ptr %0, i32 %6)
  %8 = load ptr, ptr %0, align 8
  %9 = load i32, ptr @PHASE, align 4
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds i64, ptr %8, i64 %10
  %12 = load i64, ptr %11, align 8
  %13 = load i32, ptr @stride_CLOCK, align 4
  %14 = sext i32 %13 to i64
  %15 = mul nsw i64 %12, %14
  %16 = getelementptr inbounds i32, ptr @of_CLOCK, i64 %15
  %17 = load i32, ptr %16, align 4
  %18 = call ptr @numbers(ptr nonnull %0, i32 %17)
  %19 = fcmp ule double %1, 0.000000e+00
  %20 = fcmp ueq double %1, 0x7FF0000000000000
  %or.cond = or i1 %19, %20
  br i1 %or.cond, label %21, label %23

21:                                               ; preds = %3
  %22 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.41, ptr nonnull @.str.33)
  br label %133

23:                                               ; preds = %3
  %24 = load i32, ptr @REMEMBERS, align 4
  %.not = icmp eq i32 %24, 0
  br i1 %.not, label %27, label %25

25:                                               ; preds = %23
  %26 = call i32 @tell(ptr nonnull %0)
  %.not45 = icmp eq i32 %26, 0
  br i1 %.not45, label %27, label %133

27:                                               ; preds = %25, %23
  %28 = load ptr, ptr %0, align 8
  %29 = load i32, ptr @TURNED, align 4
  %30 = sext i32 %29 to i64
  %31 = getelementptr inbounds i64, ptr %28, i64 %30
  %32 = load i64, ptr %31, align 8
  %.not46 = icmp eq i64 %32, 0
  br i1 %.not46, label %35, label %33

33:                                               ; preds = %27
  %34 = call i32 @turn(ptr nonnull %0)
  %.not47 = icmp eq i32 %34, 0
  br i1 %.not47, label %35, label %133

35:                                               ; preds = %33, %27
  %36 = load i32, ptr @CONTROL_H, align 4
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds double, ptr %5, i64 %37
  %39 = load double, ptr %38, align 8
  %40 = fcmp oeq double %1, %39
  br i1 %40, label %41, label %48

41:                                               ; preds = %35
  %42 = load ptr, ptr %0, align 8
  %43 = load i32, ptr @COUNT, align 4
  %44 = sext i32 %43 to i64
  %45 = getelementptr inbounds i64, ptr %42, i64 %44
  %46 = load i64, ptr %45, align 8
  %47 = add nsw i64 %46, 1
  store i64 %47, ptr %45, align 8
  br label %60

48:                                               ; preds = %35
  store double %1, ptr %38, align 8
  %49 = load i32, ptr @CONTROL_TIME, align 4
  %50 = sext i32 %49 to i64
  %51 = getelementptr inbounds double, ptr %5, i64 %50
  %52 = load double, ptr %51, align 8
  %53 = load i32, ptr @CONTROL_ANCHOR, align 4
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds double, ptr %5, i64 %54
  store double %52, ptr %55, align 8
  %56 = load ptr, ptr %0, align 8
  %57 = load i32, ptr @COUNT, align 4
  %58 = sext i32 %57 to i64
  %59 = getelementptr inbounds i64, ptr %56, i64 %58
  store i64 1, ptr %59, align 8
  br label %60

60:                                               ; preds = %48, %41
  %61 = load i32, ptr @EVENT_COUNT, align 4
  %.not48 = icmp eq i32 %61, 0
  br i1 %.not48, label %76, label %62

62:                                               ; preds = %60
  %63 = load i32, ptr @CONTROL_ANCHOR, align 4
  %64 = sext i32 %63 to i64
  %65 = getelementptr inbounds double, ptr %5, i64 %64
  %66 = load double, ptr %65, align 8
  %67 = load ptr, ptr %0, align 8
  %68 = load i32, ptr @COUNT, align 4
  %69 = sext i32 %68 to i64
  %70 = getelementptr inbounds i64, ptr %67, i64 %69
  %71 = load i64, ptr %70, align 8
  %72 = sitofp i64 %71 to double
  %73 = fmul double %1, %72
  %74 = fadd double %66, %73
  %75 = call i32 @go_on_to(ptr nonnull %0, double %74, i32 %2)
  br label %133

76:                                               ; preds = %60
  %77 = load i32, ptr @CONTROL_TIME, align 4
  %78 = sext i32 %77 to i64
  %79 = getelementptr inbounds double, ptr %5, i64 %78
  %80 = load double, ptr %79, align 8
  store double %80, ptr %7, align 8
  %81 = load i32, ptr @CONTROL_ANCHOR, align 4
  %82 = sext i32 %81 to i64
  %83 = getelementptr inbounds double, ptr %5, i64 %82
  %84 = load double, ptr %83, align 8
  %85 = load ptr, ptr %0, align 8
  %86 = load i32, ptr @COUNT, align 4
  %87 = sext i32 %86 to i64
  %88 = getelementptr inbounds i64, ptr %85, i64 %87
  %89 = load i64, ptr %88, align 8
  %90 = sitofp i64 %89 to double
  %91 = fmul double %1, %90
  %92 = fadd double %84, %91
  %93 = getelementptr inbounds nuw i8, ptr %7, i64 8
  store double %92, ptr %93, align 8
  %94 = load ptr, ptr %0, align 8
  %95 = getelementptr inbounds i64, ptr %94, i64 %10
  %96 = load i64, ptr %95, align 8
  %97 = load i32, ptr @stride_CLOCK_SIZE, align 4
  %98 = sext i32 %97 to i64
  %99 = mul nsw i64 %96, %98
  %100 = getelementptr inbounds i32, ptr @of_CLOCK_SIZE, i64 %99
  %101 = load i32, ptr %100, align 4
  %102 = sext i32 %101 to i64
  %103 = shl nsw i64 %102, 3
  call void @llvm.memset.p0.i64(ptr align 1 %18, i8 0, i64 %103, i1 false)
  %104 = load double, ptr %7, align 8
  %105 = load i32, ptr @CLOCK_TIME, align 4
  %106 = sext i32 %105 to i64
  %107 = getelementptr inbounds double, ptr %18, i64 %106
  store double %104, ptr %107, align 8
  %108 = load ptr, ptr %0, align 8
  %109 = getelementptr inbounds i64, ptr %108, i64 %10
  %110 = load i64, ptr %109, align 8
  %111 = load i32, ptr @stride_STATUS, align 4
  %112 = sext i32 %111 to i64
  %113 = mul nsw i64 %110, %112
  %114 = getelementptr inbounds i32, ptr @of_STATUS, i64 %113
  %115 = load i32, ptr %114, align 4
  %116 = load i32, ptr @STATUS_PAUSE, align 4
  %117 = add nsw i32 %115, %116
  %118 = sext i32 %117 to i64
  %119 = getelementptr inbounds i64, ptr %108, i64 %118
  store i64 9223372036854775807, ptr %119, align 8
  %120 = load ptr, ptr %0, align 8
  %121 = load i32, ptr @FRESH_OUTPUTS, align 4
  %122 = sext i32 %121 to i64
  %123 = getelementptr inbounds i64, ptr %120, i64 %122
  store i64 0, ptr %123, align 8
  %124 = load ptr, ptr %0, align 8
  %125 = call i64 @call_march(ptr %124)
  %.not49 = icmp eq i64 %125, 1
  br i1 %.not49, label %129, label %126

126:                                              ; preds = %76
  %127 = load double, ptr %107, align 8
  store double %127, ptr %79, align 8
  store double 0.000000e+00, ptr %38, align 8
  %128 = call i32 @blame(ptr nonnull %0)
  br label %133

129:                                              ; preds = %76
  %130 = load double, ptr %93, align 8
  store double %130, ptr %79, align 8
  br i1 %.not, label %133, label %131

131:                                              ; preds = %129
  %132 = call i32 @tell(ptr nonnull %0)
  br label %133

133:                                              ; preds = %131, %129, %33, %25, %126, %62, %21
  %.0 = phi i32 [ %22, %21 ], [ -1, %25 ], [ %75, %62 ], [ %128, %126 ], [ -1, %33 ], [ %132, %131 ], [ 0, %129 ]
  ret i32 %.0
}

define internal i32 @has_ended(ptr %0) {
  %2 = call ptr @ended(ptr %0)
  %3 = icmp eq ptr %2, null
  br i1 %3, label %6, label %4

4:                                                ; preds = %1
  %5 = call i32 @fail(ptr %0, ptr nonnull @.str.62, ptr nonnull %2)
  br label %6

6:                                                ; preds = %1, %4
  %.0 = phi i32 [ 1, %4 ], [ 0, %1 ]
  ret i32 %.0
}

define i32 @fmi2CancelStep(ptr %0) {
  %2 = call i32 @refuse(ptr %0, ptr nonnull @.str.17)
  ret i32 %2
}

define i32 @fmi2GetStatus(ptr %0, i32 %1, ptr %2) {
  %.not = icmp eq i32 %1, 0
  br i1 %.not, label %4, label %8

4:                                                ; preds = %3
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 52
  %6 = load i32, ptr %5, align 4
  %.not4 = icmp eq i32 %6, 0
  %7 = select i1 %.not4, i32 0, i32 2
  store i32 %7, ptr %2, align 4
  br label %8

8:                                                ; preds = %3, %4
  %.0 = phi i32 [ 0, %4 ], [ 2, %3 ]
  ret i32 %.0
}

define i32 @fmi2GetRealStatus(ptr %0, i32 %1, ptr %2) {
  %.not = icmp eq i32 %1, 2
  br i1 %.not, label %4, label %8

4:                                                ; preds = %3
  %5 = load ptr, ptr %0, align 8
  %6 = load i32, ptr @TIME, align 4
  %7 = call double @number(ptr %5, i32 %6)
  store double %7, ptr %2, align 8
  br label %8

8:                                                ; preds = %3, %4
  %.0 = phi i32 [ 0, %4 ], [ 2, %3 ]
  ret i32 %.0
}

define i32 @fmi2GetIntegerStatus(ptr %0, i32 %1, ptr %2) {
  ret i32 2
}

define i32 @fmi2GetBooleanStatus(ptr %0, i32 %1, ptr %2) {
  %.not = icmp eq i32 %1, 3
  br i1 %.not, label %4, label %7

4:                                                ; preds = %3
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 52
  %6 = load i32, ptr %5, align 4
  store i32 %6, ptr %2, align 4
  br label %7

7:                                                ; preds = %3, %4
  %.0 = phi i32 [ 0, %4 ], [ 2, %3 ]
  ret i32 %.0
}

define i32 @fmi2GetStringStatus(ptr %0, i32 %1, ptr %2) {
  %.not = icmp eq i32 %1, 1
  br i1 %.not, label %4, label %7

4:                                                ; preds = %3
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 24
  store ptr %6, ptr %2, align 8
  br label %7

7:                                                ; preds = %3, %4
  %.0 = phi i32 [ 0, %4 ], [ 2, %3 ]
  ret i32 %.0
}

define i32 @fmi2GetDirectionalDerivative(ptr %0, ptr %1, i64 %2, ptr %3, i64 %4, ptr %5, ptr %6) {
  %8 = load i32, ptr @DIFFERENTIATES, align 4
  %.not = icmp eq i32 %8, 0
  br i1 %.not, label %9, label %11

9:                                                ; preds = %7
  %10 = call i32 @refuse(ptr %0, ptr nonnull @.str.18)
  br label %17

11:                                               ; preds = %7
  %12 = load ptr, ptr %0, align 8
  %13 = call ptr @differentiate(ptr %12, ptr %1, i64 %2, ptr %3, i64 %4, ptr %5, ptr %6)
  %14 = icmp eq ptr %13, null
  br i1 %14, label %17, label %15

15:                                               ; preds = %11
  %16 = call i32 @refuse(ptr nonnull %0, ptr nonnull %13)
  br label %17

17:                                               ; preds = %15, %11, %9
  %.0 = phi i32 [ %10, %9 ], [ %16, %15 ], [ 0, %11 ]
  ret i32 %.0
}

define internal ptr @differentiate(ptr %0, ptr %1, i64 %2, ptr %3, i64 %4, ptr %5, ptr %6) {
  %8 = alloca %struct.Direction, align 8
  %9 = call i32 @tell(ptr %0)
  %.not = icmp eq i32 %9, 0
  br i1 %.not, label %12, label %10

10:                                               ; preds = %7
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 24
  br label %281

12:                                               ; preds = %7
  %13 = load i32, ptr @COMERS, align 4
  %.not116 = icmp eq i32 %13, 0
  br i1 %.not116, label %16, label %14

14:                                               ; preds = %12
  %15 = call i32 @is_due(ptr %0)
  %.not117 = icmp eq i32 %15, 0
  br i1 %.not117, label %16, label %281

16:                                               ; preds = %14, %12
  call void @llvm.lifetime.start.p0(ptr nonnull %8)
  call void @lay_out(ptr %0, ptr nonnull %8)
  %17 = load ptr, ptr %0, align 8
  %18 = load i32, ptr @PHASE, align 4
  %19 = sext i32 %18 to i64
  %20 = getelementptr inbounds i64, ptr %17, i64 %19
  %21 = load i64, ptr %20, align 8
  %22 = load i32, ptr @stride_Q_D, align 4
  %23 = sext i32 %22 to i64
  %24 = mul nsw i64 %21, %23
  %25 = getelementptr inbounds i32, ptr @of_Q_D, i64 %24
  %26 = load i32, ptr %25, align 4
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds i64, ptr %17, i64 %27
  %29 = load i32, ptr @COORDINATES, align 4
  %30 = sext i32 %29 to i64
  %31 = shl nsw i64 %30, 3
  call void @llvm.memset.p0.i64(ptr align 1 %28, i8 0, i64 %31, i1 false)
  %32 = load ptr, ptr %0, align 8
  %33 = getelementptr inbounds i64, ptr %32, i64 %19
  %34 = load i64, ptr %33, align 8
  %35 = load i32, ptr @stride_V_D, align 4
  %36 = sext i32 %35 to i64
  %37 = mul nsw i64 %34, %36
  %38 = getelementptr inbounds i32, ptr @of_V_D, i64 %37
  %39 = load i32, ptr %38, align 4
  %40 = sext i32 %39 to i64
  %41 = getelementptr inbounds i64, ptr %32, i64 %40
  %42 = load i32, ptr @SPEEDS, align 4
  %43 = sext i32 %42 to i64
  %44 = shl nsw i64 %43, 3
  call void @llvm.memset.p0.i64(ptr align 1 %41, i8 0, i64 %44, i1 false)
  br label %45

45:                                               ; preds = %48, %16
  %.0106 = phi i32 [ 0, %16 ], [ %62, %48 ]
  %46 = load i32, ptr @INPUTS, align 4
  %47 = icmp slt i32 %.0106, %46
  br i1 %47, label %48, label %63

48:                                               ; preds = %45
  %49 = load ptr, ptr %0, align 8
  %50 = getelementptr inbounds i64, ptr %49, i64 %19
  %51 = load i64, ptr %50, align 8
  %52 = load i32, ptr @stride_PARAMETERS_D, align 4
  %53 = sext i32 %52 to i64
  %54 = mul nsw i64 %51, %53
  %55 = getelementptr inbounds i32, ptr @of_PARAMETERS_D, i64 %54
  %56 = load i32, ptr %55, align 4
  %57 = zext nneg i32 %.0106 to i64
  %58 = getelementptr inbounds nuw i32, ptr @input_places, i64 %57
  %59 = load i32, ptr %58, align 4
  %60 = add nsw i32 %56, %59
  %61 = call ptr @numbers(ptr nonnull %0, i32 %60)
  store double 0.000000e+00, ptr %61, align 8
  %62 = add nuw nsw i32 %.0106, 1
  br label %45

63:                                               ; preds = %45, %84
  %.0108 = phi i64 [ %85, %84 ], [ 0, %45 ]
  %.0104 = phi double [ %.1105, %84 ], [ 0.000000e+00, %45 ]
  %.not119 = icmp ult i64 %.0108, %4
  br i1 %.not119, label %64, label %.critedge

64:                                               ; preds = %63
  %65 = getelementptr inbounds nuw i32, ptr %3, i64 %.0108
  %66 = load i32, ptr %65, align 4
  %67 = getelementptr inbounds nuw double, ptr %5, i64 %.0108
  %68 = load double, ptr %67, align 8
  %69 = call i32 @seed_with(ptr nonnull %0, i32 %66, double %68)
  %.not118 = icmp eq i32 %69, 0
  br i1 %.not118, label %70, label %86

70:                                               ; preds = %64
  %71 = load i32, ptr @STATES, align 4
  %72 = load i32, ptr @STATE, align 4
  %73 = icmp eq i32 %71, %72
  br i1 %73, label %74, label %84

74:                                               ; preds = %70
  %75 = load i32, ptr %65, align 4
  %76 = sext i32 %71 to i64
  %77 = getelementptr i32, ptr @state_references, i64 %76
  %78 = getelementptr i8, ptr %77, i64 -4
  %79 = load i32, ptr %78, align 4
  %80 = icmp eq i32 %75, %79
  br i1 %80, label %81, label %84

81:                                               ; preds = %74
  %82 = load double, ptr %67, align 8
  %83 = fadd double %.0104, %82
  br label %84

84:                                               ; preds = %70, %74, %81
  %.1105 = phi double [ %83, %81 ], [ %.0104, %74 ], [ %.0104, %70 ]
  %85 = add i64 %.0108, 1
  br label %63

86:                                               ; preds = %64
  br i1 %.not119, label %280, label %.critedge

.critedge:                                        ; preds = %63, %86
  %87 = load ptr, ptr %0, align 8
  %88 = getelementptr inbounds i64, ptr %87, i64 %19
  %89 = load i64, ptr %88, align 8
  %90 = load i32, ptr @stride_MATRIX, align 4
  %91 = sext i32 %90 to i64
  %92 = mul nsw i64 %89, %91
  %93 = getelementptr inbounds i32, ptr @of_MATRIX, i64 %92
  %94 = load i32, ptr %93, align 4
  %95 = sext i32 %94 to i64
  %96 = getelementptr inbounds i64, ptr %87, i64 %95
  %97 = load i32, ptr @stride_ROWS, align 4
  %98 = sext i32 %97 to i64
  %99 = mul nsw i64 %89, %98
  %100 = getelementptr inbounds i32, ptr @of_ROWS, i64 %99
  %101 = load i32, ptr %100, align 4
  %102 = add nsw i32 %42, %101
  %103 = sext i32 %102 to i64
  %104 = shl nsw i64 %103, 3
  %105 = mul i64 %104, %103
  call void @llvm.memset.p0.i64(ptr align 1 %96, i8 0, i64 %105, i1 false)
  %106 = load ptr, ptr %0, align 8
  call void @call_matrix(ptr %106)
  call void @eliminate(ptr nonnull %0, ptr nonnull %8)
  %107 = load ptr, ptr %0, align 8
  call void @call_along(ptr %107)
  call void @solve(ptr nonnull %0, ptr nonnull %8)
  %108 = load ptr, ptr %0, align 8
  %109 = getelementptr inbounds i64, ptr %108, i64 %19
  %110 = load i64, ptr %109, align 8
  %111 = load i32, ptr @stride_RESIDUAL_D, align 4
  %112 = sext i32 %111 to i64
  %113 = mul nsw i64 %110, %112
  %114 = getelementptr inbounds i32, ptr @of_RESIDUAL_D, i64 %113
  %115 = load i32, ptr %114, align 4
  %116 = call ptr @numbers(ptr nonnull %0, i32 %115)
  %117 = load ptr, ptr %0, align 8
  %118 = getelementptr inbounds i64, ptr %117, i64 %19
  %119 = load i64, ptr %118, align 8
  %120 = load i32, ptr @stride_XI, align 4
  %121 = sext i32 %120 to i64
  %122 = mul nsw i64 %119, %121
  %123 = getelementptr inbounds i32, ptr @of_XI, i64 %122
  %124 = load i32, ptr %123, align 4
  %125 = call ptr @numbers(ptr nonnull %0, i32 %124)
  %126 = getelementptr inbounds nuw i8, ptr %8, i64 32
  %127 = load ptr, ptr %126, align 8
  %128 = load ptr, ptr %0, align 8
  %129 = getelementptr inbounds i64, ptr %128, i64 %19
  %130 = load i64, ptr %129, align 8
  %131 = mul nsw i64 %130, %23
  %132 = getelementptr inbounds i32, ptr @of_Q_D, i64 %131
  %133 = load i32, ptr %132, align 4
  %134 = sext i32 %133 to i64
  %135 = getelementptr inbounds i64, ptr %128, i64 %134
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %127, ptr align 1 %135, i64 %31, i1 false)
  %136 = load ptr, ptr %126, align 8
  %137 = getelementptr inbounds double, ptr %136, i64 %30
  %138 = load ptr, ptr %0, align 8
  %139 = getelementptr inbounds i64, ptr %138, i64 %19
  %140 = load i64, ptr %139, align 8
  %141 = mul nsw i64 %140, %36
  %142 = getelementptr inbounds i32, ptr @of_V_D, i64 %141
  %143 = load i32, ptr %142, align 4
  %144 = sext i32 %143 to i64
  %145 = getelementptr inbounds i64, ptr %138, i64 %144
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %137, ptr align 1 %145, i64 %44, i1 false)
  %146 = load ptr, ptr %126, align 8
  %147 = getelementptr inbounds double, ptr %146, i64 %30
  %148 = getelementptr inbounds double, ptr %147, i64 %43
  %149 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %150 = load ptr, ptr %149, align 8
  %151 = load ptr, ptr %0, align 8
  %152 = getelementptr inbounds i64, ptr %151, i64 %19
  %153 = load i64, ptr %152, align 8
  %154 = mul nsw i64 %153, %98
  %155 = getelementptr inbounds i32, ptr @of_ROWS, i64 %154
  %156 = load i32, ptr %155, align 4
  %157 = add nsw i32 %42, %156
  %158 = sext i32 %157 to i64
  %159 = shl nsw i64 %158, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %148, ptr align 1 %150, i64 %159, i1 false)
  %160 = load ptr, ptr %126, align 8
  %161 = load ptr, ptr %0, align 8
  %162 = getelementptr inbounds i64, ptr %161, i64 %19
  %163 = load i64, ptr %162, align 8
  %164 = load i32, ptr @stride_WIDTH, align 4
  %165 = sext i32 %164 to i64
  %166 = mul nsw i64 %163, %165
  %167 = getelementptr inbounds i32, ptr @of_WIDTH, i64 %166
  %168 = load i32, ptr %167, align 4
  %169 = sext i32 %168 to i64
  %170 = getelementptr double, ptr %160, i64 %169
  %171 = getelementptr i8, ptr %170, i64 -8
  store double %.0104, ptr %171, align 8
  call void @follow_outputs(ptr nonnull %0, ptr nonnull %8)
  br label %172

172:                                              ; preds = %278, %.critedge
  %.0107 = phi i64 [ 0, %.critedge ], [ %279, %278 ]
  %173 = icmp ult i64 %.0107, %2
  br i1 %173, label %174, label %280

174:                                              ; preds = %172
  %175 = getelementptr inbounds nuw i32, ptr %1, i64 %.0107
  %176 = load i32, ptr %175, align 4
  %.not120 = icmp ult i32 %176, %46
  br i1 %.not120, label %190, label %177

177:                                              ; preds = %174
  %178 = load i32, ptr @OUTPUTS, align 4
  %179 = add nsw i32 %46, %178
  %180 = icmp ult i32 %176, %179
  br i1 %180, label %181, label %190

181:                                              ; preds = %177
  %182 = getelementptr inbounds nuw i8, ptr %8, i64 48
  %183 = load ptr, ptr %182, align 8
  %184 = sub i32 %176, %46
  %185 = zext i32 %184 to i64
  %186 = getelementptr inbounds nuw double, ptr %183, i64 %185
  %187 = load double, ptr %186, align 8
  %188 = getelementptr inbounds nuw double, ptr %6, i64 %.0107
  store double %187, ptr %188, align 8
  %189 = fcmp uno double %187, 0.000000e+00
  br i1 %189, label %280, label %278

190:                                              ; preds = %177, %174
  %191 = load i32, ptr @OUTPUTS, align 4
  %192 = add nsw i32 %46, %191
  %193 = icmp ugt i32 %176, %192
  br i1 %193, label %194, label %280

194:                                              ; preds = %190
  %195 = load i32, ptr @LOCALS, align 4
  %196 = add nsw i32 %192, %195
  %.not121 = icmp ugt i32 %176, %196
  br i1 %.not121, label %280, label %197

197:                                              ; preds = %194
  %198 = add i32 %46, %191
  %199 = xor i32 %198, -1
  %200 = add i32 %176, %199
  %201 = sext i32 %200 to i64
  %202 = getelementptr inbounds i8, ptr @local_rates, i64 %201
  %203 = load i8, ptr %202, align 1
  %204 = getelementptr inbounds i32, ptr @local_places, i64 %201
  %205 = load i32, ptr %204, align 4
  %.not122 = icmp eq i8 %203, 0
  %206 = load i32, ptr @Z_DOT, align 4
  %207 = load i32, ptr @Z, align 4
  %208 = select i1 %.not122, i32 %207, i32 %206
  %209 = sub nsw i32 %205, %208
  %210 = load ptr, ptr %0, align 8
  %211 = getelementptr inbounds i64, ptr %210, i64 %19
  %212 = load i64, ptr %211, align 8
  %213 = mul nsw i64 %212, %98
  %214 = getelementptr inbounds i32, ptr @of_ROWS, i64 %213
  %215 = load i32, ptr %214, align 4
  %216 = add nsw i32 %42, %215
  %217 = add nsw i32 %216, %29
  %218 = sext i32 %217 to i64
  %219 = getelementptr inbounds double, ptr %116, i64 %218
  %220 = load double, ptr %219, align 8
  br label %221

221:                                              ; preds = %223, %197
  %.0102 = phi double [ %220, %197 ], [ %233, %223 ]
  %.0 = phi i32 [ 0, %197 ], [ %234, %223 ]
  %222 = icmp slt i32 %.0, %215
  br i1 %222, label %223, label %235

223:                                              ; preds = %221
  %224 = load ptr, ptr %149, align 8
  %225 = add nsw i32 %42, %.0
  %226 = sext i32 %225 to i64
  %227 = getelementptr inbounds double, ptr %224, i64 %226
  %228 = load double, ptr %227, align 8
  %229 = zext nneg i32 %.0 to i64
  %230 = getelementptr inbounds nuw double, ptr %125, i64 %229
  %231 = load double, ptr %230, align 8
  %232 = fmul double %228, %231
  %233 = fsub double %.0102, %232
  %234 = add nuw nsw i32 %.0, 1
  br label %221

235:                                              ; preds = %221
  br i1 %.not122, label %236, label %258

236:                                              ; preds = %235
  %237 = icmp slt i32 %209, %42
  br i1 %237, label %238, label %244

238:                                              ; preds = %236
  %239 = mul nsw i64 %212, %36
  %240 = getelementptr inbounds i32, ptr @of_V_D, i64 %239
  %241 = load i32, ptr %240, align 4
  %242 = add nsw i32 %241, %209
  %243 = call double @number(ptr nonnull %0, i32 %242)
  br label %255

244:                                              ; preds = %236
  %245 = load i32, ptr @STATE, align 4
  %246 = add nsw i32 %245, -1
  %247 = icmp slt i32 %209, %246
  br i1 %247, label %248, label %255

248:                                              ; preds = %244
  %249 = mul nsw i64 %212, %23
  %250 = getelementptr inbounds i32, ptr @of_Q_D, i64 %249
  %251 = load i32, ptr %250, align 4
  %252 = add nsw i32 %251, %209
  %253 = sub nsw i32 %252, %42
  %254 = call double @number(ptr nonnull %0, i32 %253)
  br label %255

255:                                              ; preds = %248, %244, %238
  %256 = phi double [ %243, %238 ], [ %254, %248 ], [ %.0104, %244 ]
  %257 = getelementptr inbounds nuw double, ptr %6, i64 %.0107
  store double %256, ptr %257, align 8
  br label %278

258:                                              ; preds = %235
  %259 = icmp slt i32 %209, %42
  br i1 %259, label %260, label %265

260:                                              ; preds = %258
  %261 = load ptr, ptr %149, align 8
  %262 = sext i32 %209 to i64
  %263 = getelementptr inbounds double, ptr %261, i64 %262
  %264 = load double, ptr %263, align 8
  br label %275

265:                                              ; preds = %258
  %266 = load i32, ptr @STATE, align 4
  %267 = add nsw i32 %266, -1
  %268 = icmp slt i32 %209, %267
  br i1 %268, label %269, label %275

269:                                              ; preds = %265
  %270 = add nsw i32 %216, %209
  %271 = sub nsw i32 %270, %42
  %272 = sext i32 %271 to i64
  %273 = getelementptr inbounds double, ptr %116, i64 %272
  %274 = load double, ptr %273, align 8
  br label %275

275:                                              ; preds = %269, %265, %260
  %276 = phi double [ %264, %260 ], [ %274, %269 ], [ %.0102, %265 ]
  %277 = getelementptr inbounds nuw double, ptr %6, i64 %.0107
  store double %276, ptr %277, align 8
  br label %278

278:                                              ; preds = %255, %275, %181
  %279 = add i64 %.0107, 1
  br label %172

280:                                              ; preds = %172, %181, %194, %190, %86
  %.2 = phi ptr [ @.str.64, %86 ], [ null, %172 ], [ @.str.65, %181 ], [ @.str.66, %190 ], [ @.str.66, %194 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %8)
  br label %281

281:                                              ; preds = %14, %280, %10
  %.0103 = phi ptr [ %11, %10 ], [ %.2, %280 ], [ @.str.63, %14 ]
  ret ptr %.0103
}

define i32 @fmi2SetRealInputDerivatives(ptr %0, ptr %1, i64 %2, ptr %3, ptr %4) {
  %6 = call i32 @refuse(ptr %0, ptr nonnull @.str.19)
  ret i32 %6
}

define i32 @fmi2GetRealOutputDerivatives(ptr %0, ptr %1, i64 %2, ptr %3, ptr %4) {
  %6 = call i32 @refuse(ptr %0, ptr nonnull @.str.20)
  ret i32 %6
}

define i32 @fmi2EnterEventMode(ptr %0) {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %3 = load i32, ptr %2, align 4
  %.not = icmp eq i32 %3, 4
  br i1 %.not, label %6, label %4

4:                                                ; preds = %1
  %5 = call i32 @refuse(ptr %0, ptr nonnull @.str.21)
  br label %7

6:                                                ; preds = %1
  store i32 3, ptr %2, align 4
  br label %7

7:                                                ; preds = %6, %4
  %.0 = phi i32 [ %5, %4 ], [ 0, %6 ]
  ret i32 %.0
}

define i32 @fmi2NewDiscreteStates(ptr %0, ptr %1) {
  %3 = alloca i32, align 4
  %4 = alloca double, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  store i32 0, ptr %3, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  store double 0.000000e+00, ptr %4, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %6 = load i32, ptr %5, align 4
  %.not = icmp eq i32 %6, 3
  br i1 %.not, label %9, label %7

7:                                                ; preds = %2
  %8 = call i32 @refuse(ptr %0, ptr nonnull @.str.22)
  br label %31

9:                                                ; preds = %2
  %10 = load ptr, ptr %0, align 8
  %11 = call i32 @happen(ptr %10, ptr nonnull %3, ptr nonnull %4)
  %.not12 = icmp eq i32 %11, 0
  br i1 %.not12, label %16, label %12

12:                                               ; preds = %9
  %13 = load ptr, ptr %0, align 8
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 24
  %15 = call i32 @refuse(ptr nonnull %0, ptr nonnull %14)
  br label %31

16:                                               ; preds = %9
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 1 dereferenceable(32) %1, i8 0, i64 32, i1 false)
  %17 = load ptr, ptr %0, align 8
  %18 = call ptr @ended(ptr %17)
  %19 = icmp ne ptr %18, null
  %20 = zext i1 %19 to i32
  %21 = getelementptr inbounds nuw i8, ptr %1, i64 4
  store i32 %20, ptr %21, align 4
  %22 = load i32, ptr %3, align 4
  %23 = getelementptr inbounds nuw i8, ptr %1, i64 12
  store i32 %22, ptr %23, align 4
  %24 = load double, ptr %4, align 8
  %25 = call double @llvm.fabs.f64(double %24)
  %26 = fcmp one double %25, 0x7FF0000000000000
  %27 = zext i1 %26 to i32
  %28 = getelementptr inbounds nuw i8, ptr %1, i64 16
  store i32 %27, ptr %28, align 4
  %29 = select i1 %26, double %24, double 0.000000e+00
  %30 = getelementptr inbounds nuw i8, ptr %1, i64 24
  store double %29, ptr %30, align 8
  br label %31

31:                                               ; preds = %16, %12, %7
  %.0 = phi i32 [ %8, %7 ], [ %15, %12 ], [ 0, %16 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret i32 %.0
}

define internal i32 @happen(ptr %0, ptr %1, ptr %2) {
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  %6 = call i32 @has_drifted(ptr %0, ptr nonnull %4)
  %.not = icmp eq i32 %6, 0
  br i1 %.not, label %7, label %32

7:                                                ; preds = %3
  %8 = load i32, ptr %4, align 4
  %.not13 = icmp eq i32 %8, 0
  br i1 %.not13, label %11, label %9

9:                                                ; preds = %7
  %10 = call i32 @project(ptr %0)
  %.not14 = icmp eq i32 %10, 0
  br i1 %.not14, label %11, label %32

11:                                               ; preds = %9, %7
  %12 = call i32 @take_samples(ptr %0, ptr nonnull %5)
  %.not15 = icmp eq i32 %12, 0
  br i1 %.not15, label %13, label %32

13:                                               ; preds = %11
  %14 = load i32, ptr %4, align 4
  %15 = icmp ne i32 %14, 0
  %16 = load i32, ptr %5, align 4
  %17 = icmp ne i32 %16, 0
  %18 = select i1 %15, i1 true, i1 %17
  %19 = zext i1 %18 to i32
  store i32 %19, ptr %1, align 4
  %20 = load i32, ptr @TIME, align 4
  %21 = call double @number(ptr %0, i32 %20)
  %22 = call double @next_sample(ptr %0, double %21)
  store double %22, ptr %2, align 8
  %23 = load i32, ptr @EVENT_COUNT, align 4
  %.not16 = icmp eq i32 %23, 0
  br i1 %.not16, label %32, label %24

24:                                               ; preds = %13
  %25 = call i32 @happen_in_event_mode(ptr %0, ptr nonnull %1)
  %.not17 = icmp eq i32 %25, 0
  br i1 %.not17, label %26, label %32

26:                                               ; preds = %24
  %27 = load double, ptr %2, align 8
  %28 = call double @next_due(ptr %0)
  %29 = call double @next_top(ptr %0)
  %30 = call double @llvm.minnum.f64(double %28, double %29)
  %31 = call double @llvm.minnum.f64(double %27, double %30)
  store double %31, ptr %2, align 8
  br label %32

32:                                               ; preds = %13, %26, %24, %11, %9, %3
  %.0 = phi i32 [ -1, %24 ], [ -1, %3 ], [ -1, %9 ], [ -1, %11 ], [ 0, %26 ], [ 0, %13 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  ret i32 %.0
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #2

define internal ptr @ended(ptr %0) {
  %2 = load i32, ptr @EVENT_COUNT, align 4
  %.not = icmp eq i32 %2, 0
  br i1 %.not, label %13, label %3

3:                                                ; preds = %1
  %4 = load ptr, ptr %0, align 8
  %5 = load i32, ptr @ENDED_BY, align 4
  %6 = sext i32 %5 to i64
  %7 = getelementptr inbounds i64, ptr %4, i64 %6
  %8 = load i64, ptr %7, align 8
  %.not2 = icmp eq i64 %8, 0
  br i1 %.not2, label %13, label %9

9:                                                ; preds = %3
  %10 = getelementptr %struct.anon.4, ptr @happenings, i64 %8
  %11 = getelementptr i8, ptr %10, i64 -56
  %12 = load ptr, ptr %11, align 8
  br label %13

13:                                               ; preds = %1, %3, %9
  %14 = phi ptr [ %12, %9 ], [ null, %3 ], [ null, %1 ]
  ret ptr %14
}

declare i1 @llvm.is.fpclass.f64(double, i32 immarg) #3

define i32 @fmi2EnterContinuousTimeMode(ptr %0) {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %3 = load i32, ptr %2, align 4
  %.not = icmp eq i32 %3, 3
  br i1 %.not, label %6, label %4

4:                                                ; preds = %1
  %5 = call i32 @refuse(ptr %0, ptr nonnull @.str.23)
  br label %7

6:                                                ; preds = %1
  store i32 4, ptr %2, align 4
  br label %7

7:                                                ; preds = %6, %4
  %.0 = phi i32 [ %5, %4 ], [ 0, %6 ]
  ret i32 %.0
}

define i32 @fmi2CompletedIntegratorStep(ptr %0, i32 %1, ptr %2, ptr %3) {
  %5 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  store i32 0, ptr %5, align 4
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %7 = load i32, ptr %6, align 4
  %.not = icmp eq i32 %7, 4
  br i1 %.not, label %10, label %8

8:                                                ; preds = %4
  %9 = call i32 @refuse(ptr %0, ptr nonnull @.str.24)
  br label %19

10:                                               ; preds = %4
  %11 = load ptr, ptr %0, align 8
  %12 = call i32 @end_step(ptr %11, ptr nonnull %5)
  %.not9 = icmp eq i32 %12, 0
  br i1 %.not9, label %17, label %13

13:                                               ; preds = %10
  %14 = load ptr, ptr %0, align 8
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 24
  %16 = call i32 @refuse(ptr nonnull %0, ptr nonnull %15)
  br label %19

17:                                               ; preds = %10
  %18 = load i32, ptr %5, align 4
  store i32 %18, ptr %2, align 4
  store i32 0, ptr %3, align 4
  br label %19

19:                                               ; preds = %17, %13, %8
  %.0 = phi i32 [ %9, %8 ], [ %16, %13 ], [ 0, %17 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  ret i32 %.0
}

define internal i32 @end_step(ptr %0, ptr %1) {
  %3 = load i32, ptr @REMEMBERS, align 4
  %.not = icmp eq i32 %3, 0
  br i1 %.not, label %6, label %4

4:                                                ; preds = %2
  %5 = call i32 @tell(ptr %0)
  %.not4 = icmp eq i32 %5, 0
  br i1 %.not4, label %6, label %12

6:                                                ; preds = %4, %2
  %7 = load i32, ptr @EVENT_COUNT, align 4
  %.not5 = icmp eq i32 %7, 0
  br i1 %.not5, label %10, label %8

8:                                                ; preds = %6
  %9 = call i32 @leave_zero(ptr %0)
  %.not6 = icmp eq i32 %9, 0
  br i1 %.not6, label %10, label %12

10:                                               ; preds = %8, %6
  %11 = call i32 @has_drifted(ptr %0, ptr %1)
  br label %12

12:                                               ; preds = %8, %4, %10
  %.0 = phi i32 [ %11, %10 ], [ -1, %4 ], [ -1, %8 ]
  ret i32 %.0
}

define i32 @fmi2SetTime(ptr %0, double %1) {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %4 = load i32, ptr %3, align 4
  %.not = icmp eq i32 %4, 0
  br i1 %.not, label %5, label %7

5:                                                ; preds = %2
  %6 = call i32 @refuse(ptr %0, ptr nonnull @.str.25)
  br label %9

7:                                                ; preds = %2
  %8 = load ptr, ptr %0, align 8
  call void @move_to(ptr %8, double %1)
  br label %9

9:                                                ; preds = %7, %5
  %.0 = phi i32 [ 0, %7 ], [ %6, %5 ]
  ret i32 %.0
}

define internal void @move_to(ptr %0, double %1) {
  %3 = load i32, ptr @CONTROL, align 4
  %4 = call ptr @numbers(ptr %0, i32 %3)
  %5 = load i32, ptr @CONTROL_TIME, align 4
  %6 = sext i32 %5 to i64
  %7 = getelementptr inbounds double, ptr %4, i64 %6
  store double %1, ptr %7, align 8
  %8 = load ptr, ptr %0, align 8
  %9 = load i32, ptr @TURNED, align 4
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds i64, ptr %8, i64 %10
  store i64 1, ptr %11, align 8
  %12 = load ptr, ptr %0, align 8
  %13 = load i32, ptr @FRESH_RATES, align 4
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds i64, ptr %12, i64 %14
  store i64 0, ptr %15, align 8
  ret void
}

define i32 @fmi2SetContinuousStates(ptr %0, ptr %1, i64 %2) {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %5 = load i32, ptr %4, align 4
  %.not = icmp eq i32 %5, 0
  br i1 %.not, label %6, label %8

6:                                                ; preds = %3
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.25)
  br label %15

8:                                                ; preds = %3
  %9 = load i32, ptr @STATES, align 4
  %10 = sext i32 %9 to i64
  %.not7 = icmp eq i64 %2, %10
  br i1 %.not7, label %13, label %11

11:                                               ; preds = %8
  %12 = call i32 @refuse(ptr %0, ptr nonnull @.str.26)
  br label %15

13:                                               ; preds = %8
  %14 = load ptr, ptr %0, align 8
  call void @put_states(ptr %14, ptr %1)
  br label %15

15:                                               ; preds = %13, %11, %6
  %.0 = phi i32 [ %12, %11 ], [ 0, %13 ], [ %7, %6 ]
  ret i32 %.0
}

define internal void @put_states(ptr %0, ptr %1) {
  %3 = load i32, ptr @Z, align 4
  %4 = call ptr @numbers(ptr %0, i32 %3)
  %5 = load i32, ptr @STATES, align 4
  %6 = sext i32 %5 to i64
  %7 = shl nsw i64 %6, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %4, ptr align 1 %1, i64 %7, i1 false)
  %8 = load ptr, ptr %0, align 8
  %9 = load i32, ptr @TURNED, align 4
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds i64, ptr %8, i64 %10
  store i64 1, ptr %11, align 8
  %12 = load ptr, ptr %0, align 8
  %13 = load i32, ptr @FRESH_RATES, align 4
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds i64, ptr %12, i64 %14
  store i64 0, ptr %15, align 8
  ret void
}

define i32 @fmi2GetContinuousStates(ptr %0, ptr %1, i64 %2) {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %5 = load i32, ptr %4, align 4
  %.not = icmp eq i32 %5, 0
  br i1 %.not, label %6, label %8

6:                                                ; preds = %3
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.25)
  br label %20

8:                                                ; preds = %3
  %9 = load i32, ptr @STATES, align 4
  %10 = sext i32 %9 to i64
  %.not7 = icmp eq i64 %2, %10
  br i1 %.not7, label %13, label %11

11:                                               ; preds = %8
  %12 = call i32 @refuse(ptr %0, ptr nonnull @.str.26)
  br label %20

13:                                               ; preds = %8
  %14 = load ptr, ptr %0, align 8
  %15 = load ptr, ptr %14, align 8
  %16 = load i32, ptr @Z, align 4
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds i64, ptr %15, i64 %17
  %19 = shl nsw i64 %10, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %1, ptr align 1 %18, i64 %19, i1 false)
  br label %20

20:                                               ; preds = %13, %11, %6
  %.0 = phi i32 [ %12, %11 ], [ 0, %13 ], [ %7, %6 ]
  ret i32 %.0
}

define i32 @fmi2GetDerivatives(ptr %0, ptr %1, i64 %2) {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %5 = load i32, ptr %4, align 4
  %.not = icmp eq i32 %5, 0
  br i1 %.not, label %6, label %8

6:                                                ; preds = %3
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.25)
  br label %26

8:                                                ; preds = %3
  %9 = load i32, ptr @STATES, align 4
  %10 = sext i32 %9 to i64
  %.not10 = icmp eq i64 %2, %10
  br i1 %.not10, label %13, label %11

11:                                               ; preds = %8
  %12 = call i32 @refuse(ptr %0, ptr nonnull @.str.26)
  br label %26

13:                                               ; preds = %8
  %14 = load ptr, ptr %0, align 8
  %15 = call i32 @find_rates(ptr %14)
  %.not11 = icmp eq i32 %15, 0
  br i1 %.not11, label %19, label %16

16:                                               ; preds = %13
  %17 = load ptr, ptr %0, align 8
  %18 = getelementptr inbounds nuw i8, ptr %17, i64 24
  call void @say(ptr nonnull %0, i32 2, ptr nonnull %18)
  br label %26

19:                                               ; preds = %13
  %20 = load ptr, ptr %0, align 8
  %21 = load ptr, ptr %20, align 8
  %22 = load i32, ptr @Z_DOT, align 4
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds i64, ptr %21, i64 %23
  %25 = shl nsw i64 %10, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %1, ptr align 1 %24, i64 %25, i1 false)
  br label %26

26:                                               ; preds = %19, %16, %11, %6
  %.0 = phi i32 [ %12, %11 ], [ 2, %16 ], [ 0, %19 ], [ %7, %6 ]
  ret i32 %.0
}

define internal i32 @find_rates(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @FRESH_RATES, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i64, ptr %2, i64 %4
  %6 = load i64, ptr %5, align 8
  %.not = icmp eq i64 %6, 0
  br i1 %.not, label %7, label %42

7:                                                ; preds = %1
  %8 = call i64 @call_rates(ptr %2)
  %9 = load i32, ptr @CODE_OK, align 4
  %10 = sext i32 %9 to i64
  %.not14 = icmp eq i64 %8, %10
  br i1 %.not14, label %13, label %11

11:                                               ; preds = %7
  %12 = call i32 @blame(ptr nonnull %0)
  br label %42

13:                                               ; preds = %7, %36
  %.012 = phi i32 [ %37, %36 ], [ 0, %7 ]
  %14 = load i32, ptr @STATE, align 4
  %15 = icmp slt i32 %.012, %14
  br i1 %15, label %16, label %38

16:                                               ; preds = %13
  %17 = load i32, ptr @Z_DOT, align 4
  %18 = add nsw i32 %17, %.012
  %19 = call double @number(ptr nonnull %0, i32 %18)
  %20 = call double @llvm.fabs.f64(double %19)
  %21 = fcmp ueq double %20, 0x7FF0000000000000
  br i1 %21, label %22, label %36

22:                                               ; preds = %16
  %23 = load i32, ptr @NAMES, align 4
  %24 = zext i32 %23 to i64
  %25 = load ptr, ptr %0, align 8
  %26 = load i32, ptr @PHASE, align 4
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds i64, ptr %25, i64 %27
  %29 = load i64, ptr %28, align 8
  %30 = mul nsw i64 %29, %24
  %31 = getelementptr inbounds ptr, ptr @flat_state_names, i64 %30
  %32 = zext nneg i32 %.012 to i64
  %33 = getelementptr inbounds nuw ptr, ptr %31, i64 %32
  %34 = load ptr, ptr %33, align 8
  %35 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.67, ptr %34)
  br label %38

36:                                               ; preds = %16
  %37 = add nuw nsw i32 %.012, 1
  br label %13

38:                                               ; preds = %13, %22
  %.1 = phi i32 [ %35, %22 ], [ undef, %13 ]
  %.0 = phi i32 [ 1, %22 ], [ 2, %13 ]
  switch i32 %.0, label %43 [
    i32 2, label %39
    i32 1, label %42
  ]

39:                                               ; preds = %38
  %40 = load ptr, ptr %0, align 8
  %41 = getelementptr inbounds i64, ptr %40, i64 %4
  store i64 1, ptr %41, align 8
  br label %42

42:                                               ; preds = %1, %39, %38, %11
  %.013 = phi i32 [ %.1, %38 ], [ %12, %11 ], [ 0, %39 ], [ 0, %1 ]
  ret i32 %.013

43:                                               ; preds = %38
  unreachable
}

define i32 @fmi2GetNominalsOfContinuousStates(ptr %0, ptr %1, i64 %2) {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %5 = load i32, ptr %4, align 4
  %.not = icmp eq i32 %5, 0
  br i1 %.not, label %6, label %8

6:                                                ; preds = %3
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.25)
  br label %20

8:                                                ; preds = %3
  %9 = load i32, ptr @STATES, align 4
  %10 = sext i32 %9 to i64
  %.not7 = icmp eq i64 %2, %10
  br i1 %.not7, label %13, label %11

11:                                               ; preds = %8
  %12 = call i32 @refuse(ptr %0, ptr nonnull @.str.26)
  br label %20

13:                                               ; preds = %8
  %14 = load ptr, ptr %0, align 8
  %15 = load ptr, ptr %14, align 8
  %16 = load i32, ptr @NOMINALS, align 4
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds i64, ptr %15, i64 %17
  %19 = shl nsw i64 %10, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %1, ptr align 1 %18, i64 %19, i1 false)
  br label %20

20:                                               ; preds = %13, %11, %6
  %.0 = phi i32 [ %12, %11 ], [ 0, %13 ], [ %7, %6 ]
  ret i32 %.0
}

define i32 @fmi2GetEventIndicators(ptr %0, ptr %1, i64 %2) {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %5 = load i32, ptr %4, align 4
  %.not = icmp eq i32 %5, 0
  br i1 %.not, label %6, label %8

6:                                                ; preds = %3
  %7 = call i32 @refuse(ptr %0, ptr nonnull @.str.25)
  br label %20

8:                                                ; preds = %3
  %9 = load i32, ptr @EVENT_COUNT, align 4
  %10 = sext i32 %9 to i64
  %.not9 = icmp eq i64 %2, %10
  br i1 %.not9, label %13, label %11

11:                                               ; preds = %8
  %12 = call i32 @refuse(ptr %0, ptr nonnull @.str.27)
  br label %20

13:                                               ; preds = %8
  %14 = load ptr, ptr %0, align 8
  %15 = call i32 @indicate(ptr %14, ptr %1)
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %20, label %17

17:                                               ; preds = %13
  %18 = load ptr, ptr %0, align 8
  %19 = getelementptr inbounds nuw i8, ptr %18, i64 24
  call void @say(ptr nonnull %0, i32 2, ptr nonnull %19)
  br label %20

20:                                               ; preds = %13, %17, %11, %6
  %.0 = phi i32 [ %12, %11 ], [ %7, %6 ], [ 2, %17 ], [ 0, %13 ]
  ret i32 %.0
}

define internal i32 @indicate(ptr %0, ptr %1) {
  %3 = call i32 @know_sides(ptr %0)
  %.not = icmp eq i32 %3, 0
  br i1 %.not, label %4, label %37

4:                                                ; preds = %2
  %5 = call i32 @look_at_state(ptr %0)
  %.not17 = icmp eq i32 %5, 0
  br i1 %.not17, label %6, label %37

6:                                                ; preds = %4, %32
  %.016 = phi i32 [ %36, %32 ], [ 0, %4 ]
  %7 = load i32, ptr @EVENT_COUNT, align 4
  %8 = icmp slt i32 %.016, %7
  br i1 %8, label %9, label %37

9:                                                ; preds = %6
  %10 = call ptr @line_of(ptr %0, i32 %.016)
  %11 = load i32, ptr @EVENT_ACTIVE, align 4
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds double, ptr %10, i64 %12
  %14 = load double, ptr %13, align 8
  %15 = fcmp une double %14, 0.000000e+00
  br i1 %15, label %16, label %32

16:                                               ; preds = %9
  %17 = call i32 @rises(ptr %0, i32 %.016)
  %.not18 = icmp eq i32 %17, 0
  br i1 %.not18, label %18, label %32

18:                                               ; preds = %16
  %19 = load i32, ptr @SEEN, align 4
  %20 = shl nuw nsw i32 %.016, 1
  %21 = add nsw i32 %19, %20
  %22 = call double @number(ptr %0, i32 %21)
  %23 = load i32, ptr @EVENT_SIDE, align 4
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds double, ptr %10, i64 %24
  %26 = load double, ptr %25, align 8
  %27 = load i32, ptr @MARGINS, align 4
  %28 = add nsw i32 %27, %.016
  %29 = call double @number(ptr %0, i32 %28)
  %30 = fmul double %26, %29
  %31 = fadd double %22, %30
  br label %32

32:                                               ; preds = %9, %16, %18
  %33 = phi double [ %31, %18 ], [ 1.000000e+00, %16 ], [ 1.000000e+00, %9 ]
  %34 = zext nneg i32 %.016 to i64
  %35 = getelementptr inbounds nuw double, ptr %1, i64 %34
  store double %33, ptr %35, align 8
  %36 = add nuw nsw i32 %.016, 1
  br label %6

37:                                               ; preds = %6, %2, %4
  %.0 = phi i32 [ -1, %2 ], [ -1, %4 ], [ 0, %6 ]
  ret i32 %.0
}

define internal void @hear_event(ptr %0, double %1, ptr %2, ptr %3) {
  %5 = alloca [320 x i8], align 1
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  %6 = call i32 (ptr, i64, ptr, ...) @snprintf(ptr nonnull dereferenceable(1) %5, i64 320, ptr nonnull @.str.30, double %1, ptr %2, ptr %3)
  call void @say_event(ptr %0, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  ret void
}

declare i32 @snprintf(ptr noundef, i64 noundef, ptr noundef, ...)

define internal void @say_event(ptr %0, ptr %1) {
  call void @tell_log(ptr %0, i32 0, ptr nonnull @.str.28, ptr %1)
  ret void
}

define internal void @tell_log(ptr %0, i32 %1, ptr %2, ptr %3) {
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = load ptr, ptr %5, align 8
  %.not = icmp eq ptr %6, null
  br i1 %.not, label %14, label %7

7:                                                ; preds = %4
  %8 = load ptr, ptr %6, align 8
  %.not8 = icmp eq ptr %8, null
  br i1 %.not8, label %14, label %9

9:                                                ; preds = %7
  %10 = getelementptr inbounds nuw i8, ptr %6, i64 32
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %13 = load ptr, ptr %12, align 8
  call void (ptr, ptr, i32, ptr, ptr, ...) %8(ptr %11, ptr %13, i32 %1, ptr %2, ptr nonnull @.str.31, ptr %3)
  br label %14

14:                                               ; preds = %9, %7, %4
  ret void
}

declare ptr @calloc(i64 noundef, i64 noundef)

declare i64 @strlen(ptr noundef)

define internal ptr @create() {
  %1 = call ptr @calloc(i64 1, i64 344)
  %2 = icmp eq ptr %1, null
  br i1 %2, label %54, label %3

3:                                                ; preds = %0
  %4 = load i32, ptr @WORDS, align 4
  %5 = sext i32 %4 to i64
  %6 = shl nsw i64 %5, 3
  %7 = call ptr @malloc(i64 %6)
  store ptr %7, ptr %1, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %9, label %10

9:                                                ; preds = %3
  call void @free(ptr nonnull %1)
  br label %54

10:                                               ; preds = %3
  call void @begin(ptr nonnull %1)
  br label %11

11:                                               ; preds = %15, %10
  %.023 = phi i64 [ 0, %10 ], [ %23, %15 ]
  %12 = load i32, ptr @count_of_lengths, align 4
  %13 = sext i32 %12 to i64
  %14 = icmp ult i64 %.023, %13
  br i1 %14, label %15, label %24

15:                                               ; preds = %11
  %16 = getelementptr inbounds nuw %struct.anon, ptr @lengths, i64 %.023
  %17 = getelementptr inbounds nuw i8, ptr %16, i64 8
  %18 = load i64, ptr %17, align 8
  %19 = load ptr, ptr %1, align 8
  %20 = load i32, ptr %16, align 4
  %21 = sext i32 %20 to i64
  %22 = getelementptr inbounds i64, ptr %19, i64 %21
  store i64 %18, ptr %22, align 8
  %23 = add i64 %.023, 1
  br label %11

24:                                               ; preds = %11, %28
  %.022 = phi i64 [ %39, %28 ], [ 0, %11 ]
  %25 = load i32, ptr @count_of_pointers, align 4
  %26 = sext i32 %25 to i64
  %27 = icmp ult i64 %.022, %26
  br i1 %27, label %28, label %40

28:                                               ; preds = %24
  %29 = load ptr, ptr %1, align 8
  %30 = getelementptr inbounds nuw %struct.anon.0, ptr @pointers, i64 %.022
  %31 = getelementptr inbounds nuw i8, ptr %30, i64 4
  %32 = load i32, ptr %31, align 4
  %33 = sext i32 %32 to i64
  %34 = getelementptr inbounds i64, ptr %29, i64 %33
  %35 = ptrtoint ptr %34 to i64
  %36 = load i32, ptr %30, align 4
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds i64, ptr %29, i64 %37
  store i64 %35, ptr %38, align 8
  %39 = add i64 %.022, 1
  br label %24

40:                                               ; preds = %24, %44
  %.0 = phi i64 [ %53, %44 ], [ 0, %24 ]
  %41 = load i32, ptr @count_of_functions, align 4
  %42 = sext i32 %41 to i64
  %43 = icmp ult i64 %.0, %42
  br i1 %43, label %44, label %54

44:                                               ; preds = %40
  %45 = getelementptr inbounds nuw %struct.anon.1, ptr @functions, i64 %.0
  %46 = getelementptr inbounds nuw i8, ptr %45, i64 8
  %47 = load ptr, ptr %46, align 8
  %48 = ptrtoint ptr %47 to i64
  %49 = load ptr, ptr %1, align 8
  %50 = load i32, ptr %45, align 4
  %51 = sext i32 %50 to i64
  %52 = getelementptr inbounds i64, ptr %49, i64 %51
  store i64 %48, ptr %52, align 8
  %53 = add i64 %.0, 1
  br label %40

54:                                               ; preds = %40, %0, %9
  %.024 = phi ptr [ null, %0 ], [ null, %9 ], [ %1, %40 ]
  ret ptr %.024
}

declare ptr @strcpy(ptr noundef, ptr noundef)

declare ptr @malloc(i64 noundef)

define internal void @discard(ptr %0) {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %5, label %3

3:                                                ; preds = %1
  %4 = load ptr, ptr %0, align 8
  call void @free(ptr %4)
  call void @free(ptr nonnull %0)
  br label %5

5:                                                ; preds = %1, %3
  ret void
}

define internal ptr @numbers(ptr %0, i32 %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = sext i32 %1 to i64
  %5 = getelementptr inbounds i64, ptr %3, i64 %4
  ret ptr %5
}

define internal i32 @turn(ptr %0) {
  call void @begin_anew(ptr %0, i32 1)
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @PHASE, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i64, ptr %2, i64 %4
  %6 = load i64, ptr %5, align 8
  %7 = load i32, ptr @stride_STATUS, align 4
  %8 = sext i32 %7 to i64
  %9 = mul nsw i64 %6, %8
  %10 = getelementptr inbounds i32, ptr @of_STATUS, i64 %9
  %11 = load i32, ptr %10, align 4
  %12 = load i32, ptr @STATUS_CHANGED, align 4
  %13 = add nsw i32 %11, %12
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds i64, ptr %2, i64 %14
  store i64 1, ptr %15, align 8
  %16 = load ptr, ptr %0, align 8
  %17 = load i32, ptr @FRESH_OUTPUTS, align 4
  %18 = sext i32 %17 to i64
  %19 = getelementptr inbounds i64, ptr %16, i64 %18
  store i64 0, ptr %19, align 8
  %20 = load ptr, ptr %0, align 8
  %21 = load i32, ptr @TURNED, align 4
  %22 = sext i32 %21 to i64
  %23 = getelementptr inbounds i64, ptr %20, i64 %22
  store i64 0, ptr %23, align 8
  %24 = load ptr, ptr %0, align 8
  %25 = call i64 @call_expand(ptr %24)
  %.not = icmp eq i64 %25, 0
  br i1 %.not, label %28, label %26

26:                                               ; preds = %1
  %27 = call i32 @blame(ptr nonnull %0)
  br label %50

28:                                               ; preds = %1, %46
  %.014 = phi i32 [ %47, %46 ], [ 0, %1 ]
  %29 = load ptr, ptr %0, align 8
  %30 = getelementptr inbounds i64, ptr %29, i64 %4
  %31 = load i64, ptr %30, align 8
  %32 = load i32, ptr @stride_WIDTH, align 4
  %33 = sext i32 %32 to i64
  %34 = mul nsw i64 %31, %33
  %35 = getelementptr inbounds i32, ptr @of_WIDTH, i64 %34
  %36 = load i32, ptr %35, align 4
  %37 = icmp slt i32 %.014, %36
  br i1 %37, label %38, label %48

38:                                               ; preds = %28
  %39 = load i32, ptr @ROW, align 4
  %40 = add nsw i32 %39, %.014
  %41 = call double @number(ptr nonnull %0, i32 %40)
  %42 = call double @llvm.fabs.f64(double %41)
  %43 = fcmp ueq double %42, 0x7FF0000000000000
  br i1 %43, label %44, label %46

44:                                               ; preds = %38
  %45 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.32, ptr nonnull @.str.33)
  br label %48

46:                                               ; preds = %38
  %47 = add nuw nsw i32 %.014, 1
  br label %28

48:                                               ; preds = %28, %44
  %.1 = phi i32 [ %45, %44 ], [ undef, %28 ]
  %.0 = phi i32 [ 1, %44 ], [ 2, %28 ]
  switch i32 %.0, label %51 [
    i32 2, label %49
    i32 1, label %50
  ]

49:                                               ; preds = %48
  br label %50

50:                                               ; preds = %49, %48, %26
  %.015 = phi i32 [ %27, %26 ], [ 0, %49 ], [ %.1, %48 ]
  ret i32 %.015

51:                                               ; preds = %48
  unreachable
}

define internal void @spread(ptr %0) {
  br label %2

2:                                                ; preds = %23, %1
  %.0 = phi i32 [ 0, %1 ], [ %29, %23 ]
  %3 = load i32, ptr @ROW_LINES, align 4
  %4 = icmp slt i32 %.0, %3
  br i1 %4, label %5, label %30

5:                                                ; preds = %2
  %6 = load ptr, ptr %0, align 8
  %7 = load i32, ptr @SLOT_ROW, align 4
  %8 = add nsw i32 %7, %.0
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %6, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = icmp slt i64 %11, 0
  br i1 %12, label %23, label %13

13:                                               ; preds = %5
  %14 = load i32, ptr @ROW, align 4
  %15 = load i32, ptr @COORDINATES, align 4
  %16 = add nsw i32 %14, %15
  %17 = load i32, ptr @SPEEDS, align 4
  %18 = shl nsw i32 %17, 1
  %19 = add nsw i32 %16, %18
  %20 = trunc i64 %11 to i32
  %21 = add nsw i32 %19, %20
  %22 = call double @number(ptr nonnull %0, i32 %21)
  br label %23

23:                                               ; preds = %5, %13
  %24 = phi double [ %22, %13 ], [ 0.000000e+00, %5 ]
  %25 = load i32, ptr @SPREAD, align 4
  %26 = call ptr @numbers(ptr nonnull %0, i32 %25)
  %27 = zext nneg i32 %.0 to i64
  %28 = getelementptr inbounds nuw double, ptr %26, i64 %27
  store double %24, ptr %28, align 8
  %29 = add nuw nsw i32 %.0, 1
  br label %2

30:                                               ; preds = %2
  ret void
}

declare void @call_outputs(ptr noundef)

define internal void @begin_anew(ptr %0, i32 %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @PHASE, align 4
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds i64, ptr %3, i64 %5
  %7 = load i64, ptr %6, align 8
  %8 = load i32, ptr @stride_SCRATCH, align 4
  %9 = sext i32 %8 to i64
  %10 = mul nsw i64 %7, %9
  %11 = getelementptr inbounds i32, ptr @of_SCRATCH, i64 %10
  %12 = load i32, ptr %11, align 4
  %13 = call ptr @numbers(ptr nonnull %0, i32 %12)
  %.not = icmp eq i32 %1, 0
  %14 = load i32, ptr @STATE, align 4
  %15 = select i1 %.not, i32 0, i32 %14
  br label %16

16:                                               ; preds = %27, %2
  %.0 = phi i32 [ %15, %2 ], [ %30, %27 ]
  %17 = load ptr, ptr %0, align 8
  %18 = getelementptr inbounds i64, ptr %17, i64 %5
  %19 = load i64, ptr %18, align 8
  %20 = load i32, ptr @stride_SCRATCH_ROWS, align 4
  %21 = sext i32 %20 to i64
  %22 = mul nsw i64 %19, %21
  %23 = getelementptr inbounds i32, ptr @of_SCRATCH_ROWS, i64 %22
  %24 = load i32, ptr %23, align 4
  %25 = mul nsw i32 %24, %14
  %26 = icmp slt i32 %.0, %25
  br i1 %26, label %27, label %31

27:                                               ; preds = %16
  %28 = sext i32 %.0 to i64
  %29 = getelementptr inbounds double, ptr %13, i64 %28
  store double 0.000000e+00, ptr %29, align 8
  %30 = add nsw i32 %.0, 1
  br label %16

31:                                               ; preds = %16
  %32 = icmp sgt i32 %24, 0
  br i1 %32, label %33, label %35

33:                                               ; preds = %31
  %34 = getelementptr inbounds nuw i8, ptr %13, i64 8
  store double 0.000000e+00, ptr %34, align 8
  br label %35

35:                                               ; preds = %33, %31
  ret void
}

declare i64 @call_expand(ptr noundef)

define internal i32 @blame(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @PHASE, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i64, ptr %2, i64 %4
  %6 = load i64, ptr %5, align 8
  %7 = load i32, ptr @stride_STATUS, align 4
  %8 = sext i32 %7 to i64
  %9 = mul nsw i64 %6, %8
  %10 = getelementptr inbounds i32, ptr @of_STATUS, i64 %9
  %11 = load i32, ptr %10, align 4
  %12 = load i32, ptr @STATUS_CODE, align 4
  %13 = add nsw i32 %11, %12
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds i64, ptr %2, i64 %14
  %16 = load i64, ptr %15, align 8
  %17 = load i32, ptr @STATUS_INDEX, align 4
  %18 = add nsw i32 %11, %17
  %19 = sext i32 %18 to i64
  %20 = getelementptr inbounds i64, ptr %2, i64 %19
  %21 = load i64, ptr %20, align 8
  %22 = icmp sgt i64 %16, 0
  %23 = load i32, ptr @count_of_reasons, align 4
  %24 = sext i32 %23 to i64
  %25 = icmp slt i64 %16, %24
  %or.cond = select i1 %22, i1 %25, i1 false
  br i1 %or.cond, label %26, label %29

26:                                               ; preds = %1
  %27 = getelementptr inbounds nuw ptr, ptr @reasons, i64 %16
  %28 = load ptr, ptr %27, align 8
  br label %29

29:                                               ; preds = %1, %26
  %30 = phi ptr [ %28, %26 ], [ @.str.34, %1 ]
  %31 = load i32, ptr @NAMES, align 4
  %32 = zext i32 %31 to i64
  %33 = mul nsw i64 %6, %32
  %34 = getelementptr inbounds ptr, ptr @flat_state_names, i64 %33
  %35 = icmp sgt i64 %21, -1
  %36 = load i32, ptr @CODE_SINGULAR_MASS, align 4
  %37 = sext i32 %36 to i64
  %38 = icmp eq i64 %16, %37
  %or.cond36 = select i1 %35, i1 %38, i1 false
  %39 = load i32, ptr @SPEEDS, align 4
  %40 = sext i32 %39 to i64
  %41 = icmp slt i64 %21, %40
  %or.cond39 = select i1 %or.cond36, i1 %41, i1 false
  br i1 %or.cond39, label %42, label %45

42:                                               ; preds = %29
  %43 = getelementptr inbounds nuw ptr, ptr %34, i64 %21
  %44 = load ptr, ptr %43, align 8
  br label %45

45:                                               ; preds = %42, %29
  %.0 = phi ptr [ %44, %42 ], [ @.str.33, %29 ]
  br i1 %35, label %46, label %63

46:                                               ; preds = %45
  %47 = load i32, ptr @CODE_DRIFT_REMAINS, align 4
  %48 = sext i32 %47 to i64
  %49 = icmp eq i64 %16, %48
  %50 = load i32, ptr @CODE_NO_CONVERGENCE, align 4
  %51 = sext i32 %50 to i64
  %52 = icmp eq i64 %16, %51
  %or.cond42 = select i1 %49, i1 true, i1 %52
  br i1 %or.cond42, label %53, label %63

53:                                               ; preds = %46
  %54 = load i32, ptr @stride_ROWS, align 4
  %55 = sext i32 %54 to i64
  %56 = mul nsw i64 %6, %55
  %57 = getelementptr inbounds i32, ptr @of_ROWS, i64 %56
  %58 = load i32, ptr %57, align 4
  %59 = sext i32 %58 to i64
  %60 = icmp slt i64 %21, %59
  br i1 %60, label %61, label %63

61:                                               ; preds = %53
  %62 = call ptr @name_of_row(ptr nonnull %0, i64 %21)
  br label %63

63:                                               ; preds = %46, %61, %53, %45
  %.1 = phi ptr [ %62, %61 ], [ %.0, %53 ], [ %.0, %46 ], [ %.0, %45 ]
  br i1 %35, label %64, label %93

64:                                               ; preds = %63
  %65 = load i32, ptr @CODE_NOT_FINITE, align 4
  %66 = sext i32 %65 to i64
  %67 = icmp eq i64 %16, %66
  %68 = load i32, ptr @CODE_STEP_TOO_SMALL, align 4
  %69 = sext i32 %68 to i64
  %70 = icmp eq i64 %16, %69
  %or.cond45 = select i1 %67, i1 true, i1 %70
  br i1 %or.cond45, label %71, label %93

71:                                               ; preds = %64
  %72 = load i32, ptr @STATE, align 4
  %73 = load ptr, ptr %0, align 8
  %74 = getelementptr inbounds i64, ptr %73, i64 %4
  %75 = load i64, ptr %74, align 8
  %76 = load i32, ptr @stride_ROWS, align 4
  %77 = sext i32 %76 to i64
  %78 = mul nsw i64 %75, %77
  %79 = getelementptr inbounds i32, ptr @of_ROWS, i64 %78
  %80 = load i32, ptr %79, align 4
  %81 = add nsw i32 %72, %80
  %82 = sext i32 %81 to i64
  %83 = icmp slt i64 %21, %82
  br i1 %83, label %84, label %93

84:                                               ; preds = %71
  %85 = sext i32 %72 to i64
  %86 = icmp slt i64 %21, %85
  br i1 %86, label %87, label %90

87:                                               ; preds = %84
  %88 = getelementptr inbounds nuw ptr, ptr %34, i64 %21
  %89 = load ptr, ptr %88, align 8
  br label %93

90:                                               ; preds = %84
  %91 = sub nsw i64 %21, %85
  %92 = call ptr @name_of_row(ptr nonnull %0, i64 %91)
  br label %93

93:                                               ; preds = %87, %90, %64, %71, %63
  %.2 = phi ptr [ %.1, %63 ], [ %.1, %71 ], [ %.1, %64 ], [ %89, %87 ], [ %92, %90 ]
  %94 = call i32 @fail(ptr nonnull %0, ptr %30, ptr %.2)
  ret i32 %94
}

define internal i32 @fail(ptr %0, ptr %1, ptr %2) {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %5 = load i32, ptr @TIME, align 4
  %6 = call double @number(ptr %0, i32 %5)
  %7 = load i8, ptr %2, align 1
  %.not = icmp eq i8 %7, 0
  %8 = select i1 %.not, ptr @.str.33, ptr @.str.36
  %9 = call i32 (ptr, i64, ptr, ...) @snprintf(ptr nonnull dereferenceable(1) %4, i64 320, ptr nonnull @.str.35, double %6, ptr %1, ptr nonnull %8, ptr nonnull %2)
  ret i32 -1
}

define internal ptr @name_of_row(ptr %0, i64 %1) {
  br label %3

3:                                                ; preds = %18, %2
  %.09 = phi i32 [ 0, %2 ], [ %19, %18 ]
  %4 = load i32, ptr @ROW_LINES, align 4
  %5 = icmp slt i32 %.09, %4
  br i1 %5, label %6, label %20

6:                                                ; preds = %3
  %7 = load ptr, ptr %0, align 8
  %8 = load i32, ptr @SLOT_ROW, align 4
  %9 = add nsw i32 %8, %.09
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds i64, ptr %7, i64 %10
  %12 = load i64, ptr %11, align 8
  %13 = icmp eq i64 %12, %1
  br i1 %13, label %14, label %18

14:                                               ; preds = %6
  %15 = zext nneg i32 %.09 to i64
  %16 = getelementptr inbounds nuw ptr, ptr @row_names, i64 %15
  %17 = load ptr, ptr %16, align 8
  br label %20

18:                                               ; preds = %6
  %19 = add nuw nsw i32 %.09, 1
  br label %3

20:                                               ; preds = %3, %14
  %.010 = phi ptr [ %17, %14 ], [ undef, %3 ]
  %.0 = phi i32 [ 1, %14 ], [ 2, %3 ]
  switch i32 %.0, label %37 [
    i32 2, label %21
    i32 1, label %36
  ]

21:                                               ; preds = %20
  %22 = load i32, ptr @NAMES, align 4
  %23 = zext i32 %22 to i64
  %24 = load ptr, ptr %0, align 8
  %25 = load i32, ptr @PHASE, align 4
  %26 = sext i32 %25 to i64
  %27 = getelementptr inbounds i64, ptr %24, i64 %26
  %28 = load i64, ptr %27, align 8
  %29 = mul nsw i64 %28, %23
  %30 = getelementptr inbounds ptr, ptr @flat_state_names, i64 %29
  %31 = load i32, ptr @STATE, align 4
  %32 = sext i32 %31 to i64
  %33 = getelementptr ptr, ptr %30, i64 %1
  %34 = getelementptr ptr, ptr %33, i64 %32
  %35 = load ptr, ptr %34, align 8
  br label %36

36:                                               ; preds = %21, %20
  %.1 = phi ptr [ %35, %21 ], [ %.010, %20 ]
  ret ptr %.1

37:                                               ; preds = %20
  unreachable
}

define internal void @put_image(ptr %0, i32 %1) {
  %3 = sext i32 %1 to i64
  %4 = getelementptr inbounds i32, ptr @images, i64 %3
  %5 = load i32, ptr %4, align 4
  br label %6

6:                                                ; preds = %12, %2
  %.0 = phi i32 [ %5, %2 ], [ %27, %12 ]
  %7 = sext i32 %1 to i64
  %8 = getelementptr i32, ptr @images, i64 %7
  %9 = getelementptr i8, ptr %8, i64 4
  %10 = load i32, ptr %9, align 4
  %11 = icmp slt i32 %.0, %10
  br i1 %11, label %12, label %28

12:                                               ; preds = %6
  %13 = load ptr, ptr %0, align 8
  %14 = sext i32 %.0 to i64
  %15 = getelementptr inbounds %struct.anon.3, ptr @runs, i64 %14
  %16 = load i32, ptr %15, align 4
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds i64, ptr %13, i64 %17
  %19 = getelementptr inbounds nuw i8, ptr %15, i64 8
  %20 = load i32, ptr %19, align 4
  %21 = sext i32 %20 to i64
  %22 = getelementptr inbounds i64, ptr @image_words, i64 %21
  %23 = getelementptr inbounds nuw i8, ptr %15, i64 4
  %24 = load i32, ptr %23, align 4
  %25 = sext i32 %24 to i64
  %26 = shl nsw i64 %25, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %18, ptr nonnull align 8 %22, i64 %26, i1 false)
  %27 = add nsw i32 %.0, 1
  br label %6

28:                                               ; preds = %6
  ret void
}

declare ptr @llvm.stacksave.p0() #4

declare void @llvm.stackrestore.p0(ptr) #4

define internal ptr @input_of(ptr %0, i32 %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @PHASE, align 4
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds i64, ptr %3, i64 %5
  %7 = load i64, ptr %6, align 8
  %8 = load i32, ptr @stride_PARAMETERS, align 4
  %9 = sext i32 %8 to i64
  %10 = mul nsw i64 %7, %9
  %11 = getelementptr inbounds i32, ptr @of_PARAMETERS, i64 %10
  %12 = load i32, ptr %11, align 4
  %13 = sext i32 %1 to i64
  %14 = getelementptr inbounds i32, ptr @input_places, i64 %13
  %15 = load i32, ptr %14, align 4
  %16 = add nsw i32 %12, %15
  %17 = call ptr @numbers(ptr nonnull %0, i32 %16)
  ret ptr %17
}

define internal i32 @give(ptr %0, i32 %1, double %2) {
  %4 = icmp slt i32 %1, 0
  %5 = load i32, ptr @INPUTS, align 4
  %6 = icmp sge i32 %1, %5
  %or.cond = select i1 %4, i1 true, i1 %6
  br i1 %or.cond, label %7, label %9

7:                                                ; preds = %3
  %8 = call i32 @fail(ptr %0, ptr nonnull @.str.39, ptr nonnull @.str.33)
  br label %37

9:                                                ; preds = %3
  %10 = call double @llvm.fabs.f64(double %2)
  %11 = fcmp ueq double %10, 0x7FF0000000000000
  br i1 %11, label %12, label %17

12:                                               ; preds = %9
  %13 = zext nneg i32 %1 to i64
  %14 = getelementptr inbounds nuw ptr, ptr @input_names, i64 %13
  %15 = load ptr, ptr %14, align 8
  %16 = call i32 @fail(ptr %0, ptr nonnull @.str.40, ptr %15)
  br label %37

17:                                               ; preds = %9
  %18 = call ptr @input_of(ptr %0, i32 %1)
  %19 = load double, ptr %18, align 8
  %20 = fcmp une double %19, %2
  br i1 %20, label %21, label %37

21:                                               ; preds = %17
  %22 = call ptr @input_of(ptr %0, i32 %1)
  store double %2, ptr %22, align 8
  %23 = load ptr, ptr %0, align 8
  %24 = load i32, ptr @TURNED, align 4
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds i64, ptr %23, i64 %25
  store i64 1, ptr %26, align 8
  %27 = load ptr, ptr %0, align 8
  %28 = load i32, ptr @FRESH_RATES, align 4
  %29 = sext i32 %28 to i64
  %30 = getelementptr inbounds i64, ptr %27, i64 %29
  store i64 0, ptr %30, align 8
  %31 = load i32, ptr @EVENT_COUNT, align 4
  %.not = icmp eq i32 %31, 0
  br i1 %.not, label %37, label %32

32:                                               ; preds = %21
  %33 = load ptr, ptr %0, align 8
  %34 = load i32, ptr @BEGINS, align 4
  %35 = sext i32 %34 to i64
  %36 = getelementptr inbounds i64, ptr %33, i64 %35
  store i64 1, ptr %36, align 8
  br label %37

37:                                               ; preds = %17, %32, %21, %12, %7
  %.0 = phi i32 [ %8, %7 ], [ %16, %12 ], [ 0, %21 ], [ 0, %32 ], [ 0, %17 ]
  ret i32 %.0
}

declare i32 @memcmp(ptr noundef, ptr noundef, i64 noundef)

declare double @llvm.fabs.f64(double) #3

declare double @llvm.maxnum.f64(double, double) #3

define internal i32 @go_on_to(ptr %0, double %1, i32 %2) {
  %4 = load i32, ptr @CONTROL, align 4
  %5 = call ptr @numbers(ptr %0, i32 %4)
  %6 = load ptr, ptr %0, align 8
  %7 = load i32, ptr @ENDED_BY, align 4
  %8 = sext i32 %7 to i64
  %9 = getelementptr inbounds i64, ptr %6, i64 %8
  %10 = load i64, ptr %9, align 8
  %.not = icmp eq i64 %10, 0
  br i1 %.not, label %16, label %11

11:                                               ; preds = %3
  %12 = getelementptr %struct.anon.4, ptr @happenings, i64 %10
  %13 = getelementptr i8, ptr %12, i64 -56
  %14 = load ptr, ptr %13, align 8
  %15 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.42, ptr %14)
  br label %109

16:                                               ; preds = %3
  %17 = load i32, ptr @PENDING, align 4
  %18 = sext i32 %17 to i64
  %19 = getelementptr inbounds i64, ptr %6, i64 %18
  %20 = load i64, ptr %19, align 8
  %.not43 = icmp eq i64 %20, 0
  br i1 %.not43, label %23, label %21

21:                                               ; preds = %16
  %22 = call i32 @happen_now(ptr nonnull %0)
  %.not44 = icmp eq i32 %22, 0
  br i1 %.not44, label %23, label %109

23:                                               ; preds = %21, %16
  %24 = load ptr, ptr %0, align 8
  %25 = load i32, ptr @BEGINS, align 4
  %26 = sext i32 %25 to i64
  %27 = getelementptr inbounds i64, ptr %24, i64 %26
  %28 = load i64, ptr %27, align 8
  %.not45 = icmp eq i64 %28, 0
  br i1 %.not45, label %44, label %29

29:                                               ; preds = %23
  %30 = load i32, ptr @CONTROL_TIME, align 4
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds double, ptr %5, i64 %31
  %33 = load double, ptr %32, align 8
  %34 = load i32, ptr @JUST_TIME, align 4
  %35 = call double @number(ptr nonnull %0, i32 %34)
  %36 = fcmp une double %33, %35
  br i1 %36, label %37, label %38

37:                                               ; preds = %29
  call void @forget_just(ptr nonnull %0)
  br label %38

38:                                               ; preds = %37, %29
  %39 = load i32, ptr @STOPS, align 4
  %.not46 = icmp eq i32 %39, 0
  br i1 %.not46, label %42, label %40

40:                                               ; preds = %38
  %41 = call i32 @settle_again(ptr nonnull %0)
  %.not47 = icmp eq i32 %41, 0
  br i1 %.not47, label %42, label %109

42:                                               ; preds = %40, %38
  %43 = call i32 @begin_events(ptr nonnull %0)
  %.not48 = icmp eq i32 %43, 0
  br i1 %.not48, label %44, label %109

44:                                               ; preds = %42, %23
  br label %45

45:                                               ; preds = %94, %44
  %.1 = phi i32 [ undef, %44 ], [ %.2, %94 ]
  %46 = load ptr, ptr %0, align 8
  %47 = getelementptr inbounds i64, ptr %46, i64 %8
  %48 = load i64, ptr %47, align 8
  %.not49 = icmp eq i64 %48, 0
  br i1 %.not49, label %49, label %95

49:                                               ; preds = %45
  %50 = call double @next_due(ptr nonnull %0)
  %51 = call double @same_time(double %50)
  %52 = fsub double %1, %51
  %53 = fcmp olt double %50, %52
  br i1 %53, label %54, label %60

54:                                               ; preds = %49
  %55 = load i32, ptr @CONTROL_TIME, align 4
  %56 = sext i32 %55 to i64
  %57 = getelementptr inbounds double, ptr %5, i64 %56
  %58 = load double, ptr %57, align 8
  %59 = call double @llvm.maxnum.f64(double %50, double %58)
  br label %60

60:                                               ; preds = %49, %54
  %61 = phi double [ %59, %54 ], [ %1, %49 ]
  %62 = load i32, ptr @CONTROL_TIME, align 4
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds double, ptr %5, i64 %63
  %65 = load double, ptr %64, align 8
  %66 = fcmp olt double %65, %61
  br i1 %66, label %67, label %69

67:                                               ; preds = %60
  %68 = call i32 @march_to(ptr nonnull %0, double %61)
  %.not50 = icmp eq i32 %68, 0
  br i1 %.not50, label %69, label %94

69:                                               ; preds = %67, %60
  %70 = load ptr, ptr %0, align 8
  %71 = getelementptr inbounds i64, ptr %70, i64 %18
  %72 = load i64, ptr %71, align 8
  %.not51 = icmp eq i64 %72, 0
  br i1 %.not51, label %73, label %84

73:                                               ; preds = %69
  %74 = call double @next_due(ptr nonnull %0)
  %75 = load double, ptr %64, align 8
  %76 = call double @same_time(double %75)
  %77 = fadd double %75, %76
  %78 = fcmp ugt double %74, %77
  br i1 %78, label %84, label %79

79:                                               ; preds = %73
  %80 = load i32, ptr @AT_DUE, align 4
  %81 = sext i32 %80 to i64
  %82 = load ptr, ptr %0, align 8
  %83 = getelementptr inbounds i64, ptr %82, i64 %18
  store i64 %81, ptr %83, align 8
  br label %84

84:                                               ; preds = %79, %73, %69
  %85 = load ptr, ptr %0, align 8
  %86 = getelementptr inbounds i64, ptr %85, i64 %18
  %87 = load i64, ptr %86, align 8
  %.not52 = icmp eq i64 %87, 0
  br i1 %.not52, label %94, label %88

88:                                               ; preds = %84
  switch i32 %2, label %92 [
    i32 1, label %94
    i32 2, label %89
  ]

89:                                               ; preds = %88
  %90 = load double, ptr %64, align 8
  %91 = fcmp ult double %90, %1
  br i1 %91, label %92, label %94

92:                                               ; preds = %88, %89
  %93 = call i32 @happen_now(ptr nonnull %0)
  %.not53 = icmp ne i32 %93, 0
  %. = zext i1 %.not53 to i32
  %..1 = select i1 %.not53, i32 -1, i32 %.1
  br label %94

94:                                               ; preds = %92, %89, %88, %84, %67
  %.040 = phi i32 [ 1, %67 ], [ 3, %84 ], [ %., %92 ], [ 3, %89 ], [ 3, %88 ]
  %.2 = phi i32 [ -1, %67 ], [ %.1, %84 ], [ %..1, %92 ], [ %.1, %89 ], [ %.1, %88 ]
  switch i32 %.040, label %109 [
    i32 0, label %45
    i32 3, label %95
  ]

95:                                               ; preds = %94, %45
  %96 = load i32, ptr @CONTROL_TIME, align 4
  %97 = sext i32 %96 to i64
  %98 = getelementptr inbounds double, ptr %5, i64 %97
  %99 = load double, ptr %98, align 8
  %100 = fcmp olt double %99, %1
  br i1 %100, label %101, label %105

101:                                              ; preds = %95
  %102 = load i32, ptr @CONTROL_H, align 4
  %103 = sext i32 %102 to i64
  %104 = getelementptr inbounds double, ptr %5, i64 %103
  store double 0.000000e+00, ptr %104, align 8
  br label %105

105:                                              ; preds = %101, %95
  %106 = load i32, ptr @REMEMBERS, align 4
  %.not54 = icmp eq i32 %106, 0
  br i1 %.not54, label %109, label %107

107:                                              ; preds = %105
  %108 = call i32 @tell(ptr nonnull %0)
  br label %109

109:                                              ; preds = %107, %105, %42, %40, %21, %94, %11
  %.0 = phi i32 [ %15, %11 ], [ -1, %42 ], [ -1, %21 ], [ -1, %40 ], [ %.2, %94 ], [ %108, %107 ], [ 0, %105 ]
  ret i32 %.0
}

declare i64 @call_march(ptr noundef)

define internal i32 @happen_now(ptr %0) {
  %2 = load i32, ptr @EVENT_COUNT, align 4
  %3 = load i32, ptr @DUES_MOST, align 4
  %4 = add nsw i32 %2, %3
  %5 = zext i32 %4 to i64
  %6 = alloca i32, i64 %5, align 4
  %7 = load ptr, ptr %0, align 8
  %8 = load i32, ptr @PENDING, align 4
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %7, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = load i32, ptr @AT_CROSSING, align 4
  %13 = sext i32 %12 to i64
  %14 = icmp eq i64 %11, %13
  %15 = load i32, ptr @TURNED, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds i64, ptr %7, i64 %16
  %18 = load i64, ptr %17, align 8
  %.not = icmp eq i64 %18, 0
  br i1 %.not, label %21, label %19

19:                                               ; preds = %1
  %20 = call i32 @turn(ptr nonnull %0)
  %.not40 = icmp eq i32 %20, 0
  br i1 %.not40, label %21, label %96

21:                                               ; preds = %19, %1
  %22 = load i32, ptr @REMEMBERS, align 4
  %.not41 = icmp eq i32 %22, 0
  br i1 %.not41, label %25, label %23

23:                                               ; preds = %21
  %24 = call i32 @tell(ptr nonnull %0)
  %.not42 = icmp eq i32 %24, 0
  br i1 %.not42, label %25, label %96

25:                                               ; preds = %23, %21
  %26 = load ptr, ptr %0, align 8
  %27 = getelementptr inbounds i64, ptr %26, i64 %9
  store i64 0, ptr %27, align 8
  call void @forget_just(ptr nonnull %0)
  br i1 %14, label %28, label %74

28:                                               ; preds = %25
  call void @begin_anew(ptr nonnull %0, i32 1)
  br label %29

29:                                               ; preds = %56, %28
  %.038 = phi i32 [ 0, %28 ], [ %.1, %56 ]
  %.0 = phi i32 [ 0, %28 ], [ %57, %56 ]
  %30 = icmp slt i32 %.0, %2
  br i1 %30, label %31, label %58

31:                                               ; preds = %29
  %32 = call ptr @line_of(ptr nonnull %0, i32 %.0)
  %33 = load i32, ptr @EVENT_SIDE, align 4
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds double, ptr %32, i64 %34
  %36 = load double, ptr %35, align 8
  %37 = load i32, ptr @SIDES, align 4
  %38 = call ptr @numbers(ptr nonnull %0, i32 %37)
  %39 = zext nneg i32 %.0 to i64
  %40 = getelementptr inbounds nuw double, ptr %38, i64 %39
  store double %36, ptr %40, align 8
  %41 = call ptr @line_of(ptr nonnull %0, i32 %.0)
  %42 = load i32, ptr @EVENT_HAPPENS, align 4
  %43 = sext i32 %42 to i64
  %44 = getelementptr inbounds double, ptr %41, i64 %43
  %45 = load double, ptr %44, align 8
  %46 = fcmp oeq double %45, 0.000000e+00
  br i1 %46, label %56, label %47

47:                                               ; preds = %31
  %48 = load ptr, ptr %0, align 8
  %49 = load i32, ptr @JUST, align 4
  %50 = add nsw i32 %49, %.0
  %51 = sext i32 %50 to i64
  %52 = getelementptr inbounds i64, ptr %48, i64 %51
  store i64 1, ptr %52, align 8
  %53 = add nsw i32 %.038, 1
  %54 = sext i32 %.038 to i64
  %55 = getelementptr inbounds i32, ptr %6, i64 %54
  store i32 %.0, ptr %55, align 4
  br label %56

56:                                               ; preds = %31, %47
  %.1 = phi i32 [ %53, %47 ], [ %.038, %31 ]
  %57 = add nuw nsw i32 %.0, 1
  br label %29

58:                                               ; preds = %29
  %59 = load i32, ptr @FIRST_EVENT, align 4
  %60 = icmp ne i32 %59, 0
  %61 = icmp sgt i32 %.038, 0
  %or.cond = select i1 %60, i1 %61, i1 false
  br i1 %or.cond, label %62, label %72

62:                                               ; preds = %58
  %63 = load i32, ptr %6, align 4
  %64 = icmp eq i32 %63, 0
  br i1 %64, label %65, label %72

65:                                               ; preds = %62
  %66 = load i32, ptr @TIME, align 4
  %67 = call double @number(ptr nonnull %0, i32 %66)
  call void @tell_of(ptr nonnull %0, i32 0, double %67)
  %68 = load ptr, ptr %0, align 8
  %69 = load i32, ptr @ENDED_BY, align 4
  %70 = sext i32 %69 to i64
  %71 = getelementptr inbounds i64, ptr %68, i64 %70
  store i64 1, ptr %71, align 8
  br label %96

72:                                               ; preds = %62, %58
  %73 = call i32 @due_now(ptr nonnull %0, ptr nonnull %6, i32 %.038, ptr nonnull %6)
  br label %78

74:                                               ; preds = %25
  %75 = load i32, ptr @TIME, align 4
  %76 = call double @number(ptr nonnull %0, i32 %75)
  %77 = call i32 @take_due(ptr nonnull %0, double %76, ptr nonnull %6)
  br label %78

78:                                               ; preds = %74, %72
  %.2 = phi i32 [ %73, %72 ], [ %77, %74 ]
  %79 = icmp slt i32 %.2, 0
  br i1 %79, label %96, label %80

80:                                               ; preds = %78
  %81 = call i32 @act(ptr nonnull %0, ptr nonnull %6, i32 %.2)
  %82 = icmp slt i32 %81, 0
  br i1 %82, label %96, label %83

83:                                               ; preds = %80
  %.not43 = icmp eq i32 %81, 0
  br i1 %.not43, label %85, label %84

84:                                               ; preds = %83
  call void @begin_anew(ptr nonnull %0, i32 0)
  br label %85

85:                                               ; preds = %84, %83
  %86 = load ptr, ptr %0, align 8
  %87 = load i32, ptr @ENDED_BY, align 4
  %88 = sext i32 %87 to i64
  %89 = getelementptr inbounds i64, ptr %86, i64 %88
  %90 = load i64, ptr %89, align 8
  %.not44 = icmp eq i64 %90, 0
  br i1 %.not44, label %91, label %93

91:                                               ; preds = %85
  %92 = call i32 @begin_events(ptr nonnull %0)
  %.not45 = icmp eq i32 %92, 0
  %.not45.not = xor i1 %.not45, true
  %brmerge = or i1 %.not45.not, %.not41
  %.mux = select i1 %.not45.not, i32 -1, i32 0
  br i1 %brmerge, label %96, label %94

93:                                               ; preds = %85
  br i1 %.not41, label %96, label %94

94:                                               ; preds = %91, %93
  %95 = call i32 @tell(ptr nonnull %0)
  br label %96

96:                                               ; preds = %91, %94, %93, %78, %80, %23, %19, %65
  %.037 = phi i32 [ -1, %78 ], [ -1, %19 ], [ 0, %65 ], [ -1, %23 ], [ %.mux, %91 ], [ -1, %80 ], [ %95, %94 ], [ 0, %93 ]
  ret i32 %.037
}

define internal void @forget_just(ptr %0) {
  br label %2

2:                                                ; preds = %5, %1
  %.0 = phi i32 [ 0, %1 ], [ %15, %5 ]
  %3 = load i32, ptr @EVENT_COUNT, align 4
  %4 = icmp slt i32 %.0, %3
  br i1 %4, label %5, label %16

5:                                                ; preds = %2
  %6 = load ptr, ptr %0, align 8
  %7 = load i32, ptr @JUST, align 4
  %8 = add nsw i32 %7, %.0
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %6, i64 %9
  store i64 0, ptr %10, align 8
  %11 = load i32, ptr @SIDES, align 4
  %12 = call ptr @numbers(ptr nonnull %0, i32 %11)
  %13 = zext nneg i32 %.0 to i64
  %14 = getelementptr inbounds nuw double, ptr %12, i64 %13
  store double 0.000000e+00, ptr %14, align 8
  %15 = add nuw nsw i32 %.0, 1
  br label %2

16:                                               ; preds = %2
  ret void
}

define internal i32 @settle_again(ptr %0) {
  br label %2

2:                                                ; preds = %10, %1
  %.06 = phi i32 [ 0, %1 ], [ %11, %10 ]
  %3 = load i32, ptr @AT_ONCE, align 4
  %4 = icmp slt i32 %.06, %3
  br i1 %4, label %5, label %.critedge

5:                                                ; preds = %2
  %6 = call i32 @pulls(ptr %0)
  %.not = icmp eq i32 %6, 0
  br i1 %.not, label %7, label %.critedge9

7:                                                ; preds = %5
  %8 = call i32 @slips_at_a_stop(ptr %0)
  %.not11 = icmp eq i32 %8, 0
  br i1 %.not11, label %.critedge, label %.critedge9

.critedge9:                                       ; preds = %5, %7
  %9 = call i32 @settle(ptr %0)
  %.not12 = icmp eq i32 %9, 0
  br i1 %.not12, label %10, label %.critedge

10:                                               ; preds = %.critedge9
  %11 = add nuw nsw i32 %.06, 1
  br label %2

.critedge:                                        ; preds = %2, %.critedge9, %7
  %phiofops = phi i32 [ 0, %2 ], [ 0, %7 ], [ -1, %.critedge9 ]
  ret i32 %phiofops
}

define internal i32 @begin_events(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = call i64 @call_begin_events(ptr %2)
  %4 = load i32, ptr @TIME, align 4
  %5 = call double @number(ptr nonnull %0, i32 %4)
  %6 = load i32, ptr @JUST_TIME, align 4
  %7 = call ptr @numbers(ptr nonnull %0, i32 %6)
  store double %5, ptr %7, align 8
  %8 = load ptr, ptr %0, align 8
  %9 = load i32, ptr @BEGINS, align 4
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds i64, ptr %8, i64 %10
  store i64 0, ptr %11, align 8
  %12 = load i32, ptr @STOPS, align 4
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %29, label %13

13:                                               ; preds = %1
  %14 = load ptr, ptr %0, align 8
  call void @call_set_sides(ptr %14)
  %15 = load ptr, ptr %0, align 8
  %16 = load i32, ptr @PHASE, align 4
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds i64, ptr %15, i64 %17
  %19 = load i64, ptr %18, align 8
  %20 = load i32, ptr @stride_STATUS, align 4
  %21 = sext i32 %20 to i64
  %22 = mul nsw i64 %19, %21
  %23 = getelementptr inbounds i32, ptr @of_STATUS, i64 %22
  %24 = load i32, ptr %23, align 4
  %25 = load i32, ptr @STATUS_CHANGED, align 4
  %26 = add nsw i32 %24, %25
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds i64, ptr %15, i64 %27
  store i64 1, ptr %28, align 8
  br label %29

29:                                               ; preds = %13, %1
  %30 = icmp sgt i64 %3, 0
  br i1 %30, label %31, label %36

31:                                               ; preds = %29
  %32 = getelementptr %struct.anon.4, ptr @happenings, i64 %3
  %33 = getelementptr i8, ptr %32, i64 -56
  %34 = load ptr, ptr %33, align 8
  %35 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.61, ptr %34)
  br label %36

36:                                               ; preds = %29, %31
  %37 = phi i32 [ %35, %31 ], [ 0, %29 ]
  ret i32 %37
}

define internal double @next_due(ptr %0) {
  br label %2

2:                                                ; preds = %10, %1
  %.06 = phi double [ 0x7FF0000000000000, %1 ], [ %15, %10 ]
  %.0 = phi i32 [ 0, %1 ], [ %16, %10 ]
  %3 = zext nneg i32 %.0 to i64
  %4 = load ptr, ptr %0, align 8
  %5 = load i32, ptr @DUES, align 4
  %6 = sext i32 %5 to i64
  %7 = getelementptr inbounds i64, ptr %4, i64 %6
  %8 = load i64, ptr %7, align 8
  %9 = icmp sgt i64 %8, %3
  br i1 %9, label %10, label %17

10:                                               ; preds = %2
  %11 = load i32, ptr @DUE, align 4
  %12 = shl nuw nsw i32 %.0, 1
  %13 = add nsw i32 %11, %12
  %14 = call double @number(ptr nonnull %0, i32 %13)
  %15 = call double @llvm.minnum.f64(double %.06, double %14)
  %16 = add nuw nsw i32 %.0, 1
  br label %2

17:                                               ; preds = %2
  ret double %.06
}

define internal double @same_time(double %0) {
  %2 = load double, ptr @SAME_TIME, align 8
  %3 = call double @llvm.fabs.f64(double %0)
  %4 = call double @llvm.maxnum.f64(double %3, double 1.000000e+00)
  %5 = fmul double %2, %4
  ret double %5
}

define internal i32 @march_to(ptr %0, double %1) {
  %3 = load i32, ptr @CONTROL, align 4
  %4 = call ptr @numbers(ptr %0, i32 %3)
  %5 = load i32, ptr @WAY, align 4
  %6 = call ptr @numbers(ptr %0, i32 %5)
  %7 = load ptr, ptr %0, align 8
  %8 = load i32, ptr @PHASE, align 4
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %7, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = load i32, ptr @stride_CLOCK, align 4
  %13 = sext i32 %12 to i64
  %14 = mul nsw i64 %11, %13
  %15 = getelementptr inbounds i32, ptr @of_CLOCK, i64 %14
  %16 = load i32, ptr %15, align 4
  %17 = call ptr @numbers(ptr nonnull %0, i32 %16)
  %18 = load i32, ptr @CONTROL_TIME, align 4
  %19 = sext i32 %18 to i64
  %20 = getelementptr inbounds double, ptr %4, i64 %19
  %21 = load double, ptr %20, align 8
  store double %21, ptr %6, align 8
  %22 = getelementptr inbounds nuw i8, ptr %6, i64 8
  store double %1, ptr %22, align 8
  %23 = load ptr, ptr %0, align 8
  %24 = getelementptr inbounds i64, ptr %23, i64 %9
  %25 = load i64, ptr %24, align 8
  %26 = load i32, ptr @stride_CLOCK_SIZE, align 4
  %27 = sext i32 %26 to i64
  %28 = mul nsw i64 %25, %27
  %29 = getelementptr inbounds i32, ptr @of_CLOCK_SIZE, i64 %28
  %30 = load i32, ptr %29, align 4
  %31 = sext i32 %30 to i64
  %32 = shl nsw i64 %31, 3
  call void @llvm.memset.p0.i64(ptr align 1 %17, i8 0, i64 %32, i1 false)
  %33 = load double, ptr %6, align 8
  %34 = load i32, ptr @CLOCK_TIME, align 4
  %35 = sext i32 %34 to i64
  %36 = getelementptr inbounds double, ptr %17, i64 %35
  store double %33, ptr %36, align 8
  %37 = load ptr, ptr %0, align 8
  %38 = load i32, ptr @FRESH_OUTPUTS, align 4
  %39 = sext i32 %38 to i64
  %40 = getelementptr inbounds i64, ptr %37, i64 %39
  store i64 0, ptr %40, align 8
  br label %41

41:                                               ; preds = %134, %2
  %.040 = phi i32 [ undef, %2 ], [ %.1, %134 ]
  %42 = load ptr, ptr %0, align 8
  %43 = getelementptr inbounds i64, ptr %42, i64 %9
  %44 = load i64, ptr %43, align 8
  %45 = load i32, ptr @stride_STATUS, align 4
  %46 = sext i32 %45 to i64
  %47 = mul nsw i64 %44, %46
  %48 = getelementptr inbounds i32, ptr @of_STATUS, i64 %47
  %49 = load i32, ptr %48, align 4
  %50 = load i32, ptr @STATUS_PAUSE, align 4
  %51 = add nsw i32 %49, %50
  %52 = sext i32 %51 to i64
  %53 = getelementptr inbounds i64, ptr %42, i64 %52
  store i64 9223372036854775807, ptr %53, align 8
  %54 = load ptr, ptr %0, align 8
  %55 = call i64 @call_march(ptr %54)
  %56 = load ptr, ptr %0, align 8
  %57 = getelementptr inbounds i64, ptr %56, i64 %9
  %58 = load i64, ptr %57, align 8
  %59 = mul nsw i64 %58, %46
  %60 = getelementptr inbounds i32, ptr @of_STATUS, i64 %59
  %61 = load i32, ptr %60, align 4
  %62 = load i32, ptr @STATUS_CODE, align 4
  %63 = add nsw i32 %61, %62
  %64 = sext i32 %63 to i64
  %65 = getelementptr inbounds i64, ptr %56, i64 %64
  %66 = load i64, ptr %65, align 8
  %67 = load i32, ptr @stride_WORK_EVENT, align 4
  %68 = sext i32 %67 to i64
  %69 = mul nsw i64 %58, %68
  %70 = getelementptr inbounds i32, ptr @of_WORK_EVENT, i64 %69
  %71 = load i32, ptr %70, align 4
  %72 = load i32, ptr @EVENT_NOTED, align 4
  %73 = add nsw i32 %71, %72
  %74 = call double @number(ptr nonnull %0, i32 %73)
  %75 = icmp eq i64 %55, 1
  br i1 %75, label %78, label %76

76:                                               ; preds = %41
  %77 = load double, ptr %36, align 8
  br label %78

78:                                               ; preds = %41, %76
  %79 = phi double [ %77, %76 ], [ %1, %41 ]
  store double %79, ptr %20, align 8
  %80 = call i32 @take_notes(ptr nonnull %0)
  %.not = icmp eq i32 %80, 0
  %.not.not = xor i1 %.not, true
  %brmerge = or i1 %.not.not, %75
  %.mux = select i1 %.not.not, i32 -1, i32 0
  br i1 %brmerge, label %134, label %81

81:                                               ; preds = %78
  %82 = load i32, ptr @CODE_PAUSED, align 4
  %83 = sext i32 %82 to i64
  %84 = icmp eq i64 %66, %83
  %85 = fcmp ogt double %74, 0.000000e+00
  %or.cond = select i1 %84, i1 %85, i1 false
  br i1 %or.cond, label %134, label %86

86:                                               ; preds = %81
  %87 = load i32, ptr @CODE_STOPPED, align 4
  %88 = sext i32 %87 to i64
  %89 = icmp eq i64 %66, %88
  br i1 %89, label %90, label %129

90:                                               ; preds = %86
  %91 = load ptr, ptr %0, align 8
  %92 = getelementptr inbounds i64, ptr %91, i64 %9
  %93 = load i64, ptr %92, align 8
  %94 = mul nsw i64 %93, %68
  %95 = getelementptr inbounds i32, ptr @of_WORK_EVENT, i64 %94
  %96 = load i32, ptr %95, align 4
  %97 = load i32, ptr @EVENT_TARGET, align 4
  %98 = add nsw i32 %96, %97
  %99 = call double @number(ptr nonnull %0, i32 %98)
  %100 = load double, ptr %20, align 8
  %101 = fcmp oeq double %99, %100
  br i1 %101, label %102, label %129

102:                                              ; preds = %90
  %103 = load ptr, ptr %0, align 8
  %104 = load i32, ptr @ROW, align 4
  %105 = sext i32 %104 to i64
  %106 = getelementptr inbounds i64, ptr %103, i64 %105
  %107 = getelementptr inbounds i64, ptr %103, i64 %9
  %108 = load i64, ptr %107, align 8
  %109 = load i32, ptr @stride_WORK_ROW, align 4
  %110 = sext i32 %109 to i64
  %111 = mul nsw i64 %108, %110
  %112 = getelementptr inbounds i32, ptr @of_WORK_ROW, i64 %111
  %113 = load i32, ptr %112, align 4
  %114 = sext i32 %113 to i64
  %115 = getelementptr inbounds i64, ptr %103, i64 %114
  %116 = load i32, ptr @stride_WIDTH, align 4
  %117 = sext i32 %116 to i64
  %118 = mul nsw i64 %108, %117
  %119 = getelementptr inbounds i32, ptr @of_WIDTH, i64 %118
  %120 = load i32, ptr %119, align 4
  %121 = sext i32 %120 to i64
  %122 = shl nsw i64 %121, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %106, ptr align 1 %115, i64 %122, i1 false)
  %123 = load i32, ptr @AT_CROSSING, align 4
  %124 = sext i32 %123 to i64
  %125 = load ptr, ptr %0, align 8
  %126 = load i32, ptr @PENDING, align 4
  %127 = sext i32 %126 to i64
  %128 = getelementptr inbounds i64, ptr %125, i64 %127
  store i64 %124, ptr %128, align 8
  br label %134

129:                                              ; preds = %90, %86
  %130 = load i32, ptr @CONTROL_H, align 4
  %131 = sext i32 %130 to i64
  %132 = getelementptr inbounds double, ptr %4, i64 %131
  store double 0.000000e+00, ptr %132, align 8
  %133 = call i32 @blame(ptr nonnull %0)
  br label %134

134:                                              ; preds = %78, %81, %129, %102
  %phiofops = phi i1 [ false, %78 ], [ false, %129 ], [ true, %81 ], [ false, %102 ]
  %.1 = phi i32 [ %.mux, %78 ], [ %133, %129 ], [ %.040, %81 ], [ 0, %102 ]
  br i1 %phiofops, label %41, label %135

135:                                              ; preds = %134
  ret i32 %.1
}

define internal ptr @line_of(ptr %0, i32 %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @PHASE, align 4
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds i64, ptr %3, i64 %5
  %7 = load i64, ptr %6, align 8
  %8 = load i32, ptr @stride_LINES, align 4
  %9 = sext i32 %8 to i64
  %10 = mul nsw i64 %7, %9
  %11 = getelementptr inbounds i32, ptr @of_LINES, i64 %10
  %12 = load i32, ptr %11, align 4
  %13 = load i32, ptr @LINE, align 4
  %14 = mul nsw i32 %1, %13
  %15 = add nsw i32 %12, %14
  %16 = call ptr @numbers(ptr nonnull %0, i32 %15)
  ret ptr %16
}

define internal void @tell_of(ptr %0, i32 %1, double %2) {
  %4 = load ptr, ptr %0, align 8
  %5 = load i32, ptr @COUNTS, align 4
  %6 = add nsw i32 %5, %1
  %7 = sext i32 %6 to i64
  %8 = getelementptr inbounds i64, ptr %4, i64 %7
  %9 = load i64, ptr %8, align 8
  %10 = add nsw i64 %9, 1
  store i64 %10, ptr %8, align 8
  %11 = load ptr, ptr %0, align 8
  %12 = load i32, ptr @FRESH_OUTPUTS, align 4
  %13 = sext i32 %12 to i64
  %14 = getelementptr inbounds i64, ptr %11, i64 %13
  store i64 0, ptr %14, align 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %16 = load ptr, ptr %15, align 8
  %.not = icmp eq ptr %16, null
  br i1 %.not, label %25, label %17

17:                                               ; preds = %3
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %19 = load ptr, ptr %18, align 8
  %20 = sext i32 %1 to i64
  %21 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %20
  %22 = load ptr, ptr %21, align 8
  %23 = getelementptr inbounds nuw i8, ptr %21, i64 8
  %24 = load ptr, ptr %23, align 8
  call void %16(ptr %19, double %2, ptr %22, ptr %24)
  br label %25

25:                                               ; preds = %17, %3
  ret void
}

define internal i32 @due_now(ptr %0, ptr %1, i32 %2, ptr %3) {
  %5 = load i32, ptr @DUE, align 4
  %6 = call ptr @numbers(ptr %0, i32 %5)
  %7 = load i32, ptr @TIME, align 4
  %8 = call double @number(ptr %0, i32 %7)
  br label %9

9:                                                ; preds = %58, %4
  %.035 = phi i32 [ 0, %4 ], [ %59, %58 ]
  %.029 = phi i32 [ 0, %4 ], [ %.231, %58 ]
  %.0 = phi i32 [ undef, %4 ], [ %.2, %58 ]
  %10 = icmp slt i32 %.035, %2
  br i1 %10, label %11, label %60

11:                                               ; preds = %9
  %12 = zext nneg i32 %.035 to i64
  %13 = getelementptr inbounds nuw i32, ptr %1, i64 %12
  %14 = load i32, ptr %13, align 4
  %15 = sext i32 %14 to i64
  %16 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %15
  %17 = getelementptr inbounds nuw i8, ptr %16, i64 32
  %18 = load i32, ptr %17, align 4
  %.not = icmp eq i32 %18, 0
  br i1 %.not, label %24, label %19

19:                                               ; preds = %11
  %20 = call ptr @line_of(ptr %0, i32 %14)
  %21 = load i32, ptr @EVENT_ACTIVE, align 4
  %22 = sext i32 %21 to i64
  %23 = getelementptr inbounds double, ptr %20, i64 %22
  store double 0.000000e+00, ptr %23, align 8
  br label %24

24:                                               ; preds = %19, %11
  %25 = getelementptr inbounds nuw i8, ptr %16, i64 24
  %26 = load double, ptr %25, align 8
  %27 = fcmp oeq double %26, 0.000000e+00
  br i1 %27, label %28, label %32

28:                                               ; preds = %24
  %29 = add nsw i32 %.029, 1
  %30 = sext i32 %.029 to i64
  %31 = getelementptr inbounds i32, ptr %3, i64 %30
  store i32 %14, ptr %31, align 4
  br label %57

32:                                               ; preds = %24
  %33 = load ptr, ptr %0, align 8
  %34 = load i32, ptr @DUES, align 4
  %35 = sext i32 %34 to i64
  %36 = getelementptr inbounds i64, ptr %33, i64 %35
  %37 = load i64, ptr %36, align 8
  %38 = trunc i64 %37 to i32
  %39 = load i32, ptr @DUES_MOST, align 4
  %40 = icmp eq i32 %39, %38
  br i1 %40, label %41, label %44

41:                                               ; preds = %32
  %42 = load ptr, ptr %16, align 8
  %43 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.43, ptr %42)
  br label %57

44:                                               ; preds = %32
  %45 = fadd double %8, %26
  %46 = shl nsw i32 %38, 1
  %47 = sext i32 %46 to i64
  %48 = getelementptr inbounds double, ptr %6, i64 %47
  store double %45, ptr %48, align 8
  %49 = sitofp i32 %14 to double
  %50 = sext i32 %46 to i64
  %51 = getelementptr double, ptr %6, i64 %50
  %52 = getelementptr i8, ptr %51, i64 8
  store double %49, ptr %52, align 8
  %53 = load ptr, ptr %0, align 8
  %54 = getelementptr inbounds i64, ptr %53, i64 %35
  %55 = load i64, ptr %54, align 8
  %56 = add nsw i64 %55, 1
  store i64 %56, ptr %54, align 8
  br label %57

57:                                               ; preds = %41, %44, %28
  %.133 = phi i32 [ 4, %28 ], [ 1, %41 ], [ 0, %44 ]
  %.231 = phi i32 [ %29, %28 ], [ %.029, %41 ], [ %.029, %44 ]
  %.2 = phi i32 [ %.0, %28 ], [ %43, %41 ], [ %.0, %44 ]
  switch i32 %.133, label %60 [
    i32 0, label %58
    i32 4, label %58
  ]

58:                                               ; preds = %57, %57
  %59 = add nuw nsw i32 %.035, 1
  br label %9

60:                                               ; preds = %9, %57
  %phiofops = phi i32 [ %.029, %9 ], [ %.2, %57 ]
  ret i32 %phiofops
}

define internal i32 @take_due(ptr %0, double %1, ptr %2) {
  %4 = load i32, ptr @DUE, align 4
  %5 = call ptr @numbers(ptr %0, i32 %4)
  br label %6

6:                                                ; preds = %72, %3
  %.044 = phi i32 [ 0, %3 ], [ %.145, %72 ]
  %.041 = phi i32 [ undef, %3 ], [ %.1, %72 ]
  %7 = load ptr, ptr %0, align 8
  %8 = load i32, ptr @DUES, align 4
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %7, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = trunc i64 %11 to i32
  %13 = add nsw i32 %12, -1
  br label %14

14:                                               ; preds = %45, %6
  %.042 = phi i32 [ -1, %6 ], [ %.143, %45 ]
  %.040 = phi i32 [ 0, %6 ], [ %46, %45 ]
  %.not.not = icmp slt i32 %.040, %12
  br i1 %.not.not, label %15, label %47

15:                                               ; preds = %14
  %16 = shl nuw nsw i32 %.040, 1
  %17 = zext nneg i32 %16 to i64
  %18 = getelementptr inbounds nuw double, ptr %5, i64 %17
  %19 = load double, ptr %18, align 8
  %20 = call double @same_time(double %1)
  %21 = fadd double %1, %20
  %22 = fcmp ogt double %19, %21
  br i1 %22, label %45, label %23

23:                                               ; preds = %15
  %24 = icmp slt i32 %.042, 0
  br i1 %24, label %44, label %25

25:                                               ; preds = %23
  %26 = load double, ptr %18, align 8
  %27 = shl nuw nsw i32 %.042, 1
  %28 = zext nneg i32 %27 to i64
  %29 = getelementptr inbounds nuw double, ptr %5, i64 %28
  %30 = load double, ptr %29, align 8
  %31 = fcmp olt double %26, %30
  br i1 %31, label %44, label %32

32:                                               ; preds = %25
  %33 = fcmp oeq double %26, %30
  br i1 %33, label %34, label %45

34:                                               ; preds = %32
  %35 = zext nneg i32 %16 to i64
  %36 = getelementptr inbounds nuw double, ptr %5, i64 %35
  %37 = getelementptr inbounds nuw i8, ptr %36, i64 8
  %38 = load double, ptr %37, align 8
  %39 = zext nneg i32 %27 to i64
  %40 = getelementptr inbounds nuw double, ptr %5, i64 %39
  %41 = getelementptr inbounds nuw i8, ptr %40, i64 8
  %42 = load double, ptr %41, align 8
  %43 = fcmp olt double %38, %42
  br i1 %43, label %44, label %45

44:                                               ; preds = %34, %25, %23
  br label %45

45:                                               ; preds = %32, %34, %44, %15
  %.143 = phi i32 [ %.042, %15 ], [ %.040, %44 ], [ %.042, %34 ], [ %.042, %32 ]
  %46 = add nuw nsw i32 %.040, 1
  br label %14

47:                                               ; preds = %14
  %48 = icmp sgt i32 %.042, -1
  br i1 %48, label %49, label %72

49:                                               ; preds = %47
  %50 = shl nuw nsw i32 %.042, 1
  %51 = zext nneg i32 %50 to i64
  %52 = getelementptr inbounds nuw double, ptr %5, i64 %51
  %53 = getelementptr inbounds nuw i8, ptr %52, i64 8
  %54 = load double, ptr %53, align 8
  %55 = fptosi double %54 to i32
  %56 = add nsw i32 %.044, 1
  %57 = sext i32 %.044 to i64
  %58 = getelementptr inbounds i32, ptr %2, i64 %57
  store i32 %55, ptr %58, align 4
  %59 = shl nsw i32 %13, 1
  %60 = sext i32 %59 to i64
  %61 = getelementptr inbounds double, ptr %5, i64 %60
  %62 = load double, ptr %61, align 8
  %63 = zext nneg i32 %50 to i64
  %64 = getelementptr inbounds nuw double, ptr %5, i64 %63
  store double %62, ptr %64, align 8
  %65 = sext i32 %59 to i64
  %66 = getelementptr double, ptr %5, i64 %65
  %67 = getelementptr i8, ptr %66, i64 8
  %68 = load double, ptr %67, align 8
  store double %68, ptr %53, align 8
  %69 = sext i32 %13 to i64
  %70 = load ptr, ptr %0, align 8
  %71 = getelementptr inbounds i64, ptr %70, i64 %9
  store i64 %69, ptr %71, align 8
  br label %72

72:                                               ; preds = %47, %49
  %.145 = phi i32 [ %.044, %47 ], [ %56, %49 ]
  %.1 = phi i32 [ %.044, %47 ], [ %.041, %49 ]
  br i1 %48, label %6, label %73

73:                                               ; preds = %72
  ret i32 %.1
}

define internal i32 @act(ptr %0, ptr %1, i32 %2) {
  %4 = load i32, ptr @ROW, align 4
  %5 = call ptr @numbers(ptr %0, i32 %4)
  %6 = load i32, ptr @SIZES, align 4
  %7 = call ptr @numbers(ptr %0, i32 %6)
  br label %8

8:                                                ; preds = %10, %3
  %.0108 = phi i32 [ 1, %3 ], [ %19, %10 ]
  %.0105 = phi i32 [ 0, %3 ], [ %20, %10 ]
  %9 = icmp slt i32 %.0105, %2
  br i1 %9, label %10, label %21

10:                                               ; preds = %8
  %11 = zext nneg i32 %.0105 to i64
  %12 = getelementptr inbounds nuw i32, ptr %1, i64 %11
  %13 = load i32, ptr %12, align 4
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %14
  %16 = getelementptr inbounds nuw i8, ptr %15, i64 44
  %17 = load i32, ptr %16, align 4
  %18 = and i32 %.0108, 1
  %.inv = icmp slt i32 %17, 0
  %19 = select i1 %.inv, i32 0, i32 %18
  %20 = add nuw nsw i32 %.0105, 1
  br label %8

21:                                               ; preds = %8
  %22 = icmp sgt i32 %2, 0
  br i1 %22, label %23, label %28

23:                                               ; preds = %21
  %24 = load i32, ptr %1, align 4
  %25 = load i32, ptr @TIME, align 4
  %26 = call double @number(ptr %0, i32 %25)
  %27 = call i32 @look_for_crowds(ptr %0, i32 %24, double %26, i32 %.0108)
  %.not = icmp eq i32 %27, 0
  br i1 %.not, label %28, label %209

28:                                               ; preds = %23, %21
  %29 = load ptr, ptr %0, align 8
  call void @call_look(ptr %29)
  br label %30

30:                                               ; preds = %33, %28
  %.0103 = phi i32 [ 0, %28 ], [ %41, %33 ]
  %31 = load i32, ptr @EVENT_COUNT, align 4
  %32 = icmp slt i32 %.0103, %31
  br i1 %32, label %33, label %42

33:                                               ; preds = %30
  %34 = load i32, ptr @SEEN, align 4
  %35 = shl nuw nsw i32 %.0103, 1
  %36 = add nsw i32 %34, %35
  %37 = call double @number(ptr nonnull %0, i32 %36)
  %38 = call double @llvm.fabs.f64(double %37)
  %39 = zext nneg i32 %.0103 to i64
  %40 = getelementptr inbounds nuw double, ptr %7, i64 %39
  store double %38, ptr %40, align 8
  %41 = add nuw nsw i32 %.0103, 1
  br label %30

42:                                               ; preds = %30, %75
  %.0109 = phi i32 [ %.1110, %75 ], [ 0, %30 ]
  %.0106 = phi i32 [ %.1107, %75 ], [ 0, %30 ]
  %.0102 = phi i32 [ %76, %75 ], [ 0, %30 ]
  %43 = icmp slt i32 %.0102, %2
  br i1 %43, label %44, label %77

44:                                               ; preds = %42
  %45 = zext nneg i32 %.0102 to i64
  %46 = getelementptr inbounds nuw i32, ptr %1, i64 %45
  %47 = load i32, ptr %46, align 4
  %48 = sext i32 %47 to i64
  %49 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %48
  %50 = getelementptr inbounds nuw i8, ptr %49, i64 44
  %51 = load i32, ptr %50, align 4
  %52 = icmp sgt i32 %51, -1
  br i1 %52, label %53, label %64

53:                                               ; preds = %44
  %54 = getelementptr inbounds nuw i8, ptr %49, i64 48
  %55 = load i32, ptr %54, align 4
  %56 = sext i32 %55 to i64
  %57 = load ptr, ptr %0, align 8
  %58 = load i32, ptr @STOP_FIRED, align 4
  %59 = add nsw i32 %58, %51
  %60 = sext i32 %59 to i64
  %61 = getelementptr inbounds i64, ptr %57, i64 %60
  %62 = load i64, ptr %61, align 8
  %63 = or i64 %62, %56
  store i64 %63, ptr %61, align 8
  br label %64

64:                                               ; preds = %53, %44
  %.1110 = phi i32 [ 1, %53 ], [ %.0109, %44 ]
  %65 = load i32, ptr %46, align 4
  %66 = sext i32 %65 to i64
  %67 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %66
  %68 = getelementptr inbounds nuw i8, ptr %67, i64 44
  %69 = load i32, ptr %68, align 4
  %70 = icmp slt i32 %69, 0
  br i1 %70, label %71, label %75

71:                                               ; preds = %64
  %72 = add nsw i32 %.0106, 1
  %73 = sext i32 %.0106 to i64
  %74 = getelementptr inbounds i32, ptr %1, i64 %73
  store i32 %65, ptr %74, align 4
  br label %75

75:                                               ; preds = %64, %71
  %.1107 = phi i32 [ %72, %71 ], [ %.0106, %64 ]
  %76 = add nuw nsw i32 %.0102, 1
  br label %42

77:                                               ; preds = %194, %42
  %.2111 = phi i32 [ %.0109, %42 ], [ %.3, %194 ]
  %.099 = phi i32 [ 0, %42 ], [ %.2101, %194 ]
  %.098 = phi i32 [ 0, %42 ], [ %93, %194 ]
  %.095 = phi i32 [ %.0106, %42 ], [ %.196, %194 ]
  %.193 = phi i32 [ undef, %42 ], [ %.294, %194 ]
  %78 = icmp sgt i32 %.095, 0
  br i1 %78, label %.critedge, label %79

79:                                               ; preds = %77
  %.not117 = icmp eq i32 %.2111, 0
  br i1 %.not117, label %.critedge113, label %80

80:                                               ; preds = %79
  %81 = load ptr, ptr %0, align 8
  %82 = load i32, ptr @ENDED_BY, align 4
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds i64, ptr %81, i64 %83
  %85 = load i64, ptr %84, align 8
  %.not118 = icmp eq i64 %85, 0
  br i1 %.not118, label %.critedge, label %.critedge113

.critedge:                                        ; preds = %77, %80
  %86 = load i32, ptr @DUES_MOST, align 4
  %87 = add nsw i32 %31, %86
  %88 = zext i32 %87 to i64
  %89 = call ptr @llvm.stacksave.p0()
  %90 = alloca i32, i64 %88, align 4
  %91 = zext i32 %31 to i64
  %92 = alloca i32, i64 %91, align 4
  %93 = add nuw nsw i32 %.098, 1
  %94 = load i32, ptr @AT_ONCE, align 4
  %.not119 = icmp slt i32 %.098, %94
  br i1 %.not119, label %104, label %95

95:                                               ; preds = %.critedge
  br i1 %78, label %96, label %101

96:                                               ; preds = %95
  %97 = load i32, ptr %1, align 4
  %98 = sext i32 %97 to i64
  %99 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %98
  %100 = load ptr, ptr %99, align 8
  br label %101

101:                                              ; preds = %95, %96
  %102 = phi ptr [ %100, %96 ], [ @.str.45, %95 ]
  %103 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.44, ptr %102)
  br label %194

104:                                              ; preds = %.critedge
  %105 = load i32, ptr @ROW_BEFORE, align 4
  %106 = call ptr @numbers(ptr nonnull %0, i32 %105)
  %107 = load ptr, ptr %0, align 8
  %108 = load i32, ptr @PHASE, align 4
  %109 = sext i32 %108 to i64
  %110 = getelementptr inbounds i64, ptr %107, i64 %109
  %111 = load i64, ptr %110, align 8
  %112 = load i32, ptr @stride_WIDTH, align 4
  %113 = sext i32 %112 to i64
  %114 = mul nsw i64 %111, %113
  %115 = getelementptr inbounds i32, ptr @of_WIDTH, i64 %114
  %116 = load i32, ptr %115, align 4
  %117 = sext i32 %116 to i64
  %118 = shl nsw i64 %117, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %106, ptr align 1 %5, i64 %118, i1 false)
  br label %119

119:                                              ; preds = %131, %104
  %.091 = phi i32 [ 0, %104 ], [ %.1, %131 ]
  %.090 = phi i32 [ 0, %104 ], [ %132, %131 ]
  %120 = icmp slt i32 %.090, %.095
  br i1 %120, label %121, label %133

121:                                              ; preds = %119
  %122 = zext nneg i32 %.090 to i64
  %123 = getelementptr inbounds nuw i32, ptr %1, i64 %122
  %124 = load i32, ptr %123, align 4
  %125 = call i32 @changes(ptr nonnull %0, i32 %124)
  %.not125 = icmp eq i32 %125, 0
  br i1 %.not125, label %131, label %126

126:                                              ; preds = %121
  %127 = load i32, ptr %123, align 4
  %128 = add nsw i32 %.091, 1
  %129 = sext i32 %.091 to i64
  %130 = getelementptr inbounds i32, ptr %90, i64 %129
  store i32 %127, ptr %130, align 4
  br label %131

131:                                              ; preds = %121, %126
  %.1 = phi i32 [ %128, %126 ], [ %.091, %121 ]
  %132 = add nuw nsw i32 %.090, 1
  br label %119

133:                                              ; preds = %119
  %134 = icmp sgt i32 %.091, 0
  br i1 %134, label %135, label %142

135:                                              ; preds = %133
  %136 = call i32 @change(ptr nonnull %0, ptr nonnull %90, i32 %.091)
  %.not120 = icmp eq i32 %136, 0
  br i1 %.not120, label %137, label %194

137:                                              ; preds = %135
  %138 = load i32, ptr @STOPS, align 4
  %139 = icmp sgt i32 %138, 0
  %140 = zext i1 %139 to i32
  %141 = or i32 %.2111, %140
  br label %142

142:                                              ; preds = %137, %133
  %.4 = phi i32 [ %141, %137 ], [ %.2111, %133 ]
  %143 = load i32, ptr @STOPS, align 4
  %144 = icmp ne i32 %143, 0
  %145 = icmp eq i32 %.095, 0
  %or.cond = and i1 %144, %145
  br i1 %or.cond, label %146, label %154

146:                                              ; preds = %142
  %147 = call i32 @settle(ptr nonnull %0)
  %.not121 = icmp eq i32 %147, 0
  br i1 %.not121, label %148, label %194

148:                                              ; preds = %146
  %149 = call i32 @pulls(ptr nonnull %0)
  %.not122 = icmp eq i32 %149, 0
  br i1 %.not122, label %150, label %154

150:                                              ; preds = %148
  %151 = call i32 @slips_at_a_stop(ptr nonnull %0)
  %152 = icmp ne i32 %151, 0
  %153 = zext i1 %152 to i32
  br label %154

154:                                              ; preds = %148, %150, %142
  %phiofops = phi i1 [ %134, %142 ], [ true, %150 ], [ true, %148 ]
  %.5 = phi i32 [ %.4, %142 ], [ 1, %148 ], [ %153, %150 ]
  %.2 = phi i32 [ %.091, %142 ], [ 1, %150 ], [ 1, %148 ]
  br label %155

155:                                              ; preds = %175, %154
  %.0 = phi i32 [ 0, %154 ], [ %176, %175 ]
  %156 = icmp slt i32 %.0, %.095
  br i1 %156, label %157, label %177

157:                                              ; preds = %155
  %158 = zext nneg i32 %.0 to i64
  %159 = getelementptr inbounds nuw i32, ptr %1, i64 %158
  %160 = load i32, ptr %159, align 4
  %161 = load i32, ptr @TIME, align 4
  %162 = call double @number(ptr nonnull %0, i32 %161)
  call void @tell_of(ptr nonnull %0, i32 %160, double %162)
  %163 = load i32, ptr %159, align 4
  %164 = sext i32 %163 to i64
  %165 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %164
  %166 = getelementptr inbounds nuw i8, ptr %165, i64 36
  %167 = load i32, ptr %166, align 4
  %.not124 = icmp eq i32 %167, 0
  br i1 %.not124, label %175, label %168

168:                                              ; preds = %157
  %169 = add nsw i32 %163, 1
  %170 = sext i32 %169 to i64
  %171 = load ptr, ptr %0, align 8
  %172 = load i32, ptr @ENDED_BY, align 4
  %173 = sext i32 %172 to i64
  %174 = getelementptr inbounds i64, ptr %171, i64 %173
  store i64 %170, ptr %174, align 8
  br label %175

175:                                              ; preds = %157, %168
  %176 = add nuw nsw i32 %.0, 1
  br label %155

177:                                              ; preds = %155
  %178 = zext i1 %phiofops to i32
  %179 = or i32 %.099, %178
  %180 = load ptr, ptr %0, align 8
  %181 = load i32, ptr @ENDED_BY, align 4
  %182 = sext i32 %181 to i64
  %183 = getelementptr inbounds i64, ptr %180, i64 %182
  %184 = load i64, ptr %183, align 8
  %.not123 = icmp eq i64 %184, 0
  br i1 %.not123, label %185, label %194

185:                                              ; preds = %177
  %186 = icmp eq i32 %.2, 0
  br i1 %186, label %191, label %187

187:                                              ; preds = %185
  %188 = call i32 @carried(ptr nonnull %0, ptr %1, i32 %.095, ptr nonnull %92)
  %189 = call i32 @due_now(ptr nonnull %0, ptr nonnull %92, i32 %188, ptr nonnull %92)
  %190 = icmp slt i32 %189, 0
  br i1 %190, label %194, label %191

191:                                              ; preds = %187, %185
  %.297 = phi i32 [ 0, %185 ], [ %189, %187 ]
  %192 = zext nneg i32 %.297 to i64
  %193 = shl nuw nsw i64 %192, 2
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %1, ptr nonnull align 4 %92, i64 %193, i1 false)
  br label %194

194:                                              ; preds = %187, %177, %146, %135, %191, %101
  %.3 = phi i32 [ %.2111, %101 ], [ %.5, %177 ], [ %.2111, %135 ], [ %.4, %146 ], [ %.5, %191 ], [ %.5, %187 ]
  %.0104 = phi i32 [ 1, %101 ], [ 12, %177 ], [ 1, %135 ], [ 1, %146 ], [ 0, %191 ], [ 1, %187 ]
  %.2101 = phi i32 [ %.099, %101 ], [ %179, %177 ], [ %.099, %135 ], [ %.099, %146 ], [ %179, %191 ], [ %179, %187 ]
  %.196 = phi i32 [ %.095, %101 ], [ %.095, %177 ], [ %.095, %135 ], [ 0, %146 ], [ %.297, %191 ], [ %189, %187 ]
  %.294 = phi i32 [ %103, %101 ], [ %.193, %177 ], [ -1, %135 ], [ -1, %146 ], [ %.193, %191 ], [ -1, %187 ]
  call void @llvm.stackrestore.p0(ptr %89)
  switch i32 %.0104, label %209 [
    i32 0, label %77
    i32 12, label %.critedge113
  ]

.critedge113:                                     ; preds = %79, %194, %80
  %.1100 = phi i32 [ %.2101, %194 ], [ %.099, %80 ], [ %.099, %79 ]
  %195 = load ptr, ptr %0, align 8
  %196 = load i32, ptr @PHASE, align 4
  %197 = sext i32 %196 to i64
  %198 = getelementptr inbounds i64, ptr %195, i64 %197
  %199 = load i64, ptr %198, align 8
  %200 = load i32, ptr @stride_STATUS, align 4
  %201 = sext i32 %200 to i64
  %202 = mul nsw i64 %199, %201
  %203 = getelementptr inbounds i32, ptr @of_STATUS, i64 %202
  %204 = load i32, ptr %203, align 4
  %205 = load i32, ptr @STATUS_CHANGED, align 4
  %206 = add nsw i32 %204, %205
  %207 = sext i32 %206 to i64
  %208 = getelementptr inbounds i64, ptr %195, i64 %207
  store i64 1, ptr %208, align 8
  br label %209

209:                                              ; preds = %23, %.critedge113, %194
  %.092 = phi i32 [ %.1100, %.critedge113 ], [ %.294, %194 ], [ -1, %23 ]
  ret i32 %.092
}

define internal i32 @look_for_crowds(ptr %0, i32 %1, double %2, i32 %3) {
  %5 = load i32, ptr @CROWD_TIME, align 4
  %6 = call ptr @numbers(ptr %0, i32 %5)
  %7 = load i32, ptr @CROWD_INTERVAL, align 4
  %8 = call ptr @numbers(ptr %0, i32 %7)
  %9 = load i32, ptr @CROWD_LONGEST, align 4
  %10 = call ptr @numbers(ptr %0, i32 %9)
  %11 = load double, ptr %6, align 8
  %12 = fsub double %2, %11
  %13 = fcmp ugt double %12, 0.000000e+00
  br i1 %13, label %22, label %14

14:                                               ; preds = %4
  %15 = load ptr, ptr %0, align 8
  %16 = load i32, ptr @CROWD_EVENT, align 4
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds i64, ptr %15, i64 %17
  %19 = load i64, ptr %18, align 8
  %20 = sext i32 %1 to i64
  %21 = icmp eq i64 %19, %20
  br label %22

22:                                               ; preds = %14, %4
  %.not46 = phi i1 [ true, %4 ], [ %21, %14 ]
  %23 = phi i1 [ false, %4 ], [ %21, %14 ]
  %24 = load double, ptr @CROWDED, align 8
  %25 = load double, ptr @SPAN, align 8
  %26 = fmul double %24, %25
  %27 = fcmp olt double %12, %26
  br i1 %27, label %28, label %35

28:                                               ; preds = %22
  %29 = load ptr, ptr %0, align 8
  %30 = load i32, ptr @CROWD, align 4
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds i64, ptr %29, i64 %31
  %33 = load i64, ptr %32, align 8
  %34 = add nsw i64 %33, 1
  br label %35

35:                                               ; preds = %22, %28
  %36 = phi i64 [ %34, %28 ], [ 0, %22 ]
  %37 = load ptr, ptr %0, align 8
  %38 = load i32, ptr @CROWD, align 4
  %39 = sext i32 %38 to i64
  %40 = getelementptr inbounds i64, ptr %37, i64 %39
  store i64 %36, ptr %40, align 8
  store double %2, ptr %6, align 8
  %41 = sext i32 %1 to i64
  %42 = load ptr, ptr %0, align 8
  %43 = load i32, ptr @CROWD_EVENT, align 4
  %44 = sext i32 %43 to i64
  %45 = getelementptr inbounds i64, ptr %42, i64 %44
  store i64 %41, ptr %45, align 8
  br i1 %.not46, label %46, label %95

46:                                               ; preds = %35
  %47 = load double, ptr %8, align 8
  %48 = call double @llvm.fabs.f64(double %47)
  %49 = fcmp one double %48, 0x7FF0000000000000
  %50 = fcmp olt double %12, %47
  %or.cond = select i1 %49, i1 %50, i1 false
  br i1 %or.cond, label %51, label %.critedge

51:                                               ; preds = %46
  %52 = load double, ptr @ABRUPT, align 8
  %53 = fmul double %52, %47
  %54 = fcmp ogt double %12, %53
  %.not48 = xor i1 %23, true
  %brmerge = select i1 %54, i1 true, i1 %.not48
  %.mux = select i1 %54, i1 true, i1 false
  br i1 %brmerge, label %62, label %55

.critedge:                                        ; preds = %46
  br i1 %23, label %55, label %62

55:                                               ; preds = %51, %.critedge
  %56 = load ptr, ptr %0, align 8
  %57 = load i32, ptr @CROWD_SHORTER, align 4
  %58 = sext i32 %57 to i64
  %59 = getelementptr inbounds i64, ptr %56, i64 %58
  %60 = load i64, ptr %59, align 8
  %61 = icmp sgt i64 %60, 0
  br label %62

62:                                               ; preds = %51, %.critedge, %55
  %63 = phi i1 [ %.mux, %51 ], [ false, %.critedge ], [ %61, %55 ]
  br i1 %63, label %64, label %71

64:                                               ; preds = %62
  %65 = load ptr, ptr %0, align 8
  %66 = load i32, ptr @CROWD_SHORTER, align 4
  %67 = sext i32 %66 to i64
  %68 = getelementptr inbounds i64, ptr %65, i64 %67
  %69 = load i64, ptr %68, align 8
  %70 = add nsw i64 %69, 1
  br label %71

71:                                               ; preds = %62, %64
  %72 = phi i64 [ %70, %64 ], [ 0, %62 ]
  %73 = load ptr, ptr %0, align 8
  %74 = load i32, ptr @CROWD_SHORTER, align 4
  %75 = sext i32 %74 to i64
  %76 = getelementptr inbounds i64, ptr %73, i64 %75
  store i64 %72, ptr %76, align 8
  br i1 %63, label %78, label %77

77:                                               ; preds = %71
  store double %12, ptr %10, align 8
  br label %78

78:                                               ; preds = %77, %71
  store double %12, ptr %8, align 8
  %.not = icmp eq i32 %3, 0
  br i1 %.not, label %79, label %94

79:                                               ; preds = %78
  %80 = load ptr, ptr %0, align 8
  %81 = getelementptr inbounds i64, ptr %80, i64 %75
  %82 = load i64, ptr %81, align 8
  %83 = load i32, ptr @SHORTER, align 4
  %84 = sext i32 %83 to i64
  %.not47 = icmp slt i64 %82, %84
  br i1 %.not47, label %94, label %85

85:                                               ; preds = %79
  %86 = load double, ptr @VANISHES, align 8
  %87 = load double, ptr %10, align 8
  %88 = fmul double %86, %87
  %89 = fcmp olt double %12, %88
  br i1 %89, label %90, label %94

90:                                               ; preds = %85
  %91 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %41
  %92 = load ptr, ptr %91, align 8
  %93 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.46, ptr %92)
  br label %94

94:                                               ; preds = %78, %79, %85, %90
  %phiofops = phi i1 [ true, %78 ], [ true, %79 ], [ true, %85 ], [ false, %90 ]
  %.044 = phi i32 [ undef, %78 ], [ undef, %79 ], [ undef, %85 ], [ %93, %90 ]
  br i1 %phiofops, label %95, label %106

95:                                               ; preds = %94, %35
  %96 = load ptr, ptr %0, align 8
  %97 = getelementptr inbounds i64, ptr %96, i64 %39
  %98 = load i64, ptr %97, align 8
  %99 = load i32, ptr @CROWD_END, align 4
  %100 = sext i32 %99 to i64
  %101 = icmp slt i64 %98, %100
  br i1 %101, label %106, label %102

102:                                              ; preds = %95
  %103 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %41
  %104 = load ptr, ptr %103, align 8
  %105 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.47, ptr %104)
  br label %106

106:                                              ; preds = %95, %94, %102
  %.1 = phi i32 [ %.044, %94 ], [ %105, %102 ], [ 0, %95 ]
  ret i32 %.1
}

declare void @call_look(ptr noundef)

define internal i32 @changes(ptr %0, i32 %1) {
  %3 = load i32, ptr @COMERS, align 4
  %.not = icmp eq i32 %3, 0
  br i1 %.not, label %23, label %4

4:                                                ; preds = %2
  %5 = sext i32 %1 to i64
  %6 = getelementptr inbounds %struct.anon.5, ptr @doors, i64 %5
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 1
  %8 = load i8, ptr %7, align 1
  %.not5 = icmp eq i8 %8, 0
  br i1 %.not5, label %23, label %9

9:                                                ; preds = %4
  %10 = load i32, ptr @EVENT_COUNT, align 4
  %11 = zext i32 %10 to i64
  %12 = load ptr, ptr %0, align 8
  %13 = load i32, ptr @PHASE, align 4
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds i64, ptr %12, i64 %14
  %16 = load i64, ptr %15, align 8
  %17 = mul nsw i64 %16, %11
  %18 = getelementptr inbounds i16, ptr @flat_leads, i64 %17
  %19 = getelementptr inbounds i16, ptr %18, i64 %5
  %20 = load i16, ptr %19, align 2
  %21 = sext i16 %20 to i64
  %22 = icmp eq i64 %16, %21
  br i1 %22, label %30, label %23

23:                                               ; preds = %9, %4, %2
  %24 = sext i32 %1 to i64
  %25 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %24
  %26 = getelementptr inbounds nuw i8, ptr %25, i64 40
  %27 = load i32, ptr %26, align 4
  %28 = icmp sgt i32 %27, -1
  %29 = zext i1 %28 to i32
  br label %30

30:                                               ; preds = %9, %23
  %.0 = phi i32 [ %29, %23 ], [ 0, %9 ]
  ret i32 %.0
}

define internal i32 @change(ptr %0, ptr %1, i32 %2) {
  %4 = alloca [2 x i32], align 4
  %5 = load i32, ptr @ROW, align 4
  %6 = call ptr @numbers(ptr %0, i32 %5)
  %7 = load i32, ptr @EVENT_Q, align 4
  %8 = call ptr @numbers(ptr %0, i32 %7)
  %9 = load i32, ptr @EVENT_V, align 4
  %10 = call ptr @numbers(ptr %0, i32 %9)
  %11 = load i32, ptr %1, align 4
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %12
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 40
  br label %15

15:                                               ; preds = %18, %3
  %.094.in = phi ptr [ %14, %3 ], [ %32, %18 ]
  %.093 = phi i32 [ 1, %3 ], [ %33, %18 ]
  %.094 = load i32, ptr %.094.in, align 4
  %16 = icmp slt i32 %.093, %2
  %17 = icmp sgt i32 %.094, -1
  %spec.select = select i1 %16, i1 %17, i1 false
  br i1 %spec.select, label %18, label %34

18:                                               ; preds = %15
  %19 = load i32, ptr @WAYS, align 4
  %20 = zext i32 %19 to i64
  %21 = zext nneg i32 %.094 to i64
  %22 = mul nuw nsw i64 %21, %20
  %23 = getelementptr inbounds nuw i32, ptr @flat_both, i64 %22
  %24 = zext nneg i32 %.093 to i64
  %25 = getelementptr inbounds nuw i32, ptr %1, i64 %24
  %26 = load i32, ptr %25, align 4
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %27
  %29 = getelementptr inbounds nuw i8, ptr %28, i64 40
  %30 = load i32, ptr %29, align 4
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds i32, ptr %23, i64 %31
  %33 = add nuw nsw i32 %.093, 1
  br label %15

34:                                               ; preds = %15
  %35 = icmp slt i32 %.094, 0
  br i1 %35, label %36, label %38

36:                                               ; preds = %34
  %37 = call i32 @fail_of(ptr %0, ptr nonnull @.str.48, ptr nonnull %1, i32 %2)
  br label %162

38:                                               ; preds = %34, %50
  %.087 = phi i32 [ %59, %50 ], [ 0, %34 ]
  %39 = load ptr, ptr %0, align 8
  %40 = load i32, ptr @PHASE, align 4
  %41 = sext i32 %40 to i64
  %42 = getelementptr inbounds i64, ptr %39, i64 %41
  %43 = load i64, ptr %42, align 8
  %44 = load i32, ptr @stride_VALUE_ROWS, align 4
  %45 = sext i32 %44 to i64
  %46 = mul nsw i64 %43, %45
  %47 = getelementptr inbounds i32, ptr @of_VALUE_ROWS, i64 %46
  %48 = load i32, ptr %47, align 4
  %49 = icmp slt i32 %.087, %48
  br i1 %49, label %50, label %60

50:                                               ; preds = %38
  %51 = load i32, ptr @VALUE_MEMORY, align 4
  %52 = call ptr @numbers(ptr nonnull %0, i32 %51)
  %53 = load i32, ptr @VALUE_COLUMNS, align 4
  %54 = mul nsw i32 %.087, %53
  %55 = load i32, ptr @LAST_TIME, align 4
  %56 = add nsw i32 %54, %55
  %57 = sext i32 %56 to i64
  %58 = getelementptr inbounds double, ptr %52, i64 %57
  store double 0x7FF8000000000000, ptr %58, align 8
  %59 = add nuw nsw i32 %.087, 1
  br label %38

60:                                               ; preds = %38
  call void @spread(ptr nonnull %0)
  %61 = load ptr, ptr %0, align 8
  call void @call_values(ptr %61)
  %62 = load i32, ptr @HAS_ENERGY, align 4
  %.not = icmp eq i32 %62, 0
  br i1 %.not, label %65, label %63

63:                                               ; preds = %60
  %64 = call double @energy_of(ptr nonnull %0, i32 1)
  br label %65

65:                                               ; preds = %63, %60
  %.084 = phi double [ %64, %63 ], [ 0.000000e+00, %60 ]
  %66 = load i32, ptr @COORDINATES, align 4
  %67 = sext i32 %66 to i64
  %68 = shl nsw i64 %67, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %8, ptr align 1 %6, i64 %68, i1 false)
  %69 = getelementptr inbounds double, ptr %6, i64 %67
  %70 = load i32, ptr @SPEEDS, align 4
  %71 = sext i32 %70 to i64
  %72 = shl nsw i64 %71, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %10, ptr align 1 %69, i64 %72, i1 false)
  br label %73

73:                                               ; preds = %88, %65
  %.086 = phi i32 [ 0, %65 ], [ %89, %88 ]
  %74 = icmp slt i32 %.086, %2
  %75 = load i32, ptr @STOPS, align 4
  %76 = icmp ne i32 %75, 0
  %77 = select i1 %74, i1 %76, i1 false
  br i1 %77, label %78, label %.critedge

78:                                               ; preds = %73
  %79 = zext nneg i32 %.086 to i64
  %80 = getelementptr inbounds nuw i32, ptr %1, i64 %79
  %81 = load i32, ptr %80, align 4
  %82 = sext i32 %81 to i64
  %83 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %82
  %84 = getelementptr inbounds nuw i8, ptr %83, i64 52
  %85 = load i32, ptr %84, align 4
  %.not98 = icmp eq i32 %85, 0
  br i1 %.not98, label %88, label %86

86:                                               ; preds = %78
  %87 = call i32 @release(ptr nonnull %0, i32 %81)
  %.not99 = icmp eq i32 %87, 0
  br i1 %.not99, label %.critedge, label %162

88:                                               ; preds = %78
  %89 = add nuw nsw i32 %.086, 1
  br label %73

.critedge:                                        ; preds = %73, %86, %150
  %.085 = phi i32 [ %151, %150 ], [ 0, %86 ], [ 0, %73 ]
  %.2 = phi i32 [ %.4, %150 ], [ -1, %86 ], [ -1, %73 ]
  %90 = load i32, ptr @ASSIGNMENTS, align 4
  %.not104 = icmp slt i32 %.085, %90
  br i1 %.not104, label %91, label %152

91:                                               ; preds = %.critedge
  %92 = zext nneg i32 %.085 to i64
  %93 = getelementptr inbounds nuw %struct.anon.6, ptr @assignments, i64 %92
  %94 = load i32, ptr %93, align 4
  %95 = call i32 @is_in(ptr nonnull %1, i32 %2, i32 %94)
  %.not100 = icmp eq i32 %95, 0
  br i1 %.not100, label %149, label %96

96:                                               ; preds = %91
  %97 = load i32, ptr @VALUES, align 4
  %98 = getelementptr inbounds nuw i8, ptr %93, i64 12
  %99 = load i32, ptr %98, align 4
  %100 = add nsw i32 %97, %99
  %101 = call double @number(ptr nonnull %0, i32 %100)
  %102 = call double @llvm.fabs.f64(double %101)
  %103 = fcmp ueq double %102, 0x7FF0000000000000
  br i1 %103, label %104, label %109

104:                                              ; preds = %96
  %105 = sext i32 %94 to i64
  %106 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %105
  %107 = load ptr, ptr %106, align 8
  %108 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.49, ptr %107)
  br label %149

109:                                              ; preds = %96, %120
  %.0 = phi i32 [ %121, %120 ], [ 0, %96 ]
  %.not103 = icmp samesign ult i32 %.0, %.085
  br i1 %.not103, label %110, label %122

110:                                              ; preds = %109
  %111 = zext nneg i32 %.0 to i64
  %112 = getelementptr inbounds nuw %struct.anon.6, ptr @assignments, i64 %111
  %113 = load i32, ptr %112, align 4
  %114 = call i32 @is_in(ptr nonnull %1, i32 %2, i32 %113)
  %.not101 = icmp eq i32 %114, 0
  br i1 %.not101, label %120, label %115

115:                                              ; preds = %110
  %116 = call i32 @disagree(ptr nonnull %0, i32 %.085, i32 %.0)
  %.not102 = icmp eq i32 %116, 0
  br i1 %.not102, label %120, label %117

117:                                              ; preds = %115
  store i32 %113, ptr %4, align 4
  %118 = getelementptr inbounds nuw i8, ptr %4, i64 4
  store i32 %94, ptr %118, align 4
  %119 = call i32 @fail_of(ptr nonnull %0, ptr nonnull @.str.50, ptr nonnull %4, i32 2)
  br label %122

120:                                              ; preds = %110, %115
  %121 = add nuw nsw i32 %.0, 1
  br label %109

122:                                              ; preds = %109, %117
  %.492 = phi i32 [ 14, %109 ], [ 1, %117 ]
  %.6 = phi i32 [ %.2, %109 ], [ %119, %117 ]
  br i1 %.not103, label %149, label %123

123:                                              ; preds = %122
  %124 = getelementptr inbounds nuw i8, ptr %93, i64 4
  %125 = load i32, ptr %124, align 4
  %126 = load i32, ptr @IS_PARAMETER, align 4
  %127 = icmp eq i32 %125, %126
  br i1 %127, label %128, label %142

128:                                              ; preds = %123
  %129 = load ptr, ptr %0, align 8
  %130 = getelementptr inbounds i64, ptr %129, i64 %41
  %131 = load i64, ptr %130, align 8
  %132 = load i32, ptr @stride_PARAMETERS, align 4
  %133 = sext i32 %132 to i64
  %134 = mul nsw i64 %131, %133
  %135 = getelementptr inbounds i32, ptr @of_PARAMETERS, i64 %134
  %136 = load i32, ptr %135, align 4
  %137 = call ptr @numbers(ptr nonnull %0, i32 %136)
  %138 = getelementptr inbounds nuw i8, ptr %93, i64 8
  %139 = load i32, ptr %138, align 4
  %140 = sext i32 %139 to i64
  %141 = getelementptr inbounds double, ptr %137, i64 %140
  store double %101, ptr %141, align 8
  br label %149

142:                                              ; preds = %123
  %143 = load i32, ptr @IS_SPEED, align 4
  %144 = icmp eq i32 %125, %143
  %.97 = select i1 %144, ptr %10, ptr %8
  %145 = getelementptr inbounds nuw i8, ptr %93, i64 8
  %146 = load i32, ptr %145, align 4
  %147 = sext i32 %146 to i64
  %148 = getelementptr inbounds double, ptr %.97, i64 %147
  store double %101, ptr %148, align 8
  br label %149

149:                                              ; preds = %104, %122, %142, %128, %91
  %.290 = phi i32 [ 13, %91 ], [ %.492, %122 ], [ 1, %104 ], [ 0, %142 ], [ 0, %128 ]
  %.4 = phi i32 [ %.2, %91 ], [ %.6, %122 ], [ %108, %104 ], [ %.6, %142 ], [ %.6, %128 ]
  switch i32 %.290, label %152 [
    i32 0, label %150
    i32 13, label %150
  ]

150:                                              ; preds = %149, %149
  %151 = add nuw nsw i32 %.085, 1
  br label %.critedge

152:                                              ; preds = %.critedge, %149
  %.3 = phi i32 [ %.4, %149 ], [ %.2, %.critedge ]
  br i1 %.not104, label %162, label %153

153:                                              ; preds = %152
  %154 = load i32, ptr @COMERS, align 4
  %.not105 = icmp eq i32 %154, 0
  br i1 %.not105, label %157, label %155

155:                                              ; preds = %153
  %156 = call i32 @go_through(ptr nonnull %0, i32 %.094, ptr nonnull %1, i32 %2)
  %.not106 = icmp eq i32 %156, 0
  br i1 %.not106, label %157, label %162

157:                                              ; preds = %155, %153
  br i1 %76, label %158, label %160

158:                                              ; preds = %157
  %159 = load ptr, ptr %0, align 8
  call void @call_tell_modes(ptr %159)
  br label %160

160:                                              ; preds = %158, %157
  %161 = call i32 @go_on_from_event(ptr nonnull %0, double %.084, i32 1, i32 %.094, ptr nonnull %1, i32 %2)
  br label %162

162:                                              ; preds = %155, %152, %86, %160, %36
  %.083 = phi i32 [ %37, %36 ], [ -1, %86 ], [ %.3, %152 ], [ %161, %160 ], [ -1, %155 ]
  ret i32 %.083
}

define internal i32 @settle(ptr %0) {
  %2 = alloca [1 x i32], align 4
  %3 = load i32, ptr @ROW, align 4
  %4 = call ptr @numbers(ptr %0, i32 %3)
  %5 = load i32, ptr @TIME, align 4
  %6 = call double @number(ptr %0, i32 %5)
  %7 = load i32, ptr @HAS_ENERGY, align 4
  %.not = icmp eq i32 %7, 0
  br i1 %.not, label %10, label %8

8:                                                ; preds = %1
  %9 = call double @energy_of(ptr %0, i32 1)
  br label %10

10:                                               ; preds = %1, %8
  %11 = phi double [ %9, %8 ], [ 0.000000e+00, %1 ]
  %12 = load i32, ptr @STOP_WATCHED, align 4
  %13 = call double @number(ptr %0, i32 %12)
  %14 = load i32, ptr @DIRECTIONS, align 4
  %15 = zext i32 %14 to i64
  %16 = alloca double, i64 %15, align 8
  %17 = load i32, ptr @STOPS, align 4
  %18 = zext i32 %17 to i64
  %19 = alloca i64, i64 %18, align 8
  %20 = alloca i64, i64 %15, align 8
  %21 = load i32, ptr @EVENT_Q, align 4
  %22 = call ptr @numbers(ptr %0, i32 %21)
  %23 = load i32, ptr @COORDINATES, align 4
  %24 = sext i32 %23 to i64
  %25 = shl nsw i64 %24, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %22, ptr align 1 %4, i64 %25, i1 false)
  %26 = load i32, ptr @EVENT_V, align 4
  %27 = call ptr @numbers(ptr %0, i32 %26)
  %28 = getelementptr inbounds double, ptr %4, i64 %24
  %29 = load i32, ptr @SPEEDS, align 4
  %30 = sext i32 %29 to i64
  %31 = shl nsw i64 %30, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %27, ptr align 1 %28, i64 %31, i1 false)
  br label %32

32:                                               ; preds = %44, %10
  %.095 = phi i32 [ 0, %10 ], [ %53, %44 ]
  %.093 = phi double [ %13, %10 ], [ %52, %44 ]
  %33 = load ptr, ptr %0, align 8
  %34 = load i32, ptr @PHASE, align 4
  %35 = sext i32 %34 to i64
  %36 = getelementptr inbounds i64, ptr %33, i64 %35
  %37 = load i64, ptr %36, align 8
  %38 = load i32, ptr @stride_ROWS, align 4
  %39 = sext i32 %38 to i64
  %40 = mul nsw i64 %37, %39
  %41 = getelementptr inbounds i32, ptr @of_ROWS, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = icmp slt i32 %.095, %42
  br i1 %43, label %44, label %54

44:                                               ; preds = %32
  %45 = shl nsw i32 %29, 1
  %46 = add nsw i32 %23, %45
  %47 = add nsw i32 %46, %.095
  %48 = sext i32 %47 to i64
  %49 = getelementptr inbounds double, ptr %4, i64 %48
  %50 = load double, ptr %49, align 8
  %51 = call double @llvm.fabs.f64(double %50)
  %52 = call double @llvm.maxnum.f64(double %.093, double %51)
  %53 = add nuw nsw i32 %.095, 1
  br label %32

54:                                               ; preds = %32
  %55 = fcmp ogt double %.093, 0.000000e+00
  %56 = load double, ptr @FORCE_SIZE, align 8
  %57 = select i1 %55, double %.093, double %56
  %58 = load i32, ptr @STOP_FORCE, align 4
  %59 = call ptr @numbers(ptr nonnull %0, i32 %58)
  store double %57, ptr %59, align 8
  br label %60

60:                                               ; preds = %83, %54
  %.094 = phi i32 [ 0, %54 ], [ %96, %83 ]
  %61 = icmp slt i32 %.094, %14
  br i1 %61, label %62, label %97

62:                                               ; preds = %60
  %63 = load ptr, ptr %0, align 8
  %64 = getelementptr inbounds i64, ptr %63, i64 %35
  %65 = load i64, ptr %64, align 8
  %66 = load i32, ptr @stride_STOP_ROWS, align 4
  %67 = sext i32 %66 to i64
  %68 = mul nsw i64 %65, %67
  %69 = getelementptr inbounds i32, ptr @of_STOP_ROWS, i64 %68
  %70 = load i32, ptr %69, align 4
  %71 = add nsw i32 %70, %.094
  %72 = sext i32 %71 to i64
  %73 = getelementptr inbounds i64, ptr %63, i64 %72
  %74 = load i64, ptr %73, align 8
  %75 = icmp sgt i64 %74, -1
  br i1 %75, label %76, label %83

76:                                               ; preds = %62
  %77 = shl nsw i32 %29, 1
  %78 = add nsw i32 %23, %77
  %79 = sext i32 %78 to i64
  %80 = getelementptr double, ptr %4, i64 %74
  %81 = getelementptr double, ptr %80, i64 %79
  %82 = load double, ptr %81, align 8
  br label %83

83:                                               ; preds = %62, %76
  %84 = phi double [ %82, %76 ], [ 0.000000e+00, %62 ]
  %85 = load i32, ptr @STOP_HELD, align 4
  %86 = call ptr @numbers(ptr nonnull %0, i32 %85)
  %87 = zext nneg i32 %.094 to i64
  %88 = getelementptr inbounds nuw double, ptr %86, i64 %87
  store double %84, ptr %88, align 8
  %89 = load ptr, ptr %0, align 8
  %90 = load i32, ptr @STOP_HOLDS, align 4
  %91 = add nsw i32 %90, %.094
  %92 = sext i32 %91 to i64
  %93 = getelementptr inbounds i64, ptr %89, i64 %92
  %94 = load i64, ptr %93, align 8
  %95 = getelementptr inbounds nuw i64, ptr %20, i64 %87
  store i64 %94, ptr %95, align 8
  %96 = add nuw nsw i32 %.094, 1
  br label %60

97:                                               ; preds = %60
  %98 = load ptr, ptr %0, align 8
  %99 = load i32, ptr @STOP_MODE, align 4
  %100 = sext i32 %99 to i64
  %101 = getelementptr inbounds i64, ptr %98, i64 %100
  %102 = shl nuw nsw i64 %18, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %19, ptr align 1 %101, i64 %102, i1 false)
  %103 = load i32, ptr @STOP_SLIP, align 4
  %104 = call ptr @numbers(ptr nonnull %0, i32 %103)
  %105 = shl nuw nsw i64 %15, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %16, ptr align 1 %104, i64 %105, i1 false)
  %106 = load i32, ptr @STOP_EVENT, align 4
  %107 = call i32 @pass_to_base(ptr nonnull %0, i32 %106)
  %.not105 = icmp eq i32 %107, 0
  br i1 %.not105, label %108, label %.critedge98

108:                                              ; preds = %97
  %109 = load ptr, ptr %0, align 8
  %110 = call i64 @call_settle(ptr %109)
  br label %111

111:                                              ; preds = %113, %108
  %.092 = phi i32 [ 0, %108 ], [ %119, %113 ]
  %112 = icmp slt i32 %.092, %17
  br i1 %112, label %113, label %120

113:                                              ; preds = %111
  %114 = load ptr, ptr %0, align 8
  %115 = load i32, ptr @STOP_FIRED, align 4
  %116 = add nsw i32 %115, %.092
  %117 = sext i32 %116 to i64
  %118 = getelementptr inbounds i64, ptr %114, i64 %117
  store i64 0, ptr %118, align 8
  %119 = add nuw nsw i32 %.092, 1
  br label %111

120:                                              ; preds = %111
  %.not106 = icmp eq i64 %110, 0
  br i1 %.not106, label %138, label %121

121:                                              ; preds = %120
  %122 = load ptr, ptr %0, align 8
  %123 = load i32, ptr @STOP_REPORT, align 4
  %124 = load i32, ptr @STOP_BLAMED, align 4
  %125 = add nsw i32 %123, %124
  %126 = sext i32 %125 to i64
  %127 = getelementptr inbounds i64, ptr %122, i64 %126
  %128 = load i64, ptr %127, align 8
  %. = call i64 @llvm.smax.i64(i64 %110, i64 0)
  %129 = getelementptr inbounds nuw ptr, ptr @stop_reasons, i64 %.
  %130 = load ptr, ptr %129, align 8
  %131 = icmp sgt i64 %128, -1
  br i1 %131, label %132, label %135

132:                                              ; preds = %121
  %133 = getelementptr inbounds nuw ptr, ptr @stop_names, i64 %128
  %134 = load ptr, ptr %133, align 8
  br label %135

135:                                              ; preds = %121, %132
  %136 = phi ptr [ %134, %132 ], [ @.str.33, %121 ]
  %137 = call i32 @fail(ptr nonnull %0, ptr %130, ptr %136)
  br label %.critedge98

138:                                              ; preds = %120
  %139 = call i32 @phase_of_stops(ptr nonnull %0)
  %140 = icmp slt i32 %139, 0
  br i1 %140, label %141, label %145

141:                                              ; preds = %138
  %142 = load i32, ptr @ROW_LINES, align 4
  %.not117 = icmp eq i32 %142, 0
  %143 = select i1 %.not117, ptr @.str.59, ptr @.str.58
  %144 = call i32 @fail(ptr nonnull %0, ptr nonnull %143, ptr nonnull @.str.33)
  br label %.critedge98

145:                                              ; preds = %138
  %146 = zext nneg i32 %139 to i64
  %147 = load ptr, ptr %0, align 8
  %148 = getelementptr inbounds i64, ptr %147, i64 %35
  %149 = load i64, ptr %148, align 8
  %.not107 = icmp eq i64 %149, %146
  br i1 %.not107, label %152, label %150

150:                                              ; preds = %145
  %151 = call i32 @pass_to(ptr nonnull %0, i32 %139, i32 %106)
  %.not108 = icmp eq i32 %151, 0
  br i1 %.not108, label %152, label %.critedge98

152:                                              ; preds = %150, %145
  %153 = load ptr, ptr %0, align 8
  call void @call_tell_modes(ptr %153)
  br label %154

154:                                              ; preds = %168, %152
  %.096 = phi i32 [ 0, %152 ], [ %170, %168 ]
  %.090 = phi i32 [ 0, %152 ], [ %171, %168 ]
  %155 = icmp slt i32 %.090, %14
  br i1 %155, label %156, label %172

156:                                              ; preds = %154
  %157 = load ptr, ptr %0, align 8
  %158 = load i32, ptr @STOP_HOLDS, align 4
  %159 = add nsw i32 %158, %.090
  %160 = sext i32 %159 to i64
  %161 = getelementptr inbounds i64, ptr %157, i64 %160
  %162 = load i64, ptr %161, align 8
  %.not115 = icmp eq i64 %162, 0
  br i1 %.not115, label %168, label %163

163:                                              ; preds = %156
  %164 = zext nneg i32 %.090 to i64
  %165 = getelementptr inbounds nuw i64, ptr %20, i64 %164
  %166 = load i64, ptr %165, align 8
  %.not116 = icmp eq i64 %166, 0
  %167 = zext i1 %.not116 to i32
  br label %168

168:                                              ; preds = %163, %156
  %169 = phi i32 [ 0, %156 ], [ %167, %163 ]
  %170 = or i32 %.096, %169
  %171 = add nuw nsw i32 %.090, 1
  br label %154

172:                                              ; preds = %154
  %173 = load i32, ptr @ROW_LINES, align 4
  %174 = icmp ne i32 %173, 0
  %175 = icmp ne i32 %.096, 0
  %or.cond = select i1 %174, i1 %175, i1 false
  br i1 %or.cond, label %176, label %183

176:                                              ; preds = %172
  %177 = sext i32 %106 to i64
  %178 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %177
  %179 = getelementptr inbounds nuw i8, ptr %178, i64 40
  %180 = load i32, ptr %179, align 4
  %181 = call i32 @meets(ptr nonnull %0, i32 %180)
  %.not109 = icmp eq i32 %181, 0
  br i1 %.not109, label %182, label %183

182:                                              ; preds = %176
  call void @keep_gaps(ptr nonnull %0)
  br label %183

183:                                              ; preds = %176, %182, %172
  %.1 = phi i32 [ %.096, %172 ], [ 1, %182 ], [ 0, %176 ]
  %184 = sext i32 %106 to i64
  %185 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %184
  %186 = getelementptr inbounds nuw i8, ptr %185, i64 40
  %187 = load i32, ptr %186, align 4
  store i32 %106, ptr %2, align 4
  %188 = call i32 @go_on_from_event(ptr nonnull %0, double %11, i32 %.1, i32 %187, ptr nonnull %2, i32 1)
  %.not110 = icmp eq i32 %188, 0
  br i1 %.not110, label %189, label %.critedge98

189:                                              ; preds = %183, %209
  %.089 = phi i32 [ %210, %209 ], [ 0, %183 ]
  %190 = icmp slt i32 %.089, %17
  br i1 %190, label %191, label %.critedge

191:                                              ; preds = %189
  %192 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %193 = load ptr, ptr %192, align 8
  %.not111 = icmp eq ptr %193, null
  br i1 %.not111, label %.critedge, label %194

194:                                              ; preds = %191
  %195 = load i32, ptr @STOP_IMPULSES, align 4
  %196 = zext nneg i32 %.089 to i64
  %197 = getelementptr inbounds nuw i16, ptr @first_direction, i64 %196
  %198 = load i16, ptr %197, align 2
  %199 = sext i16 %198 to i32
  %200 = add nsw i32 %195, %199
  %201 = call double @number(ptr nonnull %0, i32 %200)
  %202 = fcmp une double %201, 0.000000e+00
  br i1 %202, label %203, label %209

203:                                              ; preds = %194
  %204 = load ptr, ptr %192, align 8
  %205 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %206 = load ptr, ptr %205, align 8
  %207 = getelementptr inbounds nuw ptr, ptr @stop_names, i64 %196
  %208 = load ptr, ptr %207, align 8
  call void %204(ptr %206, double %6, ptr %208, ptr nonnull @.str.60)
  br label %209

209:                                              ; preds = %194, %203
  %210 = add nuw nsw i32 %.089, 1
  br label %189

.critedge:                                        ; preds = %189, %191
  br label %211

211:                                              ; preds = %238, %.critedge
  %.0 = phi i32 [ 0, %.critedge ], [ %239, %238 ]
  %212 = icmp slt i32 %.0, %17
  br i1 %212, label %213, label %.critedge98

213:                                              ; preds = %211
  %214 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %215 = load ptr, ptr %214, align 8
  %.not112 = icmp eq ptr %215, null
  br i1 %.not112, label %.critedge98, label %216

216:                                              ; preds = %213
  %217 = zext nneg i32 %.0 to i64
  %218 = getelementptr inbounds nuw i64, ptr %19, i64 %217
  %219 = load i64, ptr %218, align 8
  %220 = load ptr, ptr %0, align 8
  %221 = add nsw i32 %99, %.0
  %222 = sext i32 %221 to i64
  %223 = getelementptr inbounds i64, ptr %220, i64 %222
  %224 = load i64, ptr %223, align 8
  %.not113 = icmp eq i64 %219, %224
  br i1 %.not113, label %225, label %227

225:                                              ; preds = %216
  %226 = call i32 @turns_back(ptr nonnull %0, ptr nonnull %16, i32 %.0)
  %.not114 = icmp eq i32 %226, 0
  br i1 %.not114, label %238, label %227

227:                                              ; preds = %225, %216
  %228 = load ptr, ptr %214, align 8
  %229 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %230 = load ptr, ptr %229, align 8
  %231 = getelementptr inbounds nuw ptr, ptr @stop_names, i64 %217
  %232 = load ptr, ptr %231, align 8
  %233 = load ptr, ptr %0, align 8
  %234 = getelementptr inbounds i64, ptr %233, i64 %222
  %235 = load i64, ptr %234, align 8
  %236 = getelementptr inbounds ptr, ptr @mode_words, i64 %235
  %237 = load ptr, ptr %236, align 8
  call void %228(ptr %230, double %6, ptr %232, ptr %237)
  br label %238

238:                                              ; preds = %225, %227
  %239 = add nuw nsw i32 %.0, 1
  br label %211

.critedge98:                                      ; preds = %211, %213, %183, %150, %97, %141, %135
  %.091 = phi i32 [ -1, %183 ], [ %137, %135 ], [ %144, %141 ], [ -1, %97 ], [ -1, %150 ], [ 0, %213 ], [ 0, %211 ]
  ret i32 %.091
}

define internal i32 @pulls(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  call void @call_look(ptr %2)
  br label %3

3:                                                ; preds = %15, %1
  %.022 = phi i32 [ 0, %1 ], [ %26, %15 ]
  %.0 = phi double [ 0.000000e+00, %1 ], [ %25, %15 ]
  %4 = load ptr, ptr %0, align 8
  %5 = load i32, ptr @PHASE, align 4
  %6 = sext i32 %5 to i64
  %7 = getelementptr inbounds i64, ptr %4, i64 %6
  %8 = load i64, ptr %7, align 8
  %9 = load i32, ptr @stride_ROWS, align 4
  %10 = sext i32 %9 to i64
  %11 = mul nsw i64 %8, %10
  %12 = getelementptr inbounds i32, ptr @of_ROWS, i64 %11
  %13 = load i32, ptr %12, align 4
  %14 = icmp slt i32 %.022, %13
  br i1 %14, label %15, label %27

15:                                               ; preds = %3
  %16 = load i32, ptr @ROW, align 4
  %17 = load i32, ptr @COORDINATES, align 4
  %18 = add nsw i32 %16, %17
  %19 = load i32, ptr @SPEEDS, align 4
  %20 = shl nsw i32 %19, 1
  %21 = add nsw i32 %18, %20
  %22 = add nsw i32 %21, %.022
  %23 = call double @number(ptr nonnull %0, i32 %22)
  %24 = call double @llvm.fabs.f64(double %23)
  %25 = call double @llvm.maxnum.f64(double %.0, double %24)
  %26 = add nuw nsw i32 %.022, 1
  br label %3

27:                                               ; preds = %3, %75
  %.023 = phi i32 [ %.1, %75 ], [ 0, %3 ]
  %.021 = phi i32 [ %76, %75 ], [ 0, %3 ]
  %28 = load i32, ptr @EFFORTS, align 4
  %29 = icmp slt i32 %.021, %28
  br i1 %29, label %30, label %77

30:                                               ; preds = %27
  %31 = load ptr, ptr %0, align 8
  %32 = getelementptr inbounds i64, ptr %31, i64 %6
  %33 = load i64, ptr %32, align 8
  %34 = load i32, ptr @stride_LINES, align 4
  %35 = sext i32 %34 to i64
  %36 = mul nsw i64 %33, %35
  %37 = getelementptr inbounds i32, ptr @of_LINES, i64 %36
  %38 = load i32, ptr %37, align 4
  %39 = zext nneg i32 %.021 to i64
  %40 = getelementptr inbounds nuw %struct.anon.17, ptr @efforts, i64 %39
  %41 = load i16, ptr %40, align 2
  %42 = sext i16 %41 to i32
  %43 = load i32, ptr @LINE, align 4
  %44 = mul nsw i32 %43, %42
  %45 = add nsw i32 %38, %44
  %46 = call ptr @numbers(ptr nonnull %0, i32 %45)
  %47 = load i32, ptr @EVENT_ACTIVE, align 4
  %48 = sext i32 %47 to i64
  %49 = getelementptr inbounds double, ptr %46, i64 %48
  %50 = load double, ptr %49, align 8
  %51 = fcmp oeq double %50, 0.000000e+00
  br i1 %51, label %75, label %52

52:                                               ; preds = %30
  %53 = load i32, ptr @SEEN, align 4
  %54 = shl nsw i32 %42, 1
  %55 = add nsw i32 %53, %54
  %56 = call double @number(ptr nonnull %0, i32 %55)
  %57 = load double, ptr @EXCEEDS, align 8
  %58 = fneg double %57
  %59 = fmul double %.0, %58
  %60 = fcmp olt double %56, %59
  br i1 %60, label %61, label %75

61:                                               ; preds = %52
  %62 = getelementptr inbounds nuw i8, ptr %40, i64 4
  %63 = load i16, ptr %62, align 2
  %64 = sext i16 %63 to i64
  %65 = load ptr, ptr %0, align 8
  %66 = load i32, ptr @STOP_FIRED, align 4
  %67 = getelementptr inbounds nuw i8, ptr %40, i64 2
  %68 = load i16, ptr %67, align 2
  %69 = sext i16 %68 to i32
  %70 = add nsw i32 %66, %69
  %71 = sext i32 %70 to i64
  %72 = getelementptr inbounds i64, ptr %65, i64 %71
  %73 = load i64, ptr %72, align 8
  %74 = or i64 %73, %64
  store i64 %74, ptr %72, align 8
  br label %75

75:                                               ; preds = %61, %52, %30
  %.1 = phi i32 [ 1, %61 ], [ %.023, %52 ], [ %.023, %30 ]
  %76 = add nuw nsw i32 %.021, 1
  br label %27

77:                                               ; preds = %27
  ret i32 %.023
}

define internal i32 @slips_at_a_stop(ptr %0) {
  br label %2

2:                                                ; preds = %31, %1
  %.013 = phi i32 [ 0, %1 ], [ %32, %31 ]
  %3 = load i32, ptr @STOPS, align 4
  %4 = icmp slt i32 %.013, %3
  br i1 %4, label %5, label %33

5:                                                ; preds = %2
  %6 = load ptr, ptr %0, align 8
  %7 = load i32, ptr @STOP_BRAKE, align 4
  %8 = add nsw i32 %7, %.013
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %6, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = load i32, ptr @STOP_MODE, align 4
  %13 = add nsw i32 %12, %.013
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds i64, ptr %6, i64 %14
  %16 = load i64, ptr %15, align 8
  %17 = load i32, ptr @IS_CLOSED, align 4
  %18 = sext i32 %17 to i64
  %19 = icmp eq i64 %16, %18
  %20 = icmp sgt i64 %11, -1
  %or.cond = select i1 %19, i1 %20, i1 false
  br i1 %or.cond, label %21, label %29

21:                                               ; preds = %5
  %22 = sext i32 %12 to i64
  %23 = getelementptr i64, ptr %6, i64 %11
  %24 = getelementptr i64, ptr %23, i64 %22
  %25 = load i64, ptr %24, align 8
  %26 = load i32, ptr @IS_SLIPPING, align 4
  %27 = sext i32 %26 to i64
  %28 = icmp eq i64 %25, %27
  br i1 %28, label %30, label %29

29:                                               ; preds = %21, %5
  br label %30

30:                                               ; preds = %21, %29
  %phiofops = phi i1 [ false, %21 ], [ true, %29 ]
  %.112 = phi i32 [ 1, %21 ], [ 0, %29 ]
  br i1 %phiofops, label %31, label %33

31:                                               ; preds = %30
  %32 = add nuw nsw i32 %.013, 1
  br label %2

33:                                               ; preds = %2, %30
  %.011 = phi i32 [ %.112, %30 ], [ 2, %2 ]
  %switch.selectcmp = icmp eq i32 %.011, 2
  %switch.select = select i1 %switch.selectcmp, i32 0, i32 1
  ret i32 %switch.select
}

define internal i32 @carried(ptr %0, ptr %1, i32 %2, ptr %3) {
  %5 = load i32, ptr @EVENT_COUNT, align 4
  %6 = zext i32 %5 to i64
  %7 = alloca double, i64 %6, align 8
  %8 = load i32, ptr @SEEN, align 4
  %9 = call ptr @numbers(ptr %0, i32 %8)
  %10 = load ptr, ptr %0, align 8
  call void @call_look_before(ptr %10)
  br label %11

11:                                               ; preds = %13, %4
  %.038 = phi i32 [ 0, %4 ], [ %20, %13 ]
  %12 = icmp slt i32 %.038, %5
  br i1 %12, label %13, label %21

13:                                               ; preds = %11
  %14 = shl nuw nsw i32 %.038, 1
  %15 = zext nneg i32 %14 to i64
  %16 = getelementptr inbounds nuw double, ptr %9, i64 %15
  %17 = load double, ptr %16, align 8
  %18 = zext nneg i32 %.038 to i64
  %19 = getelementptr inbounds nuw double, ptr %7, i64 %18
  store double %17, ptr %19, align 8
  %20 = add nuw nsw i32 %.038, 1
  br label %11

21:                                               ; preds = %11
  %22 = load ptr, ptr %0, align 8
  call void @call_look(ptr %22)
  %23 = load i32, ptr @FIRST_EVENT, align 4
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %36, label %24

24:                                               ; preds = %21
  %25 = load double, ptr %7, align 8
  %26 = load double, ptr %9, align 8
  %27 = fmul double %25, %26
  %28 = fcmp olt double %27, 0.000000e+00
  br i1 %28, label %29, label %36

29:                                               ; preds = %24
  %30 = load i32, ptr @TIME, align 4
  %31 = call double @number(ptr nonnull %0, i32 %30)
  call void @tell_of(ptr nonnull %0, i32 0, double %31)
  %32 = load ptr, ptr %0, align 8
  %33 = load i32, ptr @ENDED_BY, align 4
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds i64, ptr %32, i64 %34
  store i64 1, ptr %35, align 8
  br label %36

36:                                               ; preds = %29, %24, %21
  br label %37

37:                                               ; preds = %.critedge44, %36
  %.039 = phi i32 [ %23, %36 ], [ %89, %.critedge44 ]
  %.0 = phi i32 [ 0, %36 ], [ %.1, %.critedge44 ]
  %38 = icmp slt i32 %.039, %5
  br i1 %38, label %39, label %90

39:                                               ; preds = %37
  %40 = sext i32 %.039 to i64
  %41 = getelementptr inbounds double, ptr %7, i64 %40
  %42 = load double, ptr %41, align 8
  %43 = shl nsw i32 %.039, 1
  %44 = sext i32 %43 to i64
  %45 = getelementptr inbounds double, ptr %9, i64 %44
  %46 = load double, ptr %45, align 8
  %47 = fcmp olt double %42, 0.000000e+00
  %48 = fcmp ogt double %46, 0.000000e+00
  %or.cond = select i1 %47, i1 %48, i1 false
  br i1 %or.cond, label %49, label %54

49:                                               ; preds = %39
  %50 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %40
  %51 = getelementptr inbounds nuw i8, ptr %50, i64 16
  %52 = load double, ptr %51, align 8
  %53 = fcmp ult double %52, 0.000000e+00
  br i1 %53, label %54, label %.critedge

54:                                               ; preds = %49, %39
  %55 = fcmp olt double %46, 0.000000e+00
  %56 = fcmp ogt double %42, 0.000000e+00
  %or.cond41 = and i1 %55, %56
  br i1 %or.cond41, label %57, label %.critedge44

57:                                               ; preds = %54
  %58 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %40
  %59 = getelementptr inbounds nuw i8, ptr %58, i64 16
  %60 = load double, ptr %59, align 8
  %61 = fcmp ole double %60, 0.000000e+00
  br i1 %61, label %.critedge, label %.critedge44

.critedge:                                        ; preds = %49, %57
  %62 = call i32 @is_in(ptr %1, i32 %2, i32 %.039)
  %.not42 = icmp eq i32 %62, 0
  br i1 %.not42, label %63, label %.critedge44

63:                                               ; preds = %.critedge
  %64 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %40
  %65 = getelementptr inbounds nuw i8, ptr %64, i64 44
  %66 = load i32, ptr %65, align 4
  %67 = icmp sgt i32 %66, -1
  br i1 %67, label %.critedge44, label %68

68:                                               ; preds = %63
  %69 = call ptr @line_of(ptr nonnull %0, i32 %.039)
  %70 = load i32, ptr @EVENT_ACTIVE, align 4
  %71 = sext i32 %70 to i64
  %72 = getelementptr inbounds double, ptr %69, i64 %71
  %73 = load double, ptr %72, align 8
  %74 = fcmp oeq double %73, 0.000000e+00
  br i1 %74, label %.critedge44, label %75

75:                                               ; preds = %68
  %76 = call double @llvm.fabs.f64(double %46)
  %77 = load double, ptr @NOISE, align 8
  %78 = call ptr @line_of(ptr nonnull %0, i32 %.039)
  %79 = load i32, ptr @EVENT_LARGEST, align 4
  %80 = sext i32 %79 to i64
  %81 = getelementptr inbounds double, ptr %78, i64 %80
  %82 = load double, ptr %81, align 8
  %83 = fmul double %77, %82
  %84 = fcmp ugt double %76, %83
  br i1 %84, label %85, label %.critedge44

85:                                               ; preds = %75
  %86 = add nsw i32 %.0, 1
  %87 = sext i32 %.0 to i64
  %88 = getelementptr inbounds i32, ptr %3, i64 %87
  store i32 %.039, ptr %88, align 4
  br label %.critedge44

.critedge44:                                      ; preds = %54, %85, %68, %63, %.critedge, %57, %75
  %.1 = phi i32 [ %86, %85 ], [ %.0, %57 ], [ %.0, %68 ], [ %.0, %63 ], [ %.0, %.critedge ], [ %.0, %75 ], [ %.0, %54 ]
  %89 = add nsw i32 %.039, 1
  br label %37

90:                                               ; preds = %37
  ret i32 %.0
}

define internal i32 @fail_of(ptr %0, ptr %1, ptr %2, i32 %3) {
  %5 = alloca [512 x i8], align 1
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 1 dereferenceable(512) %5, i8 0, i64 512, i1 false)
  br label %6

6:                                                ; preds = %8, %4
  %.0 = phi i32 [ 0, %4 ], [ %20, %8 ]
  %7 = icmp slt i32 %.0, %3
  br i1 %7, label %8, label %21

8:                                                ; preds = %6
  %9 = call i64 @strlen(ptr nonnull dereferenceable(1) %5)
  %10 = getelementptr inbounds nuw i8, ptr %5, i64 %9
  %11 = sub i64 512, %9
  %.not = icmp eq i32 %.0, 0
  %12 = select i1 %.not, ptr @.str.33, ptr @.str.52
  %13 = zext nneg i32 %.0 to i64
  %14 = getelementptr inbounds nuw i32, ptr %2, i64 %13
  %15 = load i32, ptr %14, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %16
  %18 = load ptr, ptr %17, align 8
  %19 = call i32 (ptr, i64, ptr, ...) @snprintf(ptr nonnull %10, i64 %11, ptr nonnull @.str.51, ptr nonnull %12, ptr %18)
  %20 = add nuw nsw i32 %.0, 1
  br label %6

21:                                               ; preds = %6
  %22 = call i32 @fail(ptr %0, ptr %1, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  ret i32 %22
}

declare void @call_values(ptr noundef)

define internal double @energy_of(ptr %0, i32 %1) {
  %.not = icmp eq i32 %1, 0
  br i1 %.not, label %5, label %3

3:                                                ; preds = %2
  %4 = load ptr, ptr %0, align 8
  call void @call_energy_of_row(ptr %4)
  br label %7

5:                                                ; preds = %2
  %6 = load ptr, ptr %0, align 8
  call void @call_energy_of_state(ptr %6)
  br label %7

7:                                                ; preds = %5, %3
  %8 = load i32, ptr @ENERGY, align 4
  %9 = add nsw i32 %8, 2
  %10 = call double @number(ptr %0, i32 %9)
  ret double %10
}

define internal i32 @release(ptr %0, i32 %1) {
  br label %3

3:                                                ; preds = %6, %2
  %.015 = phi i32 [ 0, %2 ], [ %24, %6 ]
  %4 = load i32, ptr @STOPS, align 4
  %5 = icmp slt i32 %.015, %4
  br i1 %5, label %6, label %25

6:                                                ; preds = %3
  %7 = zext nneg i32 %.015 to i64
  %8 = getelementptr inbounds nuw i8, ptr @rubs, i64 %7
  %9 = load i8, ptr %8, align 1
  %.not17 = icmp eq i8 %9, 0
  %10 = load i32, ptr @IS_IDLE, align 4
  %11 = load i32, ptr @IS_OPEN, align 4
  %12 = select i1 %.not17, i32 %11, i32 %10
  %13 = sext i32 %12 to i64
  %14 = load ptr, ptr %0, align 8
  %15 = load i32, ptr @STOP_MODE, align 4
  %16 = add nsw i32 %15, %.015
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds i64, ptr %14, i64 %17
  store i64 %13, ptr %18, align 8
  %19 = load ptr, ptr %0, align 8
  %20 = load i32, ptr @STOP_SHARED, align 4
  %21 = add nsw i32 %20, %.015
  %22 = sext i32 %21 to i64
  %23 = getelementptr inbounds i64, ptr %19, i64 %22
  store i64 0, ptr %23, align 8
  %24 = add nuw nsw i32 %.015, 1
  br label %3

25:                                               ; preds = %3, %28
  %.0 = phi i32 [ %33, %28 ], [ 0, %3 ]
  %26 = load i32, ptr @DIRECTIONS, align 4
  %27 = icmp slt i32 %.0, %26
  br i1 %27, label %28, label %34

28:                                               ; preds = %25
  %29 = load i32, ptr @STOP_SLIP, align 4
  %30 = call ptr @numbers(ptr %0, i32 %29)
  %31 = zext nneg i32 %.0 to i64
  %32 = getelementptr inbounds nuw double, ptr %30, i64 %31
  store double 0.000000e+00, ptr %32, align 8
  %33 = add nuw nsw i32 %.0, 1
  br label %25

34:                                               ; preds = %25
  %35 = load ptr, ptr %0, align 8
  %36 = load i32, ptr @STOP_HOLDS, align 4
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds i64, ptr %35, i64 %37
  %39 = sext i32 %26 to i64
  %40 = shl nsw i64 %39, 3
  call void @llvm.memset.p0.i64(ptr align 1 %38, i8 0, i64 %40, i1 false)
  %41 = call i32 @pass_to_base(ptr nonnull %0, i32 %1)
  %.not = icmp eq i32 %41, 0
  br i1 %.not, label %42, label %44

42:                                               ; preds = %34
  %43 = load ptr, ptr %0, align 8
  call void @call_tell_modes(ptr %43)
  br label %44

44:                                               ; preds = %34, %42
  %.016 = phi i32 [ 0, %42 ], [ -1, %34 ]
  ret i32 %.016
}

define internal i32 @is_in(ptr %0, i32 %1, i32 %2) {
  br label %4

4:                                                ; preds = %11, %3
  %.07 = phi i32 [ 0, %3 ], [ %12, %11 ]
  %5 = icmp slt i32 %.07, %1
  br i1 %5, label %6, label %13

6:                                                ; preds = %4
  %7 = zext nneg i32 %.07 to i64
  %8 = getelementptr inbounds nuw i32, ptr %0, i64 %7
  %9 = load i32, ptr %8, align 4
  %10 = icmp eq i32 %9, %2
  br i1 %10, label %13, label %11

11:                                               ; preds = %6
  %12 = add nuw nsw i32 %.07, 1
  br label %4

13:                                               ; preds = %6, %4
  %phiofops = phi i32 [ 0, %4 ], [ 1, %6 ]
  ret i32 %phiofops
}

define internal i32 @disagree(ptr %0, i32 %1, i32 %2) {
  %4 = load i32, ptr @VALUES, align 4
  %5 = sext i32 %1 to i64
  %6 = getelementptr inbounds %struct.anon.6, ptr @assignments, i64 %5
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 12
  %8 = load i32, ptr %7, align 4
  %9 = add nsw i32 %4, %8
  %10 = call double @number(ptr %0, i32 %9)
  %11 = sext i32 %2 to i64
  %12 = getelementptr inbounds %struct.anon.6, ptr @assignments, i64 %11
  %13 = getelementptr inbounds nuw i8, ptr %12, i64 12
  %14 = load i32, ptr %13, align 4
  %15 = add nsw i32 %4, %14
  %16 = call double @number(ptr %0, i32 %15)
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 4
  %18 = load i32, ptr %17, align 4
  %19 = getelementptr inbounds nuw i8, ptr %12, i64 4
  %20 = load i32, ptr %19, align 4
  %.not = icmp eq i32 %18, %20
  br i1 %.not, label %21, label %36

21:                                               ; preds = %3
  %22 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %23 = load i32, ptr %22, align 4
  %24 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %25 = load i32, ptr %24, align 4
  %.not12 = icmp eq i32 %23, %25
  br i1 %.not12, label %26, label %36

26:                                               ; preds = %21
  %27 = fsub double %10, %16
  %28 = call double @llvm.fabs.f64(double %27)
  %29 = load double, ptr @SAME_VALUE, align 8
  %30 = call double @llvm.fabs.f64(double %10)
  %31 = call double @llvm.fabs.f64(double %16)
  %32 = call double @llvm.maxnum.f64(double %30, double %31)
  %33 = fmul double %29, %32
  %34 = fcmp ogt double %28, %33
  %35 = zext i1 %34 to i32
  br label %36

36:                                               ; preds = %3, %21, %26
  %.0 = phi i32 [ %35, %26 ], [ 0, %21 ], [ 0, %3 ]
  ret i32 %.0
}

define internal i32 @go_through(ptr %0, i32 %1, ptr %2, i32 %3) {
  %5 = alloca [2 x i32], align 4
  %6 = load ptr, ptr %0, align 8
  %7 = load i32, ptr @PHASE, align 4
  %8 = sext i32 %7 to i64
  %9 = getelementptr inbounds i64, ptr %6, i64 %8
  %10 = load i64, ptr %9, align 8
  %11 = trunc i64 %10 to i32
  br label %12

12:                                               ; preds = %48, %4
  %.047 = phi i32 [ undef, %4 ], [ %.2, %48 ]
  %.046 = phi i32 [ %11, %4 ], [ %60, %48 ]
  %.045 = phi i32 [ 0, %4 ], [ %64, %48 ]
  %.044 = phi i32 [ 0, %4 ], [ %65, %48 ]
  %.not52 = icmp slt i32 %.044, %3
  br i1 %.not52, label %13, label %66

13:                                               ; preds = %12, %45
  %.0 = phi i32 [ %46, %45 ], [ 0, %12 ]
  %.not51 = icmp samesign ult i32 %.0, %.044
  br i1 %.not51, label %14, label %47

14:                                               ; preds = %13
  %15 = load i32, ptr @EVENT_COUNT, align 4
  %16 = zext i32 %15 to i64
  %sext = shl i64 %10, 32
  %17 = ashr exact i64 %sext, 32
  %18 = mul nsw i64 %17, %16
  %19 = getelementptr inbounds i16, ptr @flat_leads, i64 %18
  %20 = zext nneg i32 %.044 to i64
  %21 = getelementptr inbounds nuw i32, ptr %2, i64 %20
  %22 = load i32, ptr %21, align 4
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds i16, ptr %19, i64 %23
  %25 = load i16, ptr %24, align 2
  %26 = sext i16 %25 to i64
  %27 = mul nsw i64 %26, %16
  %28 = getelementptr inbounds i16, ptr @flat_leads, i64 %27
  %29 = zext nneg i32 %.0 to i64
  %30 = getelementptr inbounds nuw i32, ptr %2, i64 %29
  %31 = load i32, ptr %30, align 4
  %32 = sext i32 %31 to i64
  %33 = getelementptr inbounds i16, ptr %28, i64 %32
  %34 = load i16, ptr %33, align 2
  %35 = getelementptr inbounds i16, ptr %19, i64 %32
  %36 = load i16, ptr %35, align 2
  %37 = sext i16 %36 to i64
  %38 = mul nsw i64 %37, %16
  %39 = getelementptr inbounds i16, ptr @flat_leads, i64 %38
  %40 = getelementptr inbounds i16, ptr %39, i64 %23
  %41 = load i16, ptr %40, align 2
  %.not = icmp eq i16 %34, %41
  br i1 %.not, label %45, label %42

42:                                               ; preds = %14
  store i32 %31, ptr %5, align 4
  %43 = getelementptr inbounds nuw i8, ptr %5, i64 4
  store i32 %22, ptr %43, align 4
  %44 = call i32 @fail_of(ptr nonnull %0, ptr nonnull @.str.55, ptr nonnull %5, i32 2)
  br label %47

45:                                               ; preds = %14
  %46 = add nuw nsw i32 %.0, 1
  br label %13

47:                                               ; preds = %13, %42
  %.2 = phi i32 [ %.047, %13 ], [ %44, %42 ]
  br i1 %.not51, label %66, label %48

48:                                               ; preds = %47
  %49 = load i32, ptr @EVENT_COUNT, align 4
  %50 = zext i32 %49 to i64
  %51 = sext i32 %.046 to i64
  %52 = mul nsw i64 %51, %50
  %53 = getelementptr inbounds i16, ptr @flat_leads, i64 %52
  %54 = zext nneg i32 %.044 to i64
  %55 = getelementptr inbounds nuw i32, ptr %2, i64 %54
  %56 = load i32, ptr %55, align 4
  %57 = sext i32 %56 to i64
  %58 = getelementptr inbounds i16, ptr %53, i64 %57
  %59 = load i16, ptr %58, align 2
  %60 = sext i16 %59 to i32
  %61 = getelementptr inbounds %struct.anon.5, ptr @doors, i64 %57
  %62 = load i8, ptr %61, align 1
  %63 = sext i8 %62 to i32
  %64 = or i32 %.045, %63
  %65 = add nuw nsw i32 %.044, 1
  br label %12

66:                                               ; preds = %12, %47
  %.148 = phi i32 [ %.047, %12 ], [ %.2, %47 ]
  br i1 %.not52, label %74, label %67

67:                                               ; preds = %66
  %.not53 = icmp eq i32 %.045, 0
  br i1 %.not53, label %70, label %68

68:                                               ; preds = %67
  %69 = call i32 @onto_positions(ptr nonnull %0, i32 %1, ptr %2, i32 %3)
  %.not54 = icmp eq i32 %69, 0
  br i1 %.not54, label %70, label %74

70:                                               ; preds = %68, %67
  call void @expect(ptr nonnull %0, i32 %.046)
  %.not55 = icmp eq i32 %.046, %11
  br i1 %.not55, label %74, label %71

71:                                               ; preds = %70
  %72 = load i32, ptr %2, align 4
  %73 = call i32 @pass_to(ptr nonnull %0, i32 %.046, i32 %72)
  br label %74

74:                                               ; preds = %71, %70, %68, %66
  %.3 = phi i32 [ %.148, %66 ], [ -1, %68 ], [ %73, %71 ], [ 0, %70 ]
  ret i32 %.3
}

declare void @call_tell_modes(ptr noundef)

define internal i32 @go_on_from_event(ptr %0, double %1, i32 %2, i32 %3, ptr %4, i32 %5) {
  %7 = load i32, ptr @EVENT_Q, align 4
  %8 = call ptr @numbers(ptr %0, i32 %7)
  %.not = icmp eq i32 %2, 0
  br i1 %.not, label %11, label %9

9:                                                ; preds = %6
  %10 = call i32 @onto_positions(ptr %0, i32 %3, ptr %4, i32 %5)
  %.not56 = icmp eq i32 %10, 0
  br i1 %.not56, label %11, label %153

11:                                               ; preds = %9, %6
  %12 = load i32, ptr @WAYS, align 4
  %13 = zext i32 %12 to i64
  %14 = load ptr, ptr %0, align 8
  %15 = load i32, ptr @PHASE, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds i64, ptr %14, i64 %16
  %18 = load i64, ptr %17, align 8
  %19 = mul nsw i64 %18, %13
  %20 = getelementptr inbounds ptr, ptr @flat_meets_speeds, i64 %19
  %21 = sext i32 %3 to i64
  %22 = getelementptr inbounds ptr, ptr %20, i64 %21
  %23 = load ptr, ptr %22, align 8
  %.not57 = icmp eq ptr %23, null
  br i1 %.not57, label %28, label %24

24:                                               ; preds = %11
  %25 = call i64 %23(ptr %14)
  %.not58 = icmp eq i64 %25, 0
  br i1 %.not58, label %28, label %26

26:                                               ; preds = %24
  %27 = call i32 @fail_of(ptr nonnull %0, ptr nonnull @.str.56, ptr %4, i32 %5)
  br label %153

28:                                               ; preds = %24, %11
  br label %29

29:                                               ; preds = %54, %28
  %.052 = phi i64 [ 0, %28 ], [ %55, %54 ]
  %30 = load i32, ptr @count_of_begun, align 4
  %31 = sext i32 %30 to i64
  %32 = icmp ult i64 %.052, %31
  br i1 %32, label %33, label %56

33:                                               ; preds = %29
  %34 = getelementptr inbounds nuw %struct.anon.16, ptr @begun, i64 %.052
  %35 = load i32, ptr %34, align 4
  %36 = sext i32 %35 to i64
  %37 = load ptr, ptr %0, align 8
  %38 = getelementptr inbounds i64, ptr %37, i64 %16
  %39 = load i64, ptr %38, align 8
  %40 = icmp eq i64 %39, %36
  br i1 %40, label %41, label %54

41:                                               ; preds = %33
  %42 = getelementptr inbounds nuw i8, ptr %34, i64 4
  %43 = load i32, ptr %42, align 4
  %44 = sext i32 %43 to i64
  %45 = getelementptr inbounds i64, ptr %37, i64 %44
  %46 = getelementptr inbounds nuw i8, ptr %34, i64 8
  %47 = load i32, ptr %46, align 4
  %48 = sext i32 %47 to i64
  %49 = getelementptr inbounds i64, ptr %37, i64 %48
  %50 = getelementptr inbounds nuw i8, ptr %34, i64 12
  %51 = load i32, ptr %50, align 4
  %52 = sext i32 %51 to i64
  %53 = shl nsw i64 %52, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %45, ptr align 1 %49, i64 %53, i1 false)
  br label %54

54:                                               ; preds = %33, %41
  %55 = add i64 %.052, 1
  br label %29

56:                                               ; preds = %29, %73
  %.051 = phi i32 [ %74, %73 ], [ 0, %29 ]
  %57 = load i32, ptr @STATUSES, align 4
  %58 = icmp slt i32 %.051, %57
  br i1 %58, label %59, label %75

59:                                               ; preds = %56
  %60 = load i32, ptr @STATUS_PAUSE, align 4
  %.not63 = icmp eq i32 %.051, %60
  br i1 %.not63, label %73, label %61

61:                                               ; preds = %59
  %62 = load ptr, ptr %0, align 8
  %63 = getelementptr inbounds i64, ptr %62, i64 %16
  %64 = load i64, ptr %63, align 8
  %65 = load i32, ptr @stride_STATUS, align 4
  %66 = sext i32 %65 to i64
  %67 = mul nsw i64 %64, %66
  %68 = getelementptr inbounds i32, ptr @of_STATUS, i64 %67
  %69 = load i32, ptr %68, align 4
  %70 = add nsw i32 %69, %.051
  %71 = sext i32 %70 to i64
  %72 = getelementptr inbounds i64, ptr %62, i64 %71
  store i64 0, ptr %72, align 8
  br label %73

73:                                               ; preds = %59, %61
  %74 = add nuw nsw i32 %.051, 1
  br label %56

75:                                               ; preds = %56
  %76 = load ptr, ptr %0, align 8
  %77 = getelementptr inbounds i64, ptr %76, i64 %16
  %78 = load i64, ptr %77, align 8
  %79 = load i32, ptr @stride_BESIDE_AT, align 4
  %80 = sext i32 %79 to i64
  %81 = mul nsw i64 %78, %80
  %82 = getelementptr inbounds i32, ptr @of_BESIDE_AT, i64 %81
  %83 = load i32, ptr %82, align 4
  %84 = call ptr @numbers(ptr nonnull %0, i32 %83)
  store double 0x7FF8000000000000, ptr %84, align 8
  %85 = load i32, ptr @Z, align 4
  %86 = call ptr @numbers(ptr nonnull %0, i32 %85)
  %87 = load i32, ptr @SPEEDS, align 4
  %88 = sext i32 %87 to i64
  %89 = getelementptr inbounds double, ptr %86, i64 %88
  %90 = load i32, ptr @COORDINATES, align 4
  %91 = sext i32 %90 to i64
  %92 = shl nsw i64 %91, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %89, ptr align 1 %8, i64 %92, i1 false)
  %93 = load ptr, ptr %0, align 8
  %94 = call i64 @call_start(ptr %93)
  %95 = load i32, ptr @CODE_OK, align 4
  %96 = sext i32 %95 to i64
  %.not59 = icmp eq i64 %94, %96
  br i1 %.not59, label %99, label %97

97:                                               ; preds = %75
  %98 = call i32 @blame(ptr nonnull %0)
  br label %153

99:                                               ; preds = %75
  %100 = load i32, ptr @HAS_ENERGY, align 4
  %.not60 = icmp eq i32 %100, 0
  br i1 %.not60, label %111, label %101

101:                                              ; preds = %99
  %102 = call double @energy_of(ptr nonnull %0, i32 0)
  %103 = fsub double %102, %1
  %104 = call ptr @numbers(ptr nonnull %0, i32 %85)
  %105 = load i32, ptr @STATE, align 4
  %106 = sext i32 %105 to i64
  %107 = getelementptr double, ptr %104, i64 %106
  %108 = getelementptr i8, ptr %107, i64 -8
  %109 = load double, ptr %108, align 8
  %110 = fadd double %109, %103
  store double %110, ptr %108, align 8
  br label %111

111:                                              ; preds = %101, %99
  %112 = load ptr, ptr %0, align 8
  %113 = call i64 @call_expand(ptr %112)
  %.not61 = icmp eq i64 %113, 0
  br i1 %.not61, label %116, label %114

114:                                              ; preds = %111
  %115 = call i32 @blame(ptr nonnull %0)
  br label %153

116:                                              ; preds = %111, %137
  %.0 = phi i32 [ %138, %137 ], [ 0, %111 ]
  %117 = load ptr, ptr %0, align 8
  %118 = getelementptr inbounds i64, ptr %117, i64 %16
  %119 = load i64, ptr %118, align 8
  %120 = load i32, ptr @stride_WIDTH, align 4
  %121 = sext i32 %120 to i64
  %122 = mul nsw i64 %119, %121
  %123 = getelementptr inbounds i32, ptr @of_WIDTH, i64 %122
  %124 = load i32, ptr %123, align 4
  %.not62 = icmp slt i32 %.0, %124
  br i1 %.not62, label %125, label %139

125:                                              ; preds = %116
  %126 = load i32, ptr @ROW, align 4
  %127 = add nsw i32 %126, %.0
  %128 = call double @number(ptr nonnull %0, i32 %127)
  %129 = call double @llvm.fabs.f64(double %128)
  %130 = fcmp ueq double %129, 0x7FF0000000000000
  br i1 %130, label %131, label %137

131:                                              ; preds = %125
  %132 = load i32, ptr %4, align 4
  %133 = sext i32 %132 to i64
  %134 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %133
  %135 = load ptr, ptr %134, align 8
  %136 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.57, ptr %135)
  br label %139

137:                                              ; preds = %125
  %138 = add nuw nsw i32 %.0, 1
  br label %116

139:                                              ; preds = %116, %131
  %.2 = phi i32 [ undef, %116 ], [ %136, %131 ]
  br i1 %.not62, label %153, label %140

140:                                              ; preds = %139
  %141 = load ptr, ptr %0, align 8
  %142 = load i32, ptr @TURNED, align 4
  %143 = sext i32 %142 to i64
  %144 = getelementptr inbounds i64, ptr %141, i64 %143
  store i64 0, ptr %144, align 8
  %145 = load ptr, ptr %0, align 8
  %146 = load i32, ptr @FRESH_RATES, align 4
  %147 = sext i32 %146 to i64
  %148 = getelementptr inbounds i64, ptr %145, i64 %147
  store i64 0, ptr %148, align 8
  %149 = load ptr, ptr %0, align 8
  %150 = load i32, ptr @FRESH_OUTPUTS, align 4
  %151 = sext i32 %150 to i64
  %152 = getelementptr inbounds i64, ptr %149, i64 %151
  store i64 0, ptr %152, align 8
  br label %153

153:                                              ; preds = %26, %97, %114, %140, %139, %9
  %.053 = phi i32 [ -1, %9 ], [ %27, %26 ], [ %98, %97 ], [ %115, %114 ], [ %.2, %139 ], [ 0, %140 ]
  ret i32 %.053
}

declare void @call_energy_of_row(ptr noundef)

declare void @call_energy_of_state(ptr noundef)

define internal i32 @pass_to_base(ptr %0, i32 %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @PHASE, align 4
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds i64, ptr %3, i64 %5
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds i16, ptr @bases, i64 %7
  %9 = load i16, ptr %8, align 2
  %10 = sext i16 %9 to i32
  %11 = sext i16 %9 to i64
  %12 = icmp eq i64 %7, %11
  br i1 %12, label %40, label %13

13:                                               ; preds = %2, %30
  %.0 = phi i32 [ %37, %30 ], [ 0, %2 ]
  %14 = load i32, ptr @COMERS, align 4
  %15 = icmp slt i32 %.0, %14
  br i1 %15, label %16, label %38

16:                                               ; preds = %13
  %17 = zext nneg i32 %.0 to i64
  %18 = getelementptr inbounds nuw i16, ptr @stop_of, i64 %17
  %19 = load i16, ptr %18, align 2
  %20 = icmp slt i16 %19, 0
  br i1 %20, label %21, label %30

21:                                               ; preds = %16
  %22 = load ptr, ptr %0, align 8
  %23 = load i32, ptr @HOLDS, align 4
  %24 = add nsw i32 %23, %.0
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds i64, ptr %22, i64 %25
  %27 = load i64, ptr %26, align 8
  %28 = icmp ne i64 %27, 0
  %29 = zext i1 %28 to i64
  br label %30

30:                                               ; preds = %21, %16
  %31 = phi i64 [ 0, %16 ], [ %29, %21 ]
  %32 = load ptr, ptr %0, align 8
  %33 = load i32, ptr @AFTER, align 4
  %34 = add nsw i32 %33, %.0
  %35 = sext i32 %34 to i64
  %36 = getelementptr inbounds i64, ptr %32, i64 %35
  store i64 %31, ptr %36, align 8
  %37 = add nuw nsw i32 %.0, 1
  br label %13

38:                                               ; preds = %13
  %39 = call i32 @pass_to(ptr nonnull %0, i32 %10, i32 %1)
  br label %40

40:                                               ; preds = %2, %38
  %.013 = phi i32 [ %39, %38 ], [ 0, %2 ]
  ret i32 %.013
}

define internal i32 @pass_to(ptr %0, i32 %1, i32 %2) {
  %4 = alloca ptr, align 8
  %5 = load ptr, ptr %0, align 8
  %6 = load i32, ptr @PHASE, align 4
  %7 = sext i32 %6 to i64
  %8 = getelementptr inbounds i64, ptr %5, i64 %7
  %9 = load i64, ptr %8, align 8
  %10 = trunc i64 %9 to i32
  %11 = load i32, ptr @stride_GEOMETRY_COLUMNS, align 4
  %12 = sext i32 %11 to i64
  %13 = mul nsw i64 %9, %12
  %14 = getelementptr inbounds i32, ptr @of_GEOMETRY_COLUMNS, i64 %13
  %15 = load i32, ptr %14, align 4
  %16 = load i32, ptr @COMERS, align 4
  %17 = zext i32 %16 to i64
  %18 = alloca i64, i64 %17, align 8
  %19 = load ptr, ptr %0, align 8
  %20 = load i32, ptr @HOLDS, align 4
  %21 = sext i32 %20 to i64
  %22 = getelementptr inbounds i64, ptr %19, i64 %21
  %23 = shl nuw nsw i64 %17, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %18, ptr align 1 %22, i64 %23, i1 false)
  %24 = load i32, ptr @AFTER, align 4
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds i64, ptr %19, i64 %25
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %22, ptr align 1 %26, i64 %23, i1 false)
  %27 = load ptr, ptr %0, align 8
  call void @call_residual(ptr %27)
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  %28 = load i32, ptr @PASSED, align 4
  %29 = call ptr @numbers(ptr nonnull %0, i32 %28)
  store ptr %29, ptr %4, align 8
  %30 = load ptr, ptr %0, align 8
  %31 = getelementptr inbounds i64, ptr %30, i64 %7
  %32 = load i64, ptr %31, align 8
  %33 = load i32, ptr @stride_FRAMES, align 4
  %34 = sext i32 %33 to i64
  %35 = mul nsw i64 %32, %34
  %36 = getelementptr inbounds i32, ptr @of_FRAMES, i64 %35
  %37 = load i32, ptr %36, align 4
  %38 = load i32, ptr @stride_FRAME_NUMBERS, align 4
  %39 = sext i32 %38 to i64
  %40 = mul nsw i64 %32, %39
  %41 = getelementptr inbounds i32, ptr @of_FRAME_NUMBERS, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = call ptr @keep(ptr nonnull %0, ptr nonnull %4, i32 %37, i32 %42)
  %44 = load ptr, ptr %0, align 8
  %45 = getelementptr inbounds i64, ptr %44, i64 %7
  %46 = load i64, ptr %45, align 8
  %47 = load i32, ptr @stride_GEOMETRY, align 4
  %48 = sext i32 %47 to i64
  %49 = mul nsw i64 %46, %48
  %50 = getelementptr inbounds i32, ptr @of_GEOMETRY, i64 %49
  %51 = load i32, ptr %50, align 4
  %52 = load i32, ptr @stride_GEOMETRY_NUMBERS, align 4
  %53 = sext i32 %52 to i64
  %54 = mul nsw i64 %46, %53
  %55 = getelementptr inbounds i32, ptr @of_GEOMETRY_NUMBERS, i64 %54
  %56 = load i32, ptr %55, align 4
  %57 = call ptr @keep(ptr nonnull %0, ptr nonnull %4, i32 %51, i32 %56)
  %58 = load ptr, ptr %0, align 8
  %59 = getelementptr inbounds i64, ptr %58, i64 %7
  %60 = load i64, ptr %59, align 8
  %61 = load i32, ptr @stride_PARAMETERS, align 4
  %62 = sext i32 %61 to i64
  %63 = mul nsw i64 %60, %62
  %64 = getelementptr inbounds i32, ptr @of_PARAMETERS, i64 %63
  %65 = load i32, ptr %64, align 4
  %66 = load i32, ptr @stride_PARAMETER_NUMBERS, align 4
  %67 = sext i32 %66 to i64
  %68 = mul nsw i64 %60, %67
  %69 = getelementptr inbounds i32, ptr @of_PARAMETER_NUMBERS, i64 %68
  %70 = load i32, ptr %69, align 4
  %71 = call ptr @keep(ptr nonnull %0, ptr nonnull %4, i32 %65, i32 %70)
  %72 = load ptr, ptr %0, align 8
  %73 = getelementptr inbounds i64, ptr %72, i64 %7
  %74 = load i64, ptr %73, align 8
  %75 = load i32, ptr @stride_SETTINGS, align 4
  %76 = sext i32 %75 to i64
  %77 = mul nsw i64 %74, %76
  %78 = getelementptr inbounds i32, ptr @of_SETTINGS, i64 %77
  %79 = load i32, ptr %78, align 4
  %80 = load i32, ptr @stride_SETTINGS_SIZE, align 4
  %81 = sext i32 %80 to i64
  %82 = mul nsw i64 %74, %81
  %83 = getelementptr inbounds i32, ptr @of_SETTINGS_SIZE, i64 %82
  %84 = load i32, ptr %83, align 4
  %85 = call ptr @keep(ptr nonnull %0, ptr nonnull %4, i32 %79, i32 %84)
  %86 = load ptr, ptr %0, align 8
  %87 = getelementptr inbounds i64, ptr %86, i64 %7
  %88 = load i64, ptr %87, align 8
  %89 = load i32, ptr @stride_LINES, align 4
  %90 = sext i32 %89 to i64
  %91 = mul nsw i64 %88, %90
  %92 = getelementptr inbounds i32, ptr @of_LINES, i64 %91
  %93 = load i32, ptr %92, align 4
  %94 = load i32, ptr @EVENT_COUNT, align 4
  %95 = load i32, ptr @LINE, align 4
  %96 = mul nsw i32 %94, %95
  %97 = call ptr @keep(ptr nonnull %0, ptr nonnull %4, i32 %93, i32 %96)
  %98 = sext i32 %1 to i64
  %99 = load ptr, ptr %0, align 8
  %100 = getelementptr inbounds i64, ptr %99, i64 %7
  store i64 %98, ptr %100, align 8
  call void @renew(ptr nonnull %0, i32 %1)
  %101 = load ptr, ptr %0, align 8
  %102 = getelementptr inbounds i64, ptr %101, i64 %7
  %103 = load i64, ptr %102, align 8
  %104 = mul nsw i64 %103, %62
  %105 = getelementptr inbounds i32, ptr @of_PARAMETERS, i64 %104
  %106 = load i32, ptr %105, align 4
  %107 = call ptr @numbers(ptr nonnull %0, i32 %106)
  %108 = load i32, ptr @GIVEN, align 4
  %109 = sext i32 %108 to i64
  %110 = shl nsw i64 %109, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %107, ptr align 1 %71, i64 %110, i1 false)
  %111 = load ptr, ptr %0, align 8
  %112 = getelementptr inbounds i64, ptr %111, i64 %7
  %113 = load i64, ptr %112, align 8
  %114 = mul nsw i64 %113, %76
  %115 = getelementptr inbounds i32, ptr @of_SETTINGS, i64 %114
  %116 = load i32, ptr %115, align 4
  %117 = call ptr @numbers(ptr nonnull %0, i32 %116)
  %118 = load ptr, ptr %0, align 8
  %119 = getelementptr inbounds i64, ptr %118, i64 %7
  %120 = load i64, ptr %119, align 8
  %121 = mul nsw i64 %120, %81
  %122 = getelementptr inbounds i32, ptr @of_SETTINGS_SIZE, i64 %121
  %123 = load i32, ptr %122, align 4
  %124 = sext i32 %123 to i64
  %125 = shl nsw i64 %124, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %117, ptr align 1 %85, i64 %125, i1 false)
  br label %126

126:                                              ; preds = %128, %3
  %.0108 = phi i32 [ 0, %3 ], [ %159, %128 ]
  %127 = icmp slt i32 %.0108, %94
  br i1 %127, label %128, label %160

128:                                              ; preds = %126
  %129 = load ptr, ptr %0, align 8
  %130 = getelementptr inbounds i64, ptr %129, i64 %7
  %131 = load i64, ptr %130, align 8
  %132 = mul nsw i64 %131, %90
  %133 = getelementptr inbounds i32, ptr @of_LINES, i64 %132
  %134 = load i32, ptr %133, align 4
  %135 = mul nsw i32 %.0108, %95
  %136 = add nsw i32 %134, %135
  %137 = call ptr @numbers(ptr nonnull %0, i32 %136)
  %138 = load i32, ptr @EVENT_ACTIVE, align 4
  %139 = add nsw i32 %135, %138
  %140 = sext i32 %139 to i64
  %141 = getelementptr inbounds double, ptr %97, i64 %140
  %142 = load double, ptr %141, align 8
  %143 = sext i32 %138 to i64
  %144 = getelementptr inbounds double, ptr %137, i64 %143
  store double %142, ptr %144, align 8
  %145 = load i32, ptr @EVENT_LARGEST, align 4
  %146 = add nsw i32 %135, %145
  %147 = sext i32 %146 to i64
  %148 = getelementptr inbounds double, ptr %97, i64 %147
  %149 = load double, ptr %148, align 8
  %150 = sext i32 %145 to i64
  %151 = getelementptr inbounds double, ptr %137, i64 %150
  store double %149, ptr %151, align 8
  %152 = load i32, ptr @EVENT_FASTEST, align 4
  %153 = add nsw i32 %135, %152
  %154 = sext i32 %153 to i64
  %155 = getelementptr inbounds double, ptr %97, i64 %154
  %156 = load double, ptr %155, align 8
  %157 = sext i32 %152 to i64
  %158 = getelementptr inbounds double, ptr %137, i64 %157
  store double %156, ptr %158, align 8
  %159 = add nuw nsw i32 %.0108, 1
  br label %126

160:                                              ; preds = %126
  %161 = load i32, ptr @ROW_LINES, align 4
  %.not = icmp eq i32 %161, 0
  br i1 %.not, label %163, label %162

162:                                              ; preds = %160
  call void @fill_slots(ptr nonnull %0, ptr nonnull %18)
  br label %163

163:                                              ; preds = %162, %160
  call void @take_over(ptr nonnull %0, ptr nonnull %18, i32 %10, i32 %1, ptr %57, i32 %15, ptr %71)
  br label %164

164:                                              ; preds = %197, %163
  %.0107 = phi i64 [ 0, %163 ], [ %198, %197 ]
  %165 = load i32, ptr @count_of_seats, align 4
  %166 = sext i32 %165 to i64
  %167 = icmp ult i64 %.0107, %166
  br i1 %167, label %168, label %199

168:                                              ; preds = %164
  %169 = getelementptr inbounds nuw %struct.anon.7, ptr @seats, i64 %.0107
  %170 = load i32, ptr %169, align 4
  %171 = icmp eq i32 %170, %1
  br i1 %171, label %172, label %197

172:                                              ; preds = %168
  %173 = getelementptr inbounds nuw i8, ptr %169, i64 4
  %174 = load i32, ptr %173, align 4
  %175 = sext i32 %174 to i64
  %176 = getelementptr inbounds i64, ptr %18, i64 %175
  %177 = load i64, ptr %176, align 8
  %.not116 = icmp eq i64 %177, 0
  br i1 %.not116, label %178, label %197

178:                                              ; preds = %172
  %179 = load ptr, ptr %0, align 8
  %180 = getelementptr inbounds i64, ptr %179, i64 %7
  %181 = load i64, ptr %180, align 8
  %182 = mul nsw i64 %181, %48
  %183 = getelementptr inbounds i32, ptr @of_GEOMETRY, i64 %182
  %184 = load i32, ptr %183, align 4
  %185 = call ptr @numbers(ptr nonnull %0, i32 %184)
  %186 = getelementptr inbounds nuw i8, ptr %169, i64 8
  %187 = load i32, ptr %186, align 4
  %188 = load ptr, ptr %0, align 8
  %189 = getelementptr inbounds i64, ptr %188, i64 %7
  %190 = load i64, ptr %189, align 8
  %191 = mul nsw i64 %190, %12
  %192 = getelementptr inbounds i32, ptr @of_GEOMETRY_COLUMNS, i64 %191
  %193 = load i32, ptr %192, align 4
  %194 = mul nsw i32 %187, %193
  %195 = sext i32 %194 to i64
  %196 = getelementptr inbounds double, ptr %185, i64 %195
  call void @seat(i64 %.0107, ptr %43, ptr %196)
  br label %197

197:                                              ; preds = %168, %172, %178
  %198 = add i64 %.0107, 1
  br label %164

199:                                              ; preds = %164
  %200 = load ptr, ptr %0, align 8
  call void @call_residual(ptr %200)
  br label %201

201:                                              ; preds = %254, %199
  %.0106 = phi i64 [ 0, %199 ], [ %255, %254 ]
  %202 = load i32, ptr @count_of_shifts, align 4
  %203 = sext i32 %202 to i64
  %204 = icmp ult i64 %.0106, %203
  br i1 %204, label %205, label %256

205:                                              ; preds = %201
  %206 = getelementptr inbounds nuw %struct.anon.8, ptr @shifts, i64 %.0106
  %207 = load i32, ptr %206, align 4
  %208 = icmp eq i32 %207, %1
  br i1 %208, label %209, label %254

209:                                              ; preds = %205
  %210 = getelementptr inbounds nuw i8, ptr %206, i64 4
  %211 = load i32, ptr %210, align 4
  %212 = sext i32 %211 to i64
  %213 = getelementptr inbounds i64, ptr %18, i64 %212
  %214 = load i64, ptr %213, align 8
  %.not114 = icmp eq i64 %214, 0
  br i1 %.not114, label %215, label %254

215:                                              ; preds = %209
  %216 = getelementptr inbounds nuw i8, ptr %206, i64 24
  %217 = load double, ptr %216, align 8
  %218 = load ptr, ptr %0, align 8
  %219 = getelementptr inbounds i64, ptr %218, i64 %7
  %220 = load i64, ptr %219, align 8
  %221 = load i32, ptr @stride_MISSED, align 4
  %222 = sext i32 %221 to i64
  %223 = mul nsw i64 %220, %222
  %224 = getelementptr inbounds i32, ptr @of_MISSED, i64 %223
  %225 = load i32, ptr %224, align 4
  %226 = getelementptr inbounds nuw i8, ptr %206, i64 8
  %227 = load i32, ptr %226, align 4
  %228 = add nsw i32 %225, %227
  %229 = call double @number(ptr nonnull %0, i32 %228)
  %230 = fmul double %217, %229
  %231 = getelementptr inbounds nuw i8, ptr %206, i64 12
  %232 = load i32, ptr %231, align 4
  %.not115 = icmp eq i32 %232, 0
  br i1 %.not115, label %239, label %233

233:                                              ; preds = %215
  %234 = load ptr, ptr %0, align 8
  %235 = getelementptr inbounds i64, ptr %234, i64 %7
  %236 = load i64, ptr %235, align 8
  %237 = mul nsw i64 %236, %48
  %238 = getelementptr inbounds i32, ptr @of_GEOMETRY, i64 %237
  br label %245

239:                                              ; preds = %215
  %240 = load ptr, ptr %0, align 8
  %241 = getelementptr inbounds i64, ptr %240, i64 %7
  %242 = load i64, ptr %241, align 8
  %243 = mul nsw i64 %242, %62
  %244 = getelementptr inbounds i32, ptr @of_PARAMETERS, i64 %243
  br label %245

245:                                              ; preds = %239, %233
  %.in = phi ptr [ %238, %233 ], [ %244, %239 ]
  %246 = load i32, ptr %.in, align 4
  %247 = call ptr @numbers(ptr nonnull %0, i32 %246)
  %248 = getelementptr inbounds nuw i8, ptr %206, i64 16
  %249 = load i32, ptr %248, align 4
  %250 = sext i32 %249 to i64
  %251 = getelementptr inbounds double, ptr %247, i64 %250
  %252 = load double, ptr %251, align 8
  %253 = fadd double %252, %230
  store double %253, ptr %251, align 8
  br label %254

254:                                              ; preds = %205, %209, %245
  %255 = add i64 %.0106, 1
  br label %201

256:                                              ; preds = %201
  br i1 %.not, label %258, label %257

257:                                              ; preds = %256
  call void @keep_misses(ptr nonnull %0, ptr nonnull %18)
  br label %258

258:                                              ; preds = %257, %256
  %259 = load ptr, ptr %0, align 8
  call void @call_residual(ptr %259)
  br label %260

260:                                              ; preds = %301, %258
  %.0105 = phi i32 [ 0, %258 ], [ %302, %301 ]
  %.0 = phi i32 [ undef, %258 ], [ %.2, %301 ]
  %261 = load ptr, ptr %0, align 8
  %262 = getelementptr inbounds i64, ptr %261, i64 %7
  %263 = load i64, ptr %262, align 8
  %264 = load i32, ptr @stride_HOLONOMIC, align 4
  %265 = sext i32 %264 to i64
  %266 = mul nsw i64 %263, %265
  %267 = getelementptr inbounds i32, ptr @of_HOLONOMIC, i64 %266
  %268 = load i32, ptr %267, align 4
  %.not113 = icmp slt i32 %.0105, %268
  br i1 %.not113, label %269, label %303

269:                                              ; preds = %260
  %270 = load i32, ptr @COMER_ROWS, align 4
  %271 = zext i32 %270 to i64
  %272 = mul nsw i64 %98, %271
  %273 = getelementptr inbounds i16, ptr @flat_comers, i64 %272
  %274 = zext nneg i32 %.0105 to i64
  %275 = getelementptr inbounds nuw i16, ptr %273, i64 %274
  %276 = load i16, ptr %275, align 2
  %277 = sext i16 %276 to i32
  %278 = icmp sgt i16 %276, -1
  br i1 %278, label %279, label %300

279:                                              ; preds = %269
  %280 = zext nneg i16 %276 to i64
  %281 = getelementptr inbounds nuw i64, ptr %18, i64 %280
  %282 = load i64, ptr %281, align 8
  %.not112 = icmp eq i64 %282, 0
  br i1 %.not112, label %283, label %300

283:                                              ; preds = %279
  %284 = load i32, ptr @stride_MISSED, align 4
  %285 = sext i32 %284 to i64
  %286 = mul nsw i64 %263, %285
  %287 = getelementptr inbounds i32, ptr @of_MISSED, i64 %286
  %288 = load i32, ptr %287, align 4
  %289 = add nsw i32 %288, %.0105
  %290 = call double @number(ptr nonnull %0, i32 %289)
  %291 = call double @llvm.fabs.f64(double %290)
  %292 = call i32 @is_of_stop(i32 %277)
  %293 = call double @lock_limit(ptr nonnull %0, i32 %292)
  %294 = fcmp ugt double %291, %293
  br i1 %294, label %295, label %300

295:                                              ; preds = %283
  %296 = sext i32 %2 to i64
  %297 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %296
  %298 = load ptr, ptr %297, align 8
  %299 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.53, ptr %298)
  br label %300

300:                                              ; preds = %269, %279, %283, %295
  %phiofops111 = phi i1 [ true, %269 ], [ true, %279 ], [ true, %283 ], [ false, %295 ]
  %.2 = phi i32 [ %.0, %269 ], [ %.0, %279 ], [ %.0, %283 ], [ %299, %295 ]
  br i1 %phiofops111, label %301, label %303

301:                                              ; preds = %300
  %302 = add nuw nsw i32 %.0105, 1
  br label %260

303:                                              ; preds = %260, %300
  %.1 = phi i32 [ %.0, %260 ], [ %.2, %300 ]
  br i1 %.not113, label %329, label %304

304:                                              ; preds = %303
  br i1 %.not, label %314, label %305

305:                                              ; preds = %304
  %306 = call double @miss_of_slots(ptr nonnull %0, ptr nonnull %18)
  %307 = call double @lock_limit(ptr nonnull %0, i32 1)
  %308 = fcmp ugt double %306, %307
  br i1 %308, label %309, label %314

309:                                              ; preds = %305
  %310 = sext i32 %2 to i64
  %311 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %310
  %312 = load ptr, ptr %311, align 8
  %313 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.54, ptr %312)
  br label %329

314:                                              ; preds = %305, %304
  %315 = load i32, ptr @ROW_BEFORE, align 4
  %316 = call ptr @numbers(ptr nonnull %0, i32 %315)
  %317 = load i32, ptr @COORDINATES, align 4
  %318 = sext i32 %317 to i64
  %319 = getelementptr inbounds double, ptr %316, i64 %318
  %320 = load i32, ptr @SPEEDS, align 4
  %321 = shl nsw i32 %320, 1
  %322 = sext i32 %321 to i64
  %323 = getelementptr inbounds double, ptr %319, i64 %322
  %324 = load i32, ptr @WIDEST, align 4
  %325 = add i32 %317, %321
  %326 = sub i32 %324, %325
  %327 = sext i32 %326 to i64
  %328 = shl nsw i64 %327, 3
  call void @llvm.memset.p0.i64(ptr align 1 %323, i8 0, i64 %328, i1 false)
  br label %329

329:                                              ; preds = %303, %314, %309
  %.3 = phi i32 [ %.1, %303 ], [ 0, %314 ], [ %313, %309 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  ret i32 %.3
}

declare void @call_residual(ptr noundef)

define internal ptr @keep(ptr %0, ptr %1, i32 %2, i32 %3) {
  %5 = load ptr, ptr %1, align 8
  %6 = load ptr, ptr %0, align 8
  %7 = sext i32 %2 to i64
  %8 = getelementptr inbounds i64, ptr %6, i64 %7
  %9 = sext i32 %3 to i64
  %10 = shl nsw i64 %9, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %5, ptr align 1 %8, i64 %10, i1 false)
  %11 = load ptr, ptr %1, align 8
  %12 = getelementptr inbounds double, ptr %11, i64 %9
  store ptr %12, ptr %1, align 8
  ret ptr %5
}

define internal void @renew(ptr %0, i32 %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @COMMON, align 4
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds i64, ptr %3, i64 %5
  %7 = load i32, ptr @ARRAYS, align 4
  %8 = sub nsw i32 %7, %4
  %9 = sext i32 %8 to i64
  %10 = shl nsw i64 %9, 3
  call void @llvm.memset.p0.i64(ptr align 1 %6, i8 0, i64 %10, i1 false)
  %11 = add nsw i32 %1, 1
  call void @put_image(ptr nonnull %0, i32 %11)
  ret void
}

define internal void @fill_slots(ptr %0, ptr %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @PHASE, align 4
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds i64, ptr %3, i64 %5
  %7 = load i64, ptr %6, align 8
  %8 = load i32, ptr @stride_GEOMETRY_COLUMNS, align 4
  %9 = sext i32 %8 to i64
  %10 = mul nsw i64 %7, %9
  %11 = getelementptr inbounds i32, ptr @of_GEOMETRY_COLUMNS, i64 %10
  %12 = load i32, ptr %11, align 4
  br label %13

13:                                               ; preds = %16, %2
  %.0 = phi i32 [ 0, %2 ], [ %27, %16 ]
  %14 = load i32, ptr @ROW_LINES, align 4
  %15 = icmp slt i32 %.0, %14
  br i1 %15, label %16, label %28

16:                                               ; preds = %13
  %17 = load ptr, ptr %0, align 8
  %18 = load i32, ptr @SLOT_LINE, align 4
  %19 = add nsw i32 %18, %.0
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds i64, ptr %17, i64 %20
  store i64 -1, ptr %21, align 8
  %22 = load ptr, ptr %0, align 8
  %23 = load i32, ptr @SLOT_ROW, align 4
  %24 = add nsw i32 %23, %.0
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds i64, ptr %22, i64 %25
  store i64 -1, ptr %26, align 8
  %27 = add nuw nsw i32 %.0, 1
  br label %13

28:                                               ; preds = %13
  %sext = shl i64 %7, 32
  %29 = ashr exact i64 %sext, 31
  %30 = getelementptr inbounds i8, ptr @slot_first, i64 %29
  %31 = load i16, ptr %30, align 2
  %32 = sext i16 %31 to i32
  br label %33

33:                                               ; preds = %189, %28
  %.090 = phi i32 [ %32, %28 ], [ %190, %189 ]
  %34 = shl i64 %7, 32
  %sext93 = add i64 %34, 4294967296
  %35 = ashr exact i64 %sext93, 31
  %36 = getelementptr inbounds i8, ptr @slot_first, i64 %35
  %37 = load i16, ptr %36, align 2
  %38 = sext i16 %37 to i32
  %39 = icmp slt i32 %.090, %38
  br i1 %39, label %40, label %191

40:                                               ; preds = %33, %187
  %.091 = phi i32 [ %188, %187 ], [ 0, %33 ]
  %41 = icmp slt i32 %.091, %14
  br i1 %41, label %42, label %189

42:                                               ; preds = %40
  %43 = zext nneg i32 %.091 to i64
  %44 = getelementptr inbounds nuw %struct.anon.9, ptr @row_lines, i64 %43
  %45 = getelementptr inbounds nuw i8, ptr %44, i64 2
  %46 = load i16, ptr %45, align 2
  %47 = sext i32 %.090 to i64
  %48 = getelementptr inbounds %struct.anon.10, ptr @slots, i64 %47
  %49 = getelementptr inbounds nuw i8, ptr %48, i64 4
  %50 = load i16, ptr %49, align 2
  %.not94 = icmp eq i16 %46, %50
  br i1 %.not94, label %51, label %187

51:                                               ; preds = %42
  %52 = load ptr, ptr %0, align 8
  %53 = load i32, ptr @HOLDS, align 4
  %54 = load i16, ptr %44, align 2
  %55 = sext i16 %54 to i32
  %56 = add nsw i32 %53, %55
  %57 = sext i32 %56 to i64
  %58 = getelementptr inbounds i64, ptr %52, i64 %57
  %59 = load i64, ptr %58, align 8
  %.not95 = icmp eq i64 %59, 0
  br i1 %.not95, label %187, label %60

60:                                               ; preds = %51
  %61 = load i32, ptr @SLOT_ROW, align 4
  %62 = add nsw i32 %61, %.091
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds i64, ptr %52, i64 %63
  %65 = load i64, ptr %64, align 8
  %66 = icmp sgt i64 %65, -1
  br i1 %66, label %187, label %67

67:                                               ; preds = %60
  %68 = load i16, ptr %48, align 2
  %69 = sext i16 %68 to i64
  store i64 %69, ptr %64, align 8
  %70 = getelementptr inbounds nuw i8, ptr %48, i64 2
  %71 = load i16, ptr %70, align 2
  %72 = sext i16 %71 to i64
  %73 = load ptr, ptr %0, align 8
  %74 = load i32, ptr @SLOT_LINE, align 4
  %75 = add nsw i32 %74, %.091
  %76 = sext i32 %75 to i64
  %77 = getelementptr inbounds i64, ptr %73, i64 %76
  store i64 %72, ptr %77, align 8
  %78 = getelementptr inbounds nuw i8, ptr %44, i64 8
  %79 = load i16, ptr %78, align 2
  %80 = sext i16 %79 to i64
  %81 = load ptr, ptr %0, align 8
  %82 = getelementptr inbounds i64, ptr %81, i64 %5
  %83 = load i64, ptr %82, align 8
  %84 = load i32, ptr @stride_PRIMITIVES, align 4
  %85 = sext i32 %84 to i64
  %86 = mul nsw i64 %83, %85
  %87 = getelementptr inbounds i32, ptr @of_PRIMITIVES, i64 %86
  %88 = load i32, ptr %87, align 4
  %89 = sext i16 %71 to i32
  %90 = load i32, ptr @PRIMITIVE, align 4
  %91 = mul nsw i32 %90, %89
  %92 = add nsw i32 %88, %91
  %93 = sext i32 %92 to i64
  %94 = getelementptr inbounds i64, ptr %81, i64 %93
  store i64 %80, ptr %94, align 8
  %95 = getelementptr inbounds nuw i8, ptr %44, i64 10
  %96 = load i16, ptr %95, align 2
  %97 = sext i16 %96 to i64
  %98 = load ptr, ptr %0, align 8
  %99 = getelementptr inbounds i64, ptr %98, i64 %5
  %100 = load i64, ptr %99, align 8
  %101 = mul nsw i64 %100, %85
  %102 = getelementptr inbounds i32, ptr @of_PRIMITIVES, i64 %101
  %103 = load i32, ptr %102, align 4
  %104 = add nsw i32 %103, %91
  %105 = sext i32 %104 to i64
  %106 = getelementptr i64, ptr %98, i64 %105
  %107 = getelementptr i8, ptr %106, i64 16
  store i64 %97, ptr %107, align 8
  %108 = getelementptr inbounds nuw i8, ptr %44, i64 12
  %109 = load i16, ptr %108, align 2
  %110 = sext i16 %109 to i64
  %111 = load ptr, ptr %0, align 8
  %112 = getelementptr inbounds i64, ptr %111, i64 %5
  %113 = load i64, ptr %112, align 8
  %114 = mul nsw i64 %113, %85
  %115 = getelementptr inbounds i32, ptr @of_PRIMITIVES, i64 %114
  %116 = load i32, ptr %115, align 4
  %117 = add nsw i32 %116, %91
  %118 = sext i32 %117 to i64
  %119 = getelementptr i64, ptr %111, i64 %118
  %120 = getelementptr i8, ptr %119, i64 24
  store i64 %110, ptr %120, align 8
  %121 = load ptr, ptr %0, align 8
  %122 = getelementptr inbounds i64, ptr %121, i64 %5
  %123 = load i64, ptr %122, align 8
  %124 = load i32, ptr @stride_GEOMETRY, align 4
  %125 = sext i32 %124 to i64
  %126 = mul nsw i64 %123, %125
  %127 = getelementptr inbounds i32, ptr @of_GEOMETRY, i64 %126
  %128 = load i32, ptr %127, align 4
  %129 = call ptr @numbers(ptr nonnull %0, i32 %128)
  %130 = mul nsw i32 %12, %89
  %131 = sext i32 %130 to i64
  %132 = getelementptr inbounds double, ptr %129, i64 %131
  br label %133

133:                                              ; preds = %145, %67
  %.089 = phi i32 [ 0, %67 ], [ %149, %145 ]
  %134 = icmp slt i32 %.089, %12
  br i1 %134, label %135, label %150

135:                                              ; preds = %133
  %136 = load i32, ptr @ROW_GEOMETRY, align 4
  %137 = icmp slt i32 %.089, %136
  br i1 %137, label %138, label %145

138:                                              ; preds = %135
  %139 = zext i32 %136 to i64
  %140 = mul nuw nsw i64 %43, %139
  %141 = getelementptr inbounds nuw double, ptr @flat_row_geometry, i64 %140
  %142 = zext nneg i32 %.089 to i64
  %143 = getelementptr inbounds nuw double, ptr %141, i64 %142
  %144 = load double, ptr %143, align 8
  br label %145

145:                                              ; preds = %135, %138
  %146 = phi double [ %144, %138 ], [ 0.000000e+00, %135 ]
  %147 = zext nneg i32 %.089 to i64
  %148 = getelementptr inbounds nuw double, ptr %132, i64 %147
  store double %146, ptr %148, align 8
  %149 = add nuw nsw i32 %.089, 1
  br label %133

150:                                              ; preds = %133, %153
  %.088 = phi i32 [ %173, %153 ], [ 0, %133 ]
  %151 = load i32, ptr @BODIES, align 4
  %152 = icmp slt i32 %.088, %151
  br i1 %152, label %153, label %174

153:                                              ; preds = %150
  %154 = getelementptr inbounds nuw i8, ptr %44, i64 14
  %155 = zext nneg i32 %.088 to i64
  %156 = getelementptr inbounds nuw i16, ptr %154, i64 %155
  %157 = load i16, ptr %156, align 2
  %158 = sext i16 %157 to i64
  %159 = load ptr, ptr %0, align 8
  %160 = getelementptr inbounds i64, ptr %159, i64 %5
  %161 = load i64, ptr %160, align 8
  %162 = load i32, ptr @stride_ROW_BODIES, align 4
  %163 = sext i32 %162 to i64
  %164 = mul nsw i64 %161, %163
  %165 = getelementptr inbounds i32, ptr @of_ROW_BODIES, i64 %164
  %166 = load i32, ptr %165, align 4
  %167 = sext i16 %68 to i32
  %168 = mul nsw i32 %151, %167
  %169 = add nsw i32 %166, %168
  %170 = add nsw i32 %169, %.088
  %171 = sext i32 %170 to i64
  %172 = getelementptr inbounds i64, ptr %159, i64 %171
  store i64 %158, ptr %172, align 8
  %173 = add nuw nsw i32 %.088, 1
  br label %150

174:                                              ; preds = %150
  %175 = getelementptr inbounds nuw double, ptr @row_levers, i64 %43
  %176 = load double, ptr %175, align 8
  %177 = load ptr, ptr %0, align 8
  %178 = getelementptr inbounds i64, ptr %177, i64 %5
  %179 = load i64, ptr %178, align 8
  %180 = load i32, ptr @stride_LEVERS, align 4
  %181 = sext i32 %180 to i64
  %182 = mul nsw i64 %179, %181
  %183 = getelementptr inbounds i32, ptr @of_LEVERS, i64 %182
  %184 = load i32, ptr %183, align 4
  %185 = call ptr @numbers(ptr nonnull %0, i32 %184)
  %186 = getelementptr inbounds double, ptr %185, i64 %69
  store double %176, ptr %186, align 8
  br label %189

187:                                              ; preds = %42, %51, %60
  %188 = add nuw nsw i32 %.091, 1
  br label %40

189:                                              ; preds = %40, %174
  %190 = add nsw i32 %.090, 1
  br label %33

191:                                              ; preds = %33, %204
  %.087 = phi i32 [ %205, %204 ], [ 0, %33 ]
  %192 = icmp slt i32 %.087, %14
  br i1 %192, label %193, label %206

193:                                              ; preds = %191
  %194 = zext nneg i32 %.087 to i64
  %195 = getelementptr inbounds nuw %struct.anon.9, ptr @row_lines, i64 %194
  %196 = load i16, ptr %195, align 2
  %197 = sext i16 %196 to i64
  %198 = getelementptr inbounds i64, ptr %1, i64 %197
  %199 = load i64, ptr %198, align 8
  %.not = icmp eq i64 %199, 0
  br i1 %.not, label %200, label %204

200:                                              ; preds = %193
  %201 = load i32, ptr @SLOT_MISS, align 4
  %202 = call ptr @numbers(ptr nonnull %0, i32 %201)
  %203 = getelementptr inbounds nuw double, ptr %202, i64 %194
  store double 0.000000e+00, ptr %203, align 8
  br label %204

204:                                              ; preds = %193, %200
  %205 = add nuw nsw i32 %.087, 1
  br label %191

206:                                              ; preds = %191
  call void @shift_slots(ptr nonnull %0)
  br label %207

207:                                              ; preds = %261, %206
  %.086 = phi i32 [ 0, %206 ], [ %262, %261 ]
  %208 = load i32, ptr @DIRECTIONS, align 4
  %209 = icmp slt i32 %.086, %208
  br i1 %209, label %210, label %263

210:                                              ; preds = %207
  %211 = zext nneg i32 %.086 to i64
  %212 = getelementptr inbounds nuw i16, ptr @row_of_direction, i64 %211
  %213 = load i16, ptr %212, align 2
  %214 = icmp sgt i16 %213, -1
  br i1 %214, label %215, label %261

215:                                              ; preds = %210
  %216 = sext i16 %213 to i32
  %217 = load ptr, ptr %0, align 8
  %218 = load i32, ptr @SLOT_ROW, align 4
  %219 = add nsw i32 %218, %216
  %220 = sext i32 %219 to i64
  %221 = getelementptr inbounds i64, ptr %217, i64 %220
  %222 = load i64, ptr %221, align 8
  %223 = getelementptr inbounds i64, ptr %217, i64 %5
  %224 = load i64, ptr %223, align 8
  %225 = load i32, ptr @stride_STOP_ROWS, align 4
  %226 = sext i32 %225 to i64
  %227 = mul nsw i64 %224, %226
  %228 = getelementptr inbounds i32, ptr @of_STOP_ROWS, i64 %227
  %229 = load i32, ptr %228, align 4
  %230 = add nsw i32 %229, %.086
  %231 = sext i32 %230 to i64
  %232 = getelementptr inbounds i64, ptr %217, i64 %231
  store i64 %222, ptr %232, align 8
  %233 = icmp sgt i64 %222, -1
  br i1 %233, label %234, label %261

234:                                              ; preds = %215
  %235 = load ptr, ptr %0, align 8
  %236 = getelementptr inbounds i64, ptr %235, i64 %5
  %237 = load i64, ptr %236, align 8
  %238 = load i32, ptr @stride_EASED, align 4
  %239 = sext i32 %238 to i64
  %240 = mul nsw i64 %237, %239
  %241 = getelementptr inbounds i32, ptr @of_EASED, i64 %240
  %242 = load i32, ptr %241, align 4
  %243 = icmp sgt i32 %242, -1
  br i1 %243, label %244, label %261

244:                                              ; preds = %234
  %245 = zext nneg i16 %213 to i64
  %246 = getelementptr inbounds nuw double, ptr @row_levers, i64 %245
  %247 = load double, ptr %246, align 8
  %248 = add nuw nsw i32 %242, %.086
  %249 = call double @number(ptr nonnull %0, i32 %248)
  %250 = fmul double %247, %249
  %251 = load ptr, ptr %0, align 8
  %252 = getelementptr inbounds i64, ptr %251, i64 %5
  %253 = load i64, ptr %252, align 8
  %254 = load i32, ptr @stride_LEVERS, align 4
  %255 = sext i32 %254 to i64
  %256 = mul nsw i64 %253, %255
  %257 = getelementptr inbounds i32, ptr @of_LEVERS, i64 %256
  %258 = load i32, ptr %257, align 4
  %259 = call ptr @numbers(ptr nonnull %0, i32 %258)
  %260 = getelementptr inbounds nuw double, ptr %259, i64 %222
  store double %250, ptr %260, align 8
  br label %261

261:                                              ; preds = %210, %244, %234, %215
  %262 = add nuw nsw i32 %.086, 1
  br label %207

263:                                              ; preds = %207
  %264 = load i32, ptr @FRICTIONS, align 4
  %265 = icmp sgt i32 %264, 0
  br i1 %265, label %266, label %267

266:                                              ; preds = %263
  call void @load_frictions(ptr nonnull %0)
  br label %267

267:                                              ; preds = %266, %263
  ret void
}

define internal void @take_over(ptr %0, ptr %1, i32 %2, i32 %3, ptr %4, i32 %5, ptr %6) {
  %8 = load ptr, ptr %0, align 8
  %9 = load i32, ptr @PHASE, align 4
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds i64, ptr %8, i64 %10
  %12 = load i64, ptr %11, align 8
  %13 = load i32, ptr @stride_GEOMETRY_COLUMNS, align 4
  %14 = sext i32 %13 to i64
  %15 = mul nsw i64 %12, %14
  %16 = getelementptr inbounds i32, ptr @of_GEOMETRY_COLUMNS, i64 %15
  %17 = load i32, ptr %16, align 4
  %18 = icmp slt i32 %5, %17
  %spec.select = select i1 %18, i32 %5, i32 %17
  br label %19

19:                                               ; preds = %88, %7
  %.068 = phi i64 [ 0, %7 ], [ %89, %88 ]
  %20 = load i32, ptr @count_of_seats, align 4
  %21 = sext i32 %20 to i64
  %22 = icmp ult i64 %.068, %21
  br i1 %22, label %23, label %90

23:                                               ; preds = %19
  %24 = getelementptr inbounds nuw %struct.anon.7, ptr @seats, i64 %.068
  %25 = load i32, ptr %24, align 4
  %.not77 = icmp eq i32 %25, %3
  br i1 %.not77, label %26, label %88

26:                                               ; preds = %23
  %27 = getelementptr inbounds nuw i8, ptr %24, i64 4
  %28 = load i32, ptr %27, align 4
  %29 = sext i32 %28 to i64
  %30 = getelementptr inbounds i64, ptr %1, i64 %29
  %31 = load i64, ptr %30, align 8
  %.not78 = icmp eq i64 %31, 0
  br i1 %.not78, label %88, label %32

32:                                               ; preds = %26, %43
  %.065 = phi i64 [ %45, %43 ], [ 0, %26 ]
  %.063 = phi i64 [ %46, %43 ], [ 0, %26 ]
  %33 = icmp ult i64 %.063, %.068
  br i1 %33, label %34, label %47

34:                                               ; preds = %32
  %35 = getelementptr inbounds nuw %struct.anon.7, ptr @seats, i64 %.063
  %36 = load i32, ptr %35, align 4
  %37 = icmp eq i32 %36, %3
  br i1 %37, label %38, label %43

38:                                               ; preds = %34
  %39 = getelementptr inbounds nuw i8, ptr %35, i64 4
  %40 = load i32, ptr %39, align 4
  %41 = icmp eq i32 %40, %28
  %42 = zext i1 %41 to i64
  br label %43

43:                                               ; preds = %38, %34
  %44 = phi i64 [ 0, %34 ], [ %42, %38 ]
  %45 = add i64 %.065, %44
  %46 = add i64 %.063, 1
  br label %32

47:                                               ; preds = %32, %58
  %.166 = phi i64 [ %.267, %58 ], [ %.065, %32 ]
  %.064 = phi i64 [ %59, %58 ], [ 0, %32 ]
  %48 = getelementptr inbounds nuw %struct.anon.7, ptr @seats, i64 %.064
  %49 = load i32, ptr %48, align 4
  %.not79 = icmp eq i32 %49, %2
  br i1 %.not79, label %50, label %56

50:                                               ; preds = %47
  %51 = getelementptr inbounds nuw i8, ptr %48, i64 4
  %52 = load i32, ptr %51, align 4
  %.not80 = icmp eq i32 %52, %28
  br i1 %.not80, label %53, label %56

53:                                               ; preds = %50
  %54 = add i64 %.166, -1
  %55 = icmp ne i64 %.166, 0
  br label %56

56:                                               ; preds = %53, %50, %47
  %.267 = phi i64 [ %.166, %47 ], [ %.166, %50 ], [ %54, %53 ]
  %57 = phi i1 [ true, %47 ], [ true, %50 ], [ %55, %53 ]
  br i1 %57, label %58, label %60

58:                                               ; preds = %56
  %59 = add i64 %.064, 1
  br label %47

60:                                               ; preds = %56
  %61 = load ptr, ptr %0, align 8
  %62 = getelementptr inbounds i64, ptr %61, i64 %10
  %63 = load i64, ptr %62, align 8
  %64 = load i32, ptr @stride_GEOMETRY, align 4
  %65 = sext i32 %64 to i64
  %66 = mul nsw i64 %63, %65
  %67 = getelementptr inbounds i32, ptr @of_GEOMETRY, i64 %66
  %68 = load i32, ptr %67, align 4
  %69 = call ptr @numbers(ptr nonnull %0, i32 %68)
  %70 = getelementptr inbounds nuw i8, ptr %24, i64 8
  %71 = load i32, ptr %70, align 4
  %72 = load ptr, ptr %0, align 8
  %73 = getelementptr inbounds i64, ptr %72, i64 %10
  %74 = load i64, ptr %73, align 8
  %75 = mul nsw i64 %74, %14
  %76 = getelementptr inbounds i32, ptr @of_GEOMETRY_COLUMNS, i64 %75
  %77 = load i32, ptr %76, align 4
  %78 = mul nsw i32 %71, %77
  %79 = sext i32 %78 to i64
  %80 = getelementptr inbounds double, ptr %69, i64 %79
  %81 = getelementptr inbounds nuw i8, ptr %48, i64 8
  %82 = load i32, ptr %81, align 4
  %83 = mul nsw i32 %82, %5
  %84 = sext i32 %83 to i64
  %85 = getelementptr inbounds double, ptr %4, i64 %84
  %86 = sext i32 %spec.select to i64
  %87 = shl nsw i64 %86, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %80, ptr align 1 %85, i64 %87, i1 false)
  br label %88

88:                                               ; preds = %23, %26, %60
  %89 = add i64 %.068, 1
  br label %19

90:                                               ; preds = %19, %164
  %.062 = phi i64 [ %165, %164 ], [ 0, %19 ]
  %91 = load i32, ptr @count_of_shifts, align 4
  %92 = sext i32 %91 to i64
  %93 = icmp ult i64 %.062, %92
  br i1 %93, label %94, label %166

94:                                               ; preds = %90
  %95 = getelementptr inbounds nuw %struct.anon.8, ptr @shifts, i64 %.062
  %96 = load i32, ptr %95, align 4
  %.not = icmp eq i32 %96, %3
  br i1 %.not, label %97, label %164

97:                                               ; preds = %94
  %98 = getelementptr inbounds nuw i8, ptr %95, i64 4
  %99 = load i32, ptr %98, align 4
  %100 = sext i32 %99 to i64
  %101 = getelementptr inbounds i64, ptr %1, i64 %100
  %102 = load i64, ptr %101, align 8
  %.not72 = icmp eq i64 %102, 0
  br i1 %.not72, label %164, label %103

103:                                              ; preds = %97, %114
  %.061 = phi i64 [ %116, %114 ], [ 0, %97 ]
  %.0 = phi i64 [ %117, %114 ], [ 0, %97 ]
  %104 = icmp ult i64 %.0, %.062
  br i1 %104, label %105, label %118

105:                                              ; preds = %103
  %106 = getelementptr inbounds nuw %struct.anon.8, ptr @shifts, i64 %.0
  %107 = load i32, ptr %106, align 4
  %108 = icmp eq i32 %107, %3
  br i1 %108, label %109, label %114

109:                                              ; preds = %105
  %110 = getelementptr inbounds nuw i8, ptr %106, i64 4
  %111 = load i32, ptr %110, align 4
  %112 = icmp eq i32 %111, %99
  %113 = zext i1 %112 to i64
  br label %114

114:                                              ; preds = %109, %105
  %115 = phi i64 [ 0, %105 ], [ %113, %109 ]
  %116 = add i64 %.061, %115
  %117 = add i64 %.0, 1
  br label %103

118:                                              ; preds = %103, %129
  %.1 = phi i64 [ %.2, %129 ], [ %.061, %103 ]
  %.060 = phi i64 [ %130, %129 ], [ 0, %103 ]
  %119 = getelementptr inbounds nuw %struct.anon.8, ptr @shifts, i64 %.060
  %120 = load i32, ptr %119, align 4
  %.not73 = icmp eq i32 %120, %2
  br i1 %.not73, label %121, label %127

121:                                              ; preds = %118
  %122 = getelementptr inbounds nuw i8, ptr %119, i64 4
  %123 = load i32, ptr %122, align 4
  %.not74 = icmp eq i32 %123, %99
  br i1 %.not74, label %124, label %127

124:                                              ; preds = %121
  %125 = add i64 %.1, -1
  %126 = icmp ne i64 %.1, 0
  br label %127

127:                                              ; preds = %124, %121, %118
  %.2 = phi i64 [ %.1, %118 ], [ %.1, %121 ], [ %125, %124 ]
  %128 = phi i1 [ true, %118 ], [ true, %121 ], [ %126, %124 ]
  br i1 %128, label %129, label %131

129:                                              ; preds = %127
  %130 = add i64 %.060, 1
  br label %118

131:                                              ; preds = %127
  %132 = getelementptr inbounds nuw i8, ptr %119, i64 12
  %133 = load i32, ptr %132, align 4
  %.not75 = icmp eq i32 %133, 0
  %. = select i1 %.not75, ptr %6, ptr %4
  %134 = getelementptr inbounds nuw i8, ptr %119, i64 16
  %135 = load i32, ptr %134, align 4
  %136 = sext i32 %135 to i64
  %137 = getelementptr inbounds double, ptr %., i64 %136
  %138 = load double, ptr %137, align 8
  %139 = getelementptr inbounds nuw i8, ptr %95, i64 12
  %140 = load i32, ptr %139, align 4
  %.not76 = icmp eq i32 %140, 0
  br i1 %.not76, label %149, label %141

141:                                              ; preds = %131
  %142 = load ptr, ptr %0, align 8
  %143 = getelementptr inbounds i64, ptr %142, i64 %10
  %144 = load i64, ptr %143, align 8
  %145 = load i32, ptr @stride_GEOMETRY, align 4
  %146 = sext i32 %145 to i64
  %147 = mul nsw i64 %144, %146
  %148 = getelementptr inbounds i32, ptr @of_GEOMETRY, i64 %147
  br label %157

149:                                              ; preds = %131
  %150 = load ptr, ptr %0, align 8
  %151 = getelementptr inbounds i64, ptr %150, i64 %10
  %152 = load i64, ptr %151, align 8
  %153 = load i32, ptr @stride_PARAMETERS, align 4
  %154 = sext i32 %153 to i64
  %155 = mul nsw i64 %152, %154
  %156 = getelementptr inbounds i32, ptr @of_PARAMETERS, i64 %155
  br label %157

157:                                              ; preds = %149, %141
  %.in = phi ptr [ %148, %141 ], [ %156, %149 ]
  %158 = load i32, ptr %.in, align 4
  %159 = call ptr @numbers(ptr nonnull %0, i32 %158)
  %160 = getelementptr inbounds nuw i8, ptr %95, i64 16
  %161 = load i32, ptr %160, align 4
  %162 = sext i32 %161 to i64
  %163 = getelementptr inbounds double, ptr %159, i64 %162
  store double %138, ptr %163, align 8
  br label %164

164:                                              ; preds = %94, %97, %157
  %165 = add i64 %.062, 1
  br label %90

166:                                              ; preds = %90
  ret void
}

define internal void @seat(i64 %0, ptr %1, ptr %2) {
  %4 = alloca [9 x double], align 8
  %5 = alloca [9 x double], align 8
  %6 = alloca [3 x double], align 8
  %7 = alloca [3 x double], align 8
  %8 = alloca [3 x double], align 8
  %9 = alloca [3 x double], align 8
  %10 = getelementptr inbounds nuw %struct.anon.7, ptr @seats, i64 %0
  %11 = getelementptr inbounds nuw i8, ptr %10, i64 12
  %12 = load i32, ptr %11, align 4
  %13 = load i32, ptr @FRAME, align 4
  %14 = mul nsw i32 %12, %13
  %15 = sext i32 %14 to i64
  %16 = getelementptr inbounds double, ptr %1, i64 %15
  %17 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %18 = load i32, ptr %17, align 4
  %19 = mul nsw i32 %18, %13
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds double, ptr %1, i64 %20
  %22 = load i32, ptr @PLANAR, align 4
  %.not = icmp eq i32 %22, 0
  %23 = select i1 %.not, i32 3, i32 2
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  call void @llvm.lifetime.start.p0(ptr nonnull %6)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %6, i8 0, i64 24, i1 false)
  call void @llvm.lifetime.start.p0(ptr nonnull %7)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %7, i8 0, i64 24, i1 false)
  call void @llvm.lifetime.start.p0(ptr nonnull %8)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %8, i8 0, i64 24, i1 false)
  call void @llvm.lifetime.start.p0(ptr nonnull %9)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %9, i8 0, i64 24, i1 false)
  call void @axes_of(ptr %16, ptr nonnull %4)
  call void @axes_of(ptr %21, ptr nonnull %5)
  br label %24

24:                                               ; preds = %65, %3
  %.076 = phi double [ 0.000000e+00, %3 ], [ %70, %65 ]
  %.075 = phi i32 [ 0, %3 ], [ %71, %65 ]
  %25 = icmp samesign ult i32 %.075, %23
  br i1 %25, label %26, label %72

26:                                               ; preds = %24
  %27 = zext nneg i32 %.075 to i64
  %28 = getelementptr inbounds nuw double, ptr %16, i64 %27
  %29 = load double, ptr %28, align 8
  %30 = getelementptr inbounds nuw double, ptr %6, i64 %27
  store double %29, ptr %30, align 8
  %31 = getelementptr inbounds nuw double, ptr %21, i64 %27
  %32 = load double, ptr %31, align 8
  %33 = getelementptr inbounds nuw double, ptr %7, i64 %27
  store double %32, ptr %33, align 8
  br label %34

34:                                               ; preds = %36, %26
  %.074 = phi i32 [ 0, %26 ], [ %64, %36 ]
  %35 = icmp samesign ult i32 %.074, %23
  br i1 %35, label %36, label %65

36:                                               ; preds = %34
  %37 = mul nuw nsw i32 %.075, 3
  %38 = add nuw nsw i32 %37, %.074
  %39 = zext nneg i32 %38 to i64
  %40 = getelementptr inbounds nuw double, ptr %4, i64 %39
  %41 = load double, ptr %40, align 8
  %42 = zext nneg i32 %.074 to i64
  %43 = getelementptr inbounds nuw double, ptr %2, i64 %42
  %44 = load double, ptr %43, align 8
  %45 = fmul double %41, %44
  %46 = load double, ptr %30, align 8
  %47 = fadd double %46, %45
  store double %47, ptr %30, align 8
  %48 = getelementptr inbounds nuw double, ptr %5, i64 %39
  %49 = load double, ptr %48, align 8
  %50 = add nuw nsw i32 %23, %.074
  %51 = zext nneg i32 %50 to i64
  %52 = getelementptr inbounds nuw double, ptr %2, i64 %51
  %53 = load double, ptr %52, align 8
  %54 = fmul double %49, %53
  %55 = load double, ptr %33, align 8
  %56 = fadd double %55, %54
  store double %56, ptr %33, align 8
  %57 = getelementptr inbounds nuw i8, ptr %10, i64 32
  %58 = getelementptr inbounds nuw double, ptr %57, i64 %42
  %59 = load double, ptr %58, align 8
  %60 = fmul double %41, %59
  %61 = getelementptr inbounds nuw double, ptr %9, i64 %27
  %62 = load double, ptr %61, align 8
  %63 = fadd double %62, %60
  store double %63, ptr %61, align 8
  %64 = add nuw nsw i32 %.074, 1
  br label %34

65:                                               ; preds = %34
  %66 = load double, ptr %30, align 8
  %67 = load double, ptr %33, align 8
  %68 = fsub double %66, %67
  %69 = fmul double %68, %68
  %70 = fadd double %.076, %69
  %71 = add nuw nsw i32 %.075, 1
  br label %24

72:                                               ; preds = %24
  %73 = getelementptr inbounds nuw i8, ptr %10, i64 24
  %74 = load i32, ptr %73, align 4
  %.not78 = icmp eq i32 %74, 0
  br i1 %.not78, label %79, label %75

75:                                               ; preds = %72
  %76 = call double @llvm.sqrt.f64(double %.076)
  %77 = select i1 %.not, i64 15, i64 7
  %78 = getelementptr inbounds nuw double, ptr %2, i64 %77
  store double %76, ptr %78, align 8
  br label %79

79:                                               ; preds = %75, %72
  br label %80

80:                                               ; preds = %102, %79
  %.073 = phi i32 [ 0, %79 ], [ %103, %102 ]
  %81 = icmp samesign ult i32 %.073, %23
  br i1 %81, label %82, label %104

82:                                               ; preds = %80, %84
  %.072 = phi i32 [ %101, %84 ], [ 0, %80 ]
  %83 = icmp samesign ult i32 %.072, %23
  br i1 %83, label %84, label %102

84:                                               ; preds = %82
  %85 = mul nuw nsw i32 %.072, 3
  %86 = add nuw nsw i32 %85, %.073
  %87 = zext nneg i32 %86 to i64
  %88 = getelementptr inbounds nuw double, ptr %5, i64 %87
  %89 = load double, ptr %88, align 8
  %90 = zext nneg i32 %.072 to i64
  %91 = getelementptr inbounds nuw double, ptr %6, i64 %90
  %92 = load double, ptr %91, align 8
  %93 = getelementptr inbounds nuw double, ptr %21, i64 %90
  %94 = load double, ptr %93, align 8
  %95 = fsub double %92, %94
  %96 = fmul double %89, %95
  %97 = zext nneg i32 %.073 to i64
  %98 = getelementptr inbounds nuw double, ptr %8, i64 %97
  %99 = load double, ptr %98, align 8
  %100 = fadd double %99, %96
  store double %100, ptr %98, align 8
  %101 = add nuw nsw i32 %.072, 1
  br label %82

102:                                              ; preds = %82
  %103 = add nuw nsw i32 %.073, 1
  br label %80

104:                                              ; preds = %80, %109
  %.071 = phi i32 [ %116, %109 ], [ 0, %80 ]
  %105 = icmp samesign ult i32 %.071, %23
  br i1 %105, label %106, label %.critedge

106:                                              ; preds = %104
  %107 = getelementptr inbounds nuw i8, ptr %10, i64 20
  %108 = load i32, ptr %107, align 4
  %.not79 = icmp eq i32 %108, 0
  br i1 %.not79, label %.critedge, label %109

109:                                              ; preds = %106
  %110 = zext nneg i32 %.071 to i64
  %111 = getelementptr inbounds nuw double, ptr %8, i64 %110
  %112 = load double, ptr %111, align 8
  %113 = add nuw nsw i32 %23, %.071
  %114 = zext nneg i32 %113 to i64
  %115 = getelementptr inbounds nuw double, ptr %2, i64 %114
  store double %112, ptr %115, align 8
  %116 = add nuw nsw i32 %.071, 1
  br label %104

.critedge:                                        ; preds = %104, %106
  br i1 %.not, label %126, label %117

117:                                              ; preds = %.critedge
  %118 = load i32, ptr @FRAME_ANGLE, align 4
  %119 = sext i32 %118 to i64
  %120 = getelementptr inbounds double, ptr %21, i64 %119
  %121 = load double, ptr %120, align 8
  %122 = getelementptr inbounds double, ptr %16, i64 %119
  %123 = load double, ptr %122, align 8
  %124 = fsub double %121, %123
  %125 = getelementptr inbounds nuw i8, ptr %2, i64 48
  store double %124, ptr %125, align 8
  br label %126

126:                                              ; preds = %117, %.critedge
  br label %127

127:                                              ; preds = %130, %126
  %.0 = phi i32 [ 0, %126 ], [ %155, %130 ]
  %128 = icmp samesign ult i32 %.0, 3
  %129 = select i1 %128, i1 %.not, i1 false
  br i1 %129, label %130, label %156

130:                                              ; preds = %127
  %131 = zext nneg i32 %.0 to i64
  %132 = getelementptr inbounds nuw double, ptr %5, i64 %131
  %133 = load double, ptr %132, align 8
  %134 = load double, ptr %9, align 8
  %135 = fmul double %133, %134
  %136 = zext nneg i32 %.0 to i64
  %137 = getelementptr inbounds nuw double, ptr %5, i64 %136
  %138 = getelementptr inbounds nuw i8, ptr %137, i64 24
  %139 = load double, ptr %138, align 8
  %140 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %141 = load double, ptr %140, align 8
  %142 = fmul double %139, %141
  %143 = fadd double %135, %142
  %144 = zext nneg i32 %.0 to i64
  %145 = getelementptr inbounds nuw double, ptr %5, i64 %144
  %146 = getelementptr inbounds nuw i8, ptr %145, i64 48
  %147 = load double, ptr %146, align 8
  %148 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %149 = load double, ptr %148, align 8
  %150 = fmul double %147, %149
  %151 = fadd double %143, %150
  %152 = zext nneg i32 %.0 to i64
  %153 = getelementptr inbounds nuw double, ptr %2, i64 %152
  %154 = getelementptr inbounds nuw i8, ptr %153, i64 72
  store double %151, ptr %154, align 8
  %155 = add nuw nsw i32 %.0, 1
  br label %127

156:                                              ; preds = %127
  call void @llvm.lifetime.end.p0(ptr nonnull %9)
  call void @llvm.lifetime.end.p0(ptr nonnull %8)
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  ret void
}

define internal void @keep_misses(ptr %0, ptr %1) {
  %3 = load i32, ptr @SLOT_MISS, align 4
  %4 = call ptr @numbers(ptr %0, i32 %3)
  %5 = load ptr, ptr %0, align 8
  %6 = load i32, ptr @PHASE, align 4
  %7 = sext i32 %6 to i64
  %8 = getelementptr inbounds i64, ptr %5, i64 %7
  %9 = load i64, ptr %8, align 8
  %10 = load i32, ptr @stride_GEOMETRY, align 4
  %11 = sext i32 %10 to i64
  %12 = mul nsw i64 %9, %11
  %13 = getelementptr inbounds i32, ptr @of_GEOMETRY, i64 %12
  %14 = load i32, ptr %13, align 4
  %15 = call ptr @numbers(ptr nonnull %0, i32 %14)
  br label %16

16:                                               ; preds = %69, %2
  %.039 = phi i32 [ 0, %2 ], [ %.1, %69 ]
  %.038 = phi i32 [ 0, %2 ], [ %70, %69 ]
  %17 = load i32, ptr @ROW_LINES, align 4
  %18 = icmp slt i32 %.038, %17
  br i1 %18, label %19, label %71

19:                                               ; preds = %16
  %20 = call i32 @begins(ptr nonnull %0, ptr %1, i32 %.038)
  %.not40 = icmp eq i32 %20, 0
  br i1 %.not40, label %69, label %21

21:                                               ; preds = %19
  %22 = zext nneg i32 %.038 to i64
  %23 = getelementptr inbounds nuw %struct.anon.9, ptr @row_lines, i64 %22
  %24 = getelementptr inbounds nuw i8, ptr %23, i64 4
  %25 = load i16, ptr %24, align 2
  %.not41 = icmp eq i16 %25, 0
  br i1 %.not41, label %69, label %26

26:                                               ; preds = %21
  %27 = load ptr, ptr %0, align 8
  %28 = getelementptr inbounds i64, ptr %27, i64 %7
  %29 = load i64, ptr %28, align 8
  %30 = load i32, ptr @stride_MISSED, align 4
  %31 = sext i32 %30 to i64
  %32 = mul nsw i64 %29, %31
  %33 = getelementptr inbounds i32, ptr @of_MISSED, i64 %32
  %34 = load i32, ptr %33, align 4
  %35 = load i32, ptr @SLOT_ROW, align 4
  %36 = add nsw i32 %35, %.038
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds i64, ptr %27, i64 %37
  %39 = load i64, ptr %38, align 8
  %40 = trunc i64 %39 to i32
  %41 = add nsw i32 %34, %40
  %42 = call double @number(ptr nonnull %0, i32 %41)
  %43 = getelementptr inbounds nuw double, ptr %4, i64 %22
  store double %42, ptr %43, align 8
  %44 = getelementptr inbounds nuw i8, ptr %23, i64 6
  %45 = load i16, ptr %44, align 2
  %46 = icmp slt i16 %45, 0
  br i1 %46, label %69, label %47

47:                                               ; preds = %26
  %48 = load double, ptr @QUARTER_TURN, align 8
  %49 = load ptr, ptr %0, align 8
  %50 = load i32, ptr @SLOT_LINE, align 4
  %51 = add nsw i32 %50, %.038
  %52 = sext i32 %51 to i64
  %53 = getelementptr inbounds i64, ptr %49, i64 %52
  %54 = load i64, ptr %53, align 8
  %55 = getelementptr inbounds i64, ptr %49, i64 %7
  %56 = load i64, ptr %55, align 8
  %57 = load i32, ptr @stride_GEOMETRY_COLUMNS, align 4
  %58 = sext i32 %57 to i64
  %59 = mul nsw i64 %56, %58
  %60 = getelementptr inbounds i32, ptr @of_GEOMETRY_COLUMNS, i64 %59
  %61 = load i32, ptr %60, align 4
  %62 = sext i32 %61 to i64
  %63 = mul nsw i64 %54, %62
  %64 = zext nneg i16 %45 to i64
  %65 = getelementptr double, ptr %15, i64 %63
  %66 = getelementptr double, ptr %65, i64 %64
  %67 = load double, ptr %66, align 8
  %68 = fadd double %67, %48
  store double %68, ptr %66, align 8
  br label %69

69:                                               ; preds = %26, %19, %21, %47
  %.1 = phi i32 [ %.039, %19 ], [ 1, %47 ], [ %.039, %21 ], [ %.039, %26 ]
  %70 = add nuw nsw i32 %.038, 1
  br label %16

71:                                               ; preds = %16
  %72 = icmp ne i32 %.039, 0
  br i1 %72, label %73, label %75

73:                                               ; preds = %71
  %74 = load ptr, ptr %0, align 8
  call void @call_residual(ptr %74)
  br label %75

75:                                               ; preds = %73, %71
  br label %76

76:                                               ; preds = %107, %75
  %.0 = phi i32 [ 0, %75 ], [ %108, %107 ]
  %77 = icmp slt i32 %.0, %17
  %spec.select = and i1 %77, %72
  br i1 %spec.select, label %78, label %109

78:                                               ; preds = %76
  %79 = call i32 @begins(ptr nonnull %0, ptr %1, i32 %.0)
  %.not = icmp eq i32 %79, 0
  br i1 %.not, label %107, label %80

80:                                               ; preds = %78
  %81 = zext nneg i32 %.0 to i64
  %82 = getelementptr inbounds nuw %struct.anon.9, ptr @row_lines, i64 %81
  %83 = getelementptr inbounds nuw i8, ptr %82, i64 6
  %84 = load i16, ptr %83, align 2
  %85 = icmp sgt i16 %84, -1
  br i1 %85, label %86, label %107

86:                                               ; preds = %80
  %87 = getelementptr inbounds nuw double, ptr %4, i64 %81
  %88 = load double, ptr %87, align 8
  %89 = load ptr, ptr %0, align 8
  %90 = getelementptr inbounds i64, ptr %89, i64 %7
  %91 = load i64, ptr %90, align 8
  %92 = load i32, ptr @stride_MISSED, align 4
  %93 = sext i32 %92 to i64
  %94 = mul nsw i64 %91, %93
  %95 = getelementptr inbounds i32, ptr @of_MISSED, i64 %94
  %96 = load i32, ptr %95, align 4
  %97 = load i32, ptr @SLOT_ROW, align 4
  %98 = add nsw i32 %97, %.0
  %99 = sext i32 %98 to i64
  %100 = getelementptr inbounds i64, ptr %89, i64 %99
  %101 = load i64, ptr %100, align 8
  %102 = trunc i64 %101 to i32
  %103 = add nsw i32 %96, %102
  %104 = call double @number(ptr nonnull %0, i32 %103)
  %105 = fneg double %104
  %106 = call double @llvm.atan2.f64(double %88, double %105)
  store double %106, ptr %87, align 8
  br label %107

107:                                              ; preds = %78, %80, %86
  %108 = add nuw nsw i32 %.0, 1
  br label %76

109:                                              ; preds = %76
  call void @shift_slots(ptr nonnull %0)
  ret void
}

define internal double @lock_limit(ptr %0, i32 %1) {
  %3 = load double, ptr @LOCK_LIMIT, align 8
  br label %4

4:                                                ; preds = %8, %2
  %.07 = phi double [ %3, %2 ], [ %14, %8 ]
  %.0 = phi i32 [ 0, %2 ], [ %15, %8 ]
  %5 = load i32, ptr @STOPS, align 4
  %6 = icmp slt i32 %.0, %5
  %7 = icmp ne i32 %1, 0
  %spec.select = select i1 %6, i1 %7, i1 false
  br i1 %spec.select, label %8, label %16

8:                                                ; preds = %4
  %9 = load double, ptr @DEEPEST, align 8
  %10 = zext nneg i32 %.0 to i64
  %11 = getelementptr inbounds nuw double, ptr @stop_near, i64 %10
  %12 = load double, ptr %11, align 8
  %13 = fmul double %9, %12
  %14 = call double @llvm.maxnum.f64(double %.07, double %13)
  %15 = add nuw nsw i32 %.0, 1
  br label %4

16:                                               ; preds = %4
  %.not = icmp eq i32 %5, 0
  br i1 %.not, label %23, label %17

17:                                               ; preds = %16
  %18 = load i32, ptr @STOP_NEAR, align 4
  %19 = call double @number(ptr %0, i32 %18)
  %20 = load double, ptr @stop_near, align 8
  %21 = fdiv double %19, %20
  %22 = fmul double %.07, %21
  br label %23

23:                                               ; preds = %17, %16
  %.1 = phi double [ %22, %17 ], [ %.07, %16 ]
  ret double %.1
}

define internal i32 @is_of_stop(i32 %0) {
  %2 = load i32, ptr @STOPS, align 4
  %.not = icmp eq i32 %2, 0
  br i1 %.not, label %9, label %3

3:                                                ; preds = %1
  %4 = sext i32 %0 to i64
  %5 = getelementptr inbounds i16, ptr @stop_of, i64 %4
  %6 = load i16, ptr %5, align 2
  %7 = icmp sgt i16 %6, -1
  %8 = zext i1 %7 to i32
  br label %9

9:                                                ; preds = %3, %1
  %10 = phi i32 [ 0, %1 ], [ %8, %3 ]
  ret i32 %10
}

define internal double @miss_of_slots(ptr %0, ptr %1) {
  br label %3

3:                                                ; preds = %46, %2
  %.017 = phi i32 [ 0, %2 ], [ %47, %46 ]
  %.0 = phi double [ 0.000000e+00, %2 ], [ %.1, %46 ]
  %4 = load i32, ptr @ROW_LINES, align 4
  %5 = icmp slt i32 %.017, %4
  br i1 %5, label %6, label %48

6:                                                ; preds = %3
  %7 = load ptr, ptr %0, align 8
  %8 = load i32, ptr @SLOT_ROW, align 4
  %9 = add nsw i32 %8, %.017
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds i64, ptr %7, i64 %10
  %12 = load i64, ptr %11, align 8
  %13 = icmp sgt i64 %12, -1
  br i1 %13, label %14, label %46

14:                                               ; preds = %6
  %15 = load i32, ptr @PHASE, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds i64, ptr %7, i64 %16
  %18 = load i64, ptr %17, align 8
  %19 = load i32, ptr @stride_HOLONOMIC, align 4
  %20 = sext i32 %19 to i64
  %21 = mul nsw i64 %18, %20
  %22 = getelementptr inbounds i32, ptr @of_HOLONOMIC, i64 %21
  %23 = load i32, ptr %22, align 4
  %24 = sext i32 %23 to i64
  %25 = icmp slt i64 %12, %24
  br i1 %25, label %26, label %46

26:                                               ; preds = %14
  %27 = zext nneg i32 %.017 to i64
  %28 = getelementptr inbounds nuw %struct.anon.9, ptr @row_lines, i64 %27
  %29 = load i16, ptr %28, align 2
  %30 = sext i16 %29 to i64
  %31 = getelementptr inbounds i64, ptr %1, i64 %30
  %32 = load i64, ptr %31, align 8
  %.not = icmp eq i64 %32, 0
  br i1 %.not, label %33, label %46

33:                                               ; preds = %26
  %34 = load i32, ptr @stride_MISSED, align 4
  %35 = sext i32 %34 to i64
  %36 = mul nsw i64 %18, %35
  %37 = getelementptr inbounds i32, ptr @of_MISSED, i64 %36
  %38 = load i32, ptr %37, align 4
  %39 = trunc i64 %12 to i32
  %40 = add nsw i32 %38, %39
  %41 = call double @number(ptr nonnull %0, i32 %40)
  %42 = call double @llvm.fabs.f64(double %41)
  %43 = fcmp ogt double %42, %.0
  %44 = fcmp uno double %41, 0.000000e+00
  %or.cond = select i1 %43, i1 true, i1 %44
  br i1 %or.cond, label %46, label %45

45:                                               ; preds = %33
  br label %46

46:                                               ; preds = %6, %14, %26, %33, %45
  %.1 = phi double [ %.0, %26 ], [ %.0, %6 ], [ %.0, %14 ], [ %.0, %45 ], [ %42, %33 ]
  %47 = add nuw nsw i32 %.017, 1
  br label %3

48:                                               ; preds = %3
  ret double %.0
}

define internal void @shift_slots(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @PHASE, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i64, ptr %2, i64 %4
  %6 = load i64, ptr %5, align 8
  %7 = load i32, ptr @stride_GEOMETRY_COLUMNS, align 4
  %8 = sext i32 %7 to i64
  %9 = mul nsw i64 %6, %8
  %10 = getelementptr inbounds i32, ptr @of_GEOMETRY_COLUMNS, i64 %9
  %11 = load i32, ptr %10, align 4
  br label %12

12:                                               ; preds = %66, %1
  %.0 = phi i64 [ 0, %1 ], [ %67, %66 ]
  %13 = load i32, ptr @count_of_row_shifts, align 4
  %14 = sext i32 %13 to i64
  %15 = icmp ult i64 %.0, %14
  br i1 %15, label %16, label %68

16:                                               ; preds = %12
  %17 = getelementptr inbounds nuw %struct.anon.11, ptr @row_shifts, i64 %.0
  %18 = load i16, ptr %17, align 2
  %19 = sext i16 %18 to i32
  %20 = getelementptr inbounds nuw i8, ptr %17, i64 2
  %21 = load i16, ptr %20, align 2
  %22 = icmp slt i16 %18, 0
  br i1 %22, label %66, label %23

23:                                               ; preds = %16
  %24 = load ptr, ptr %0, align 8
  %25 = load i32, ptr @SLOT_ROW, align 4
  %26 = add nsw i32 %25, %19
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds i64, ptr %24, i64 %27
  %29 = load i64, ptr %28, align 8
  %30 = icmp slt i64 %29, 0
  br i1 %30, label %66, label %31

31:                                               ; preds = %23
  %32 = load i32, ptr @ROW_GEOMETRY, align 4
  %33 = zext i32 %32 to i64
  %34 = zext nneg i16 %18 to i64
  %35 = mul nuw nsw i64 %34, %33
  %36 = getelementptr inbounds nuw double, ptr @flat_row_geometry, i64 %35
  %37 = sext i16 %21 to i64
  %38 = getelementptr inbounds double, ptr %36, i64 %37
  %39 = load double, ptr %38, align 8
  %40 = getelementptr inbounds nuw i8, ptr %17, i64 8
  %41 = load double, ptr %40, align 8
  %42 = load i32, ptr @SLOT_MISS, align 4
  %43 = add nsw i32 %42, %19
  %44 = call double @number(ptr nonnull %0, i32 %43)
  %45 = fmul double %41, %44
  %46 = fadd double %39, %45
  %47 = load ptr, ptr %0, align 8
  %48 = getelementptr inbounds i64, ptr %47, i64 %4
  %49 = load i64, ptr %48, align 8
  %50 = load i32, ptr @stride_GEOMETRY, align 4
  %51 = sext i32 %50 to i64
  %52 = mul nsw i64 %49, %51
  %53 = getelementptr inbounds i32, ptr @of_GEOMETRY, i64 %52
  %54 = load i32, ptr %53, align 4
  %55 = call ptr @numbers(ptr nonnull %0, i32 %54)
  %56 = load ptr, ptr %0, align 8
  %57 = load i32, ptr @SLOT_LINE, align 4
  %58 = add nsw i32 %57, %19
  %59 = sext i32 %58 to i64
  %60 = getelementptr inbounds i64, ptr %56, i64 %59
  %61 = load i64, ptr %60, align 8
  %62 = sext i32 %11 to i64
  %63 = mul nsw i64 %61, %62
  %64 = getelementptr double, ptr %55, i64 %63
  %65 = getelementptr double, ptr %64, i64 %37
  store double %46, ptr %65, align 8
  br label %66

66:                                               ; preds = %31, %23, %16
  %67 = add i64 %.0, 1
  br label %12

68:                                               ; preds = %12
  ret void
}

define internal void @load_frictions(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @PHASE, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i64, ptr %2, i64 %4
  %6 = load i64, ptr %5, align 8
  %7 = load i32, ptr @stride_COMPONENTS, align 4
  %8 = sext i32 %7 to i64
  %9 = mul nsw i64 %6, %8
  %10 = getelementptr inbounds i32, ptr @of_COMPONENTS, i64 %9
  %11 = load i32, ptr %10, align 4
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds i64, ptr %2, i64 %12
  %14 = load i32, ptr @stride_COMPONENT_COUNT, align 4
  %15 = sext i32 %14 to i64
  %16 = mul nsw i64 %6, %15
  %17 = getelementptr inbounds i32, ptr @of_COMPONENT_COUNT, i64 %16
  %18 = load i32, ptr %17, align 4
  %19 = load i32, ptr @stride_ROWS, align 4
  %20 = sext i32 %19 to i64
  %21 = mul nsw i64 %6, %20
  %22 = getelementptr inbounds i32, ptr @of_ROWS, i64 %21
  %23 = load i32, ptr %22, align 4
  %24 = mul nsw i32 %18, %23
  %25 = sext i32 %24 to i64
  %26 = shl nsw i64 %25, 3
  call void @llvm.memset.p0.i64(ptr align 1 %13, i8 0, i64 %26, i1 false)
  br label %27

27:                                               ; preds = %196, %1
  %.076 = phi i32 [ 0, %1 ], [ %197, %196 ]
  %.072 = phi i32 [ 0, %1 ], [ %.173, %196 ]
  %.067 = phi i32 [ 0, %1 ], [ %.168, %196 ]
  %.0 = phi i32 [ 0, %1 ], [ %.1, %196 ]
  %28 = load i32, ptr @FRICTIONS, align 4
  %29 = icmp slt i32 %.076, %28
  br i1 %29, label %30, label %198

30:                                               ; preds = %27
  %31 = zext nneg i32 %.076 to i64
  %32 = getelementptr inbounds nuw %struct.anon.12, ptr @frictions, i64 %31
  %33 = getelementptr inbounds nuw i8, ptr %32, i64 2
  %34 = load i16, ptr %33, align 2
  %35 = icmp slt i16 %34, 0
  br i1 %35, label %45, label %36

36:                                               ; preds = %30
  %37 = sext i16 %34 to i32
  %38 = load ptr, ptr %0, align 8
  %39 = load i32, ptr @HOLDS, align 4
  %40 = add nsw i32 %39, %37
  %41 = sext i32 %40 to i64
  %42 = getelementptr inbounds i64, ptr %38, i64 %41
  %43 = load i64, ptr %42, align 8
  %44 = icmp ne i64 %43, 0
  br label %45

45:                                               ; preds = %36, %30
  %46 = phi i1 [ true, %30 ], [ %44, %36 ]
  %47 = sext i32 %.0 to i64
  %48 = select i1 %46, i64 %47, i64 -1
  %49 = load ptr, ptr %0, align 8
  %50 = getelementptr inbounds i64, ptr %49, i64 %4
  %51 = load i64, ptr %50, align 8
  %52 = load i32, ptr @stride_LOADED, align 4
  %53 = sext i32 %52 to i64
  %54 = mul nsw i64 %51, %53
  %55 = getelementptr inbounds i32, ptr @of_LOADED, i64 %54
  %56 = load i32, ptr %55, align 4
  %57 = load i16, ptr %32, align 2
  %58 = sext i16 %57 to i32
  %59 = add nsw i32 %56, %58
  %60 = sext i32 %59 to i64
  %61 = getelementptr inbounds i64, ptr %49, i64 %60
  store i64 %48, ptr %61, align 8
  br i1 %46, label %62, label %196

62:                                               ; preds = %45
  %63 = load ptr, ptr %0, align 8
  %64 = getelementptr inbounds i64, ptr %63, i64 %4
  %65 = load i64, ptr %64, align 8
  %66 = load i32, ptr @stride_SLIPPINGS, align 4
  %67 = sext i32 %66 to i64
  %68 = mul nsw i64 %65, %67
  %69 = getelementptr inbounds i32, ptr @of_SLIPPINGS, i64 %68
  %70 = load i32, ptr %69, align 4
  %71 = add nsw i32 %.0, 1
  %72 = load i32, ptr @SLIPPING, align 4
  %73 = mul nsw i32 %.0, %72
  %74 = add nsw i32 %70, %73
  %75 = call ptr @numbers(ptr nonnull %0, i32 %74)
  store double -1.000000e+00, ptr %75, align 8
  %76 = getelementptr inbounds nuw i8, ptr %75, i64 16
  store double 0.000000e+00, ptr %76, align 8
  %77 = getelementptr inbounds nuw i8, ptr %75, i64 8
  store double 0.000000e+00, ptr %77, align 8
  %78 = sitofp i32 %.067 to double
  %79 = getelementptr inbounds nuw i8, ptr %75, i64 24
  store double %78, ptr %79, align 8
  %80 = getelementptr inbounds nuw i8, ptr %32, i64 6
  %81 = load i16, ptr %80, align 2
  %82 = sitofp i16 %81 to double
  %83 = getelementptr inbounds nuw i8, ptr %75, i64 32
  store double %82, ptr %83, align 8
  %84 = getelementptr inbounds nuw i8, ptr %32, i64 4
  %85 = load i16, ptr %84, align 2
  %86 = sext i16 %85 to i32
  br label %87

87:                                               ; preds = %194, %62
  %.075 = phi i32 [ %86, %62 ], [ %195, %194 ]
  %.274 = phi i32 [ %.072, %62 ], [ %.3, %194 ]
  %.2 = phi i32 [ %.067, %62 ], [ %100, %194 ]
  %88 = sext i16 %81 to i32
  %89 = add nsw i32 %86, %88
  %90 = icmp slt i32 %.075, %89
  br i1 %90, label %91, label %196

91:                                               ; preds = %87
  %92 = load ptr, ptr %0, align 8
  %93 = getelementptr inbounds i64, ptr %92, i64 %4
  %94 = load i64, ptr %93, align 8
  %95 = load i32, ptr @stride_LOAD_GROUPS, align 4
  %96 = sext i32 %95 to i64
  %97 = mul nsw i64 %94, %96
  %98 = getelementptr inbounds i32, ptr @of_LOAD_GROUPS, i64 %97
  %99 = load i32, ptr %98, align 4
  %100 = add nsw i32 %.2, 1
  %101 = load i32, ptr @GROUP, align 4
  %102 = mul nsw i32 %.2, %101
  %103 = add nsw i32 %99, %102
  %104 = call ptr @numbers(ptr nonnull %0, i32 %103)
  br label %105

105:                                              ; preds = %107, %91
  %.071 = phi i32 [ 0, %91 ], [ %110, %107 ]
  %106 = icmp slt i32 %.071, %101
  br i1 %106, label %107, label %111

107:                                              ; preds = %105
  %108 = zext nneg i32 %.071 to i64
  %109 = getelementptr inbounds nuw double, ptr %104, i64 %108
  store double 0.000000e+00, ptr %109, align 8
  %110 = add nuw nsw i32 %.071, 1
  br label %105

111:                                              ; preds = %105
  %112 = sitofp i32 %.274 to double
  store double %112, ptr %104, align 8
  %113 = sext i32 %.075 to i64
  %114 = getelementptr inbounds %struct.anon.13, ptr @friction_groups, i64 %113
  %115 = getelementptr inbounds nuw i8, ptr %114, i64 2
  %116 = load i16, ptr %115, align 2
  %117 = sitofp i16 %116 to double
  %118 = getelementptr inbounds nuw i8, ptr %104, i64 8
  store double %117, ptr %118, align 8
  %119 = getelementptr inbounds nuw i8, ptr %114, i64 8
  %120 = load double, ptr %119, align 8
  %121 = getelementptr inbounds nuw i8, ptr %104, i64 16
  store double %120, ptr %121, align 8
  %122 = load i16, ptr %114, align 2
  %123 = sext i16 %122 to i32
  br label %124

124:                                              ; preds = %191, %111
  %.3 = phi i32 [ %.274, %111 ], [ %192, %191 ]
  %.070 = phi i32 [ %123, %111 ], [ %193, %191 ]
  %125 = sext i16 %116 to i32
  %126 = add nsw i32 %123, %125
  %127 = icmp slt i32 %.070, %126
  br i1 %127, label %128, label %194

128:                                              ; preds = %124
  %129 = sext i32 %.070 to i64
  %130 = getelementptr inbounds %struct.anon.14, ptr @friction_components, i64 %129
  %131 = load i16, ptr %130, align 2
  %132 = sext i16 %131 to i32
  br label %133

133:                                              ; preds = %189, %128
  %.069 = phi i32 [ %132, %128 ], [ %190, %189 ]
  %134 = getelementptr inbounds nuw i8, ptr %130, i64 2
  %135 = load i16, ptr %134, align 2
  %136 = sext i16 %135 to i32
  %137 = add nsw i32 %132, %136
  %138 = icmp slt i32 %.069, %137
  br i1 %138, label %139, label %191

139:                                              ; preds = %133
  %140 = sext i32 %.069 to i64
  %141 = getelementptr inbounds %struct.anon.15, ptr @friction_terms, i64 %140
  %142 = load i16, ptr %141, align 2
  %143 = icmp sgt i16 %142, -1
  br i1 %143, label %144, label %152

144:                                              ; preds = %139
  %145 = sext i16 %142 to i32
  %146 = load ptr, ptr %0, align 8
  %147 = load i32, ptr @SLOT_ROW, align 4
  %148 = add nsw i32 %147, %145
  %149 = sext i32 %148 to i64
  %150 = getelementptr inbounds i64, ptr %146, i64 %149
  %151 = load i64, ptr %150, align 8
  br label %166

152:                                              ; preds = %139
  %153 = load i32, ptr @OTHERS, align 4
  %154 = zext i32 %153 to i64
  %155 = load ptr, ptr %0, align 8
  %156 = getelementptr inbounds i64, ptr %155, i64 %4
  %157 = load i64, ptr %156, align 8
  %158 = mul nsw i64 %157, %154
  %159 = getelementptr inbounds i16, ptr @flat_other_rows, i64 %158
  %160 = getelementptr inbounds nuw i8, ptr %141, i64 2
  %161 = load i16, ptr %160, align 2
  %162 = sext i16 %161 to i64
  %163 = getelementptr inbounds i16, ptr %159, i64 %162
  %164 = load i16, ptr %163, align 2
  %165 = sext i16 %164 to i64
  br label %166

166:                                              ; preds = %152, %144
  %167 = phi i64 [ %151, %144 ], [ %165, %152 ]
  %168 = icmp sgt i64 %167, -1
  br i1 %168, label %169, label %189

169:                                              ; preds = %166
  %170 = getelementptr inbounds nuw i8, ptr %141, i64 8
  %171 = load double, ptr %170, align 8
  %172 = load ptr, ptr %0, align 8
  %173 = getelementptr inbounds i64, ptr %172, i64 %4
  %174 = load i64, ptr %173, align 8
  %175 = mul nsw i64 %174, %8
  %176 = getelementptr inbounds i32, ptr @of_COMPONENTS, i64 %175
  %177 = load i32, ptr %176, align 4
  %178 = call ptr @numbers(ptr nonnull %0, i32 %177)
  %179 = load ptr, ptr %0, align 8
  %180 = getelementptr inbounds i64, ptr %179, i64 %4
  %181 = load i64, ptr %180, align 8
  %182 = mul nsw i64 %181, %20
  %183 = getelementptr inbounds i32, ptr @of_ROWS, i64 %182
  %184 = load i32, ptr %183, align 4
  %185 = mul nsw i32 %.3, %184
  %186 = sext i32 %185 to i64
  %187 = getelementptr double, ptr %178, i64 %167
  %188 = getelementptr double, ptr %187, i64 %186
  store double %171, ptr %188, align 8
  br label %189

189:                                              ; preds = %166, %169
  %190 = add nsw i32 %.069, 1
  br label %133

191:                                              ; preds = %133
  %192 = add nsw i32 %.3, 1
  %193 = add nsw i32 %.070, 1
  br label %124

194:                                              ; preds = %124
  %195 = add nsw i32 %.075, 1
  br label %87

196:                                              ; preds = %45, %87
  %.173 = phi i32 [ %.072, %45 ], [ %.274, %87 ]
  %.168 = phi i32 [ %.067, %45 ], [ %.2, %87 ]
  %.1 = phi i32 [ %.0, %45 ], [ %71, %87 ]
  %197 = add nuw nsw i32 %.076, 1
  br label %27

198:                                              ; preds = %27
  ret void
}

define internal void @axes_of(ptr %0, ptr %1) {
  br label %3

3:                                                ; preds = %16, %2
  %.0 = phi i32 [ 0, %2 ], [ %20, %16 ]
  %4 = icmp samesign ult i32 %.0, 9
  br i1 %4, label %5, label %21

5:                                                ; preds = %3
  %6 = load i32, ptr @PLANAR, align 4
  %.not13 = icmp eq i32 %6, 0
  br i1 %.not13, label %10, label %7

7:                                                ; preds = %5
  %8 = icmp eq i32 %.0, 8
  %9 = uitofp i1 %8 to double
  br label %16

10:                                               ; preds = %5
  %11 = load i32, ptr @FRAME_ATTITUDE, align 4
  %12 = add nsw i32 %11, %.0
  %13 = sext i32 %12 to i64
  %14 = getelementptr inbounds double, ptr %0, i64 %13
  %15 = load double, ptr %14, align 8
  br label %16

16:                                               ; preds = %10, %7
  %17 = phi double [ %9, %7 ], [ %15, %10 ]
  %18 = zext nneg i32 %.0 to i64
  %19 = getelementptr inbounds nuw double, ptr %1, i64 %18
  store double %17, ptr %19, align 8
  %20 = add nuw nsw i32 %.0, 1
  br label %3

21:                                               ; preds = %3
  %22 = load i32, ptr @PLANAR, align 4
  %.not = icmp eq i32 %22, 0
  br i1 %.not, label %35, label %23

23:                                               ; preds = %21
  %24 = load i32, ptr @FRAME_ANGLE, align 4
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds double, ptr %0, i64 %25
  %27 = load double, ptr %26, align 8
  %28 = call double @llvm.cos.f64(double %27)
  %29 = getelementptr inbounds nuw i8, ptr %1, i64 32
  store double %28, ptr %29, align 8
  store double %28, ptr %1, align 8
  %30 = load double, ptr %26, align 8
  %31 = call double @llvm.sin.f64(double %30)
  %32 = getelementptr inbounds nuw i8, ptr %1, i64 24
  store double %31, ptr %32, align 8
  %33 = fneg double %31
  %34 = getelementptr inbounds nuw i8, ptr %1, i64 8
  store double %33, ptr %34, align 8
  br label %35

35:                                               ; preds = %21, %23
  ret void
}

declare double @llvm.sqrt.f64(double) #3

declare double @llvm.cos.f64(double) #3

declare double @llvm.sin.f64(double) #3

define internal i32 @begins(ptr %0, ptr %1, i32 %2) {
  %4 = load ptr, ptr %0, align 8
  %5 = load i32, ptr @SLOT_ROW, align 4
  %6 = add nsw i32 %5, %2
  %7 = sext i32 %6 to i64
  %8 = getelementptr inbounds i64, ptr %4, i64 %7
  %9 = load i64, ptr %8, align 8
  %10 = icmp sgt i64 %9, -1
  br i1 %10, label %11, label %31

11:                                               ; preds = %3
  %12 = load i32, ptr @PHASE, align 4
  %13 = sext i32 %12 to i64
  %14 = getelementptr inbounds i64, ptr %4, i64 %13
  %15 = load i64, ptr %14, align 8
  %16 = load i32, ptr @stride_HOLONOMIC, align 4
  %17 = sext i32 %16 to i64
  %18 = mul nsw i64 %15, %17
  %19 = getelementptr inbounds i32, ptr @of_HOLONOMIC, i64 %18
  %20 = load i32, ptr %19, align 4
  %21 = sext i32 %20 to i64
  %22 = icmp slt i64 %9, %21
  br i1 %22, label %23, label %31

23:                                               ; preds = %11
  %24 = sext i32 %2 to i64
  %25 = getelementptr inbounds %struct.anon.9, ptr @row_lines, i64 %24
  %26 = load i16, ptr %25, align 2
  %27 = sext i16 %26 to i64
  %28 = getelementptr inbounds i64, ptr %1, i64 %27
  %29 = load i64, ptr %28, align 8
  %.not = icmp eq i64 %29, 0
  %30 = zext i1 %.not to i32
  br label %31

31:                                               ; preds = %23, %11, %3
  %32 = phi i32 [ 0, %11 ], [ 0, %3 ], [ %30, %23 ]
  ret i32 %32
}

declare double @llvm.atan2.f64(double, double) #5

define internal i32 @onto_positions(ptr %0, i32 %1, ptr %2, i32 %3) {
  %5 = load i32, ptr @WAYS, align 4
  %6 = zext i32 %5 to i64
  %7 = load ptr, ptr %0, align 8
  %8 = load i32, ptr @PHASE, align 4
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %7, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = mul nsw i64 %11, %6
  %13 = getelementptr inbounds ptr, ptr @flat_meets_positions, i64 %12
  %14 = sext i32 %1 to i64
  %15 = getelementptr inbounds ptr, ptr %13, i64 %14
  %16 = load ptr, ptr %15, align 8
  %.not = icmp eq ptr %16, null
  br i1 %.not, label %21, label %17

17:                                               ; preds = %4
  %18 = call i64 %16(ptr %7)
  %.not7 = icmp eq i64 %18, 0
  br i1 %.not7, label %21, label %19

19:                                               ; preds = %17
  %20 = call i32 @fail_of(ptr nonnull %0, ptr nonnull @.str.56, ptr %2, i32 %3)
  br label %21

21:                                               ; preds = %4, %17, %19
  %22 = phi i32 [ %20, %19 ], [ 0, %17 ], [ 0, %4 ]
  ret i32 %22
}

define internal void @expect(ptr %0, i32 %1) {
  br label %3

3:                                                ; preds = %37, %2
  %.0 = phi i32 [ 0, %2 ], [ %38, %37 ]
  %4 = load i32, ptr @COMERS, align 4
  %5 = icmp slt i32 %.0, %4
  br i1 %5, label %6, label %39

6:                                                ; preds = %3
  %7 = load i32, ptr @ROW_LINES, align 4
  %.not = icmp eq i32 %7, 0
  br i1 %.not, label %23, label %8

8:                                                ; preds = %6
  %9 = zext nneg i32 %.0 to i64
  %10 = getelementptr inbounds nuw i8, ptr @roams, i64 %9
  %11 = load i8, ptr %10, align 1
  %.not10 = icmp eq i8 %11, 0
  br i1 %.not10, label %23, label %12

12:                                               ; preds = %8
  %13 = load ptr, ptr %0, align 8
  %14 = load i32, ptr @HOLDS, align 4
  %15 = add nsw i32 %14, %.0
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds i64, ptr %13, i64 %16
  %18 = load i64, ptr %17, align 8
  %19 = load i32, ptr @AFTER, align 4
  %20 = add nsw i32 %19, %.0
  %21 = sext i32 %20 to i64
  %22 = getelementptr inbounds i64, ptr %13, i64 %21
  store i64 %18, ptr %22, align 8
  br label %37

23:                                               ; preds = %8, %6
  %24 = zext i32 %4 to i64
  %25 = sext i32 %1 to i64
  %26 = mul nsw i64 %25, %24
  %27 = getelementptr inbounds i8, ptr @flat_holds, i64 %26
  %28 = zext nneg i32 %.0 to i64
  %29 = getelementptr inbounds nuw i8, ptr %27, i64 %28
  %30 = load i8, ptr %29, align 1
  %31 = sext i8 %30 to i64
  %32 = load ptr, ptr %0, align 8
  %33 = load i32, ptr @AFTER, align 4
  %34 = add nsw i32 %33, %.0
  %35 = sext i32 %34 to i64
  %36 = getelementptr inbounds i64, ptr %32, i64 %35
  store i64 %31, ptr %36, align 8
  br label %37

37:                                               ; preds = %23, %12
  %38 = add nuw nsw i32 %.0, 1
  br label %3

39:                                               ; preds = %3
  ret void
}

declare i64 @call_start(ptr noundef)

declare i64 @call_settle(ptr noundef)

define internal i32 @phase_of_stops(ptr %0) {
  br label %2

2:                                                ; preds = %5, %1
  %.032 = phi i32 [ 0, %1 ], [ %26, %5 ]
  %3 = load i32, ptr @COMERS, align 4
  %4 = icmp slt i32 %.032, %3
  br i1 %4, label %5, label %27

5:                                                ; preds = %2
  %6 = load ptr, ptr %0, align 8
  %7 = zext nneg i32 %.032 to i64
  %8 = getelementptr inbounds nuw i16, ptr @stop_of, i64 %7
  %9 = load i16, ptr %8, align 2
  %10 = icmp slt i16 %9, 0
  %11 = load i32, ptr @HOLDS, align 4
  %12 = add nsw i32 %11, %.032
  %13 = sext i16 %9 to i32
  %14 = load i32, ptr @STOP_HOLDS, align 4
  %15 = add nsw i32 %14, %13
  %16 = select i1 %10, i32 %12, i32 %15
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds i64, ptr %6, i64 %17
  %19 = load i64, ptr %18, align 8
  %20 = icmp ne i64 %19, 0
  %21 = zext i1 %20 to i64
  %22 = load i32, ptr @AFTER, align 4
  %23 = add nsw i32 %22, %.032
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds i64, ptr %6, i64 %24
  store i64 %21, ptr %25, align 8
  %26 = add nuw nsw i32 %.032, 1
  br label %2

27:                                               ; preds = %2
  %28 = load i32, ptr @ROOM, align 4
  %29 = add nsw i32 %28, 1
  %30 = zext i32 %29 to i64
  %31 = alloca i64, i64 %30, align 8
  %32 = load i32, ptr @ROW_LINES, align 4
  %.not = icmp eq i32 %32, 0
  br i1 %.not, label %34, label %33

33:                                               ; preds = %27
  call void @find_room(ptr %0, ptr nonnull %31)
  br label %34

34:                                               ; preds = %33, %27
  br label %35

35:                                               ; preds = %70, %34
  %.029 = phi i32 [ undef, %34 ], [ %.028..029, %70 ]
  %.028 = phi i32 [ 0, %34 ], [ %71, %70 ]
  %36 = load i32, ptr @PHASES, align 4
  %37 = icmp slt i32 %.028, %36
  br i1 %37, label %38, label %72

38:                                               ; preds = %35
  br i1 %.not, label %41, label %39

39:                                               ; preds = %38
  %40 = call i32 @has_room(i32 %.028, ptr nonnull %31)
  br label %41

41:                                               ; preds = %39, %38
  %.025 = phi i32 [ %40, %39 ], [ 1, %38 ]
  br label %42

42:                                               ; preds = %67, %41
  %.1 = phi i32 [ %.025, %41 ], [ %.2, %67 ]
  %.0 = phi i32 [ 0, %41 ], [ %68, %67 ]
  %43 = icmp slt i32 %.0, %3
  %44 = icmp ne i32 %.1, 0
  %spec.select = select i1 %43, i1 %44, i1 false
  br i1 %spec.select, label %45, label %69

45:                                               ; preds = %42
  br i1 %.not, label %50, label %46

46:                                               ; preds = %45
  %47 = zext nneg i32 %.0 to i64
  %48 = getelementptr inbounds nuw i8, ptr @roams, i64 %47
  %49 = load i8, ptr %48, align 1
  %.not36 = icmp eq i8 %49, 0
  br i1 %.not36, label %50, label %67

50:                                               ; preds = %46, %45
  %51 = zext i32 %3 to i64
  %52 = zext nneg i32 %.028 to i64
  %53 = mul nuw nsw i64 %52, %51
  %54 = getelementptr inbounds nuw i8, ptr @flat_holds, i64 %53
  %55 = zext nneg i32 %.0 to i64
  %56 = getelementptr inbounds nuw i8, ptr %54, i64 %55
  %57 = load i8, ptr %56, align 1
  %58 = sext i8 %57 to i64
  %59 = load ptr, ptr %0, align 8
  %60 = load i32, ptr @AFTER, align 4
  %61 = add nsw i32 %60, %.0
  %62 = sext i32 %61 to i64
  %63 = getelementptr inbounds i64, ptr %59, i64 %62
  %64 = load i64, ptr %63, align 8
  %65 = icmp eq i64 %64, %58
  %66 = zext i1 %65 to i32
  br label %67

67:                                               ; preds = %46, %50
  %.2 = phi i32 [ %66, %50 ], [ %.1, %46 ]
  %68 = add nuw nsw i32 %.0, 1
  br label %42

69:                                               ; preds = %42
  %.028..029 = select i1 %44, i32 %.028, i32 %.029
  br i1 %44, label %72, label %70

70:                                               ; preds = %69
  %71 = add nuw nsw i32 %.028, 1
  br label %35

72:                                               ; preds = %35, %69
  %phiofops = phi i32 [ -1, %35 ], [ %.028..029, %69 ]
  ret i32 %phiofops
}

define internal i32 @meets(ptr %0, i32 %1) {
  %3 = load i32, ptr @WAYS, align 4
  %4 = zext i32 %3 to i64
  %5 = load ptr, ptr %0, align 8
  %6 = load i32, ptr @PHASE, align 4
  %7 = sext i32 %6 to i64
  %8 = getelementptr inbounds i64, ptr %5, i64 %7
  %9 = load i64, ptr %8, align 8
  %10 = mul nsw i64 %9, %4
  %11 = getelementptr inbounds ptr, ptr @flat_meets_positions, i64 %10
  %12 = sext i32 %1 to i64
  %13 = getelementptr inbounds ptr, ptr %11, i64 %12
  %14 = load ptr, ptr %13, align 8
  %15 = load i32, ptr @COORDINATES, align 4
  %16 = zext i32 %15 to i64
  %17 = alloca double, i64 %16, align 8
  %18 = load ptr, ptr %0, align 8
  %19 = load i32, ptr @EVENT_Q, align 4
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds i64, ptr %18, i64 %20
  %22 = shl nuw nsw i64 %16, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %17, ptr align 1 %21, i64 %22, i1 false)
  %23 = icmp eq ptr %14, null
  br i1 %23, label %30, label %24

24:                                               ; preds = %2
  %25 = call i64 %14(ptr %18)
  %26 = icmp eq i64 %25, 0
  br i1 %26, label %30, label %27

27:                                               ; preds = %24
  %28 = load ptr, ptr %0, align 8
  %29 = getelementptr inbounds i64, ptr %28, i64 %20
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %29, ptr nonnull align 8 %17, i64 %22, i1 false)
  br label %30

30:                                               ; preds = %2, %24, %27
  %.0 = phi i32 [ 0, %27 ], [ 1, %24 ], [ 1, %2 ]
  ret i32 %.0
}

define internal void @keep_gaps(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  call void @call_residual(ptr %2)
  br label %3

3:                                                ; preds = %45, %1
  %.0 = phi i32 [ 0, %1 ], [ %46, %45 ]
  %4 = load i32, ptr @ROW_LINES, align 4
  %5 = icmp slt i32 %.0, %4
  br i1 %5, label %6, label %47

6:                                                ; preds = %3
  %7 = load ptr, ptr %0, align 8
  %8 = load i32, ptr @SLOT_ROW, align 4
  %9 = add nsw i32 %8, %.0
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds i64, ptr %7, i64 %10
  %12 = load i64, ptr %11, align 8
  %13 = icmp sgt i64 %12, -1
  br i1 %13, label %14, label %45

14:                                               ; preds = %6
  %15 = load i32, ptr @PHASE, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds i64, ptr %7, i64 %16
  %18 = load i64, ptr %17, align 8
  %19 = load i32, ptr @stride_HOLONOMIC, align 4
  %20 = sext i32 %19 to i64
  %21 = mul nsw i64 %18, %20
  %22 = getelementptr inbounds i32, ptr @of_HOLONOMIC, i64 %21
  %23 = load i32, ptr %22, align 4
  %24 = sext i32 %23 to i64
  %25 = icmp slt i64 %12, %24
  br i1 %25, label %26, label %45

26:                                               ; preds = %14
  %27 = zext nneg i32 %.0 to i64
  %28 = getelementptr inbounds nuw %struct.anon.9, ptr @row_lines, i64 %27
  %29 = getelementptr inbounds nuw i8, ptr %28, i64 4
  %30 = load i16, ptr %29, align 2
  %.not = icmp eq i16 %30, 0
  br i1 %.not, label %31, label %45

31:                                               ; preds = %26
  %32 = load i32, ptr @stride_MISSED, align 4
  %33 = sext i32 %32 to i64
  %34 = mul nsw i64 %18, %33
  %35 = getelementptr inbounds i32, ptr @of_MISSED, i64 %34
  %36 = load i32, ptr %35, align 4
  %37 = trunc i64 %12 to i32
  %38 = add nsw i32 %36, %37
  %39 = call double @number(ptr nonnull %0, i32 %38)
  %40 = load i32, ptr @SLOT_MISS, align 4
  %41 = call ptr @numbers(ptr nonnull %0, i32 %40)
  %42 = getelementptr inbounds nuw double, ptr %41, i64 %27
  %43 = load double, ptr %42, align 8
  %44 = fadd double %43, %39
  store double %44, ptr %42, align 8
  br label %45

45:                                               ; preds = %6, %14, %26, %31
  %46 = add nuw nsw i32 %.0, 1
  br label %3

47:                                               ; preds = %3
  call void @shift_slots(ptr nonnull %0)
  ret void
}

define internal i32 @turns_back(ptr %0, ptr %1, i32 %2) {
  %4 = sext i32 %2 to i64
  %5 = getelementptr inbounds i16, ptr @first_direction, i64 %4
  %6 = load i16, ptr %5, align 2
  %7 = sext i16 %6 to i32
  br label %8

8:                                                ; preds = %15, %3
  %.09 = phi double [ 0.000000e+00, %3 ], [ %23, %15 ]
  %.0 = phi i32 [ %7, %3 ], [ %24, %15 ]
  %9 = sext i32 %2 to i64
  %10 = getelementptr i16, ptr @first_direction, i64 %9
  %11 = getelementptr i8, ptr %10, i64 2
  %12 = load i16, ptr %11, align 2
  %13 = sext i16 %12 to i32
  %14 = icmp slt i32 %.0, %13
  br i1 %14, label %15, label %25

15:                                               ; preds = %8
  %16 = sext i32 %.0 to i64
  %17 = getelementptr inbounds double, ptr %1, i64 %16
  %18 = load double, ptr %17, align 8
  %19 = load i32, ptr @STOP_SLIP, align 4
  %20 = add nsw i32 %19, %.0
  %21 = call double @number(ptr %0, i32 %20)
  %22 = fmul double %18, %21
  %23 = fadd double %.09, %22
  %24 = add nsw i32 %.0, 1
  br label %8

25:                                               ; preds = %8
  %26 = fcmp olt double %.09, 0.000000e+00
  %27 = zext i1 %26 to i32
  ret i32 %27
}

define internal void @find_room(ptr %0, ptr %1) {
  %3 = load i32, ptr @ROOM, align 4
  %4 = sext i32 %3 to i64
  %5 = shl nsw i64 %4, 3
  call void @llvm.memset.p0.i64(ptr align 1 %1, i8 0, i64 %5, i1 false)
  br label %6

6:                                                ; preds = %.critedge, %2
  %.010 = phi i32 [ 0, %2 ], [ %31, %.critedge ]
  %7 = load i32, ptr @COMERS, align 4
  %8 = icmp slt i32 %.010, %7
  br i1 %8, label %9, label %32

9:                                                ; preds = %6, %18
  %.0 = phi i32 [ %30, %18 ], [ 0, %6 ]
  %10 = icmp slt i32 %.0, %3
  br i1 %10, label %11, label %.critedge

11:                                               ; preds = %9
  %12 = load ptr, ptr %0, align 8
  %13 = load i32, ptr @AFTER, align 4
  %14 = add nsw i32 %13, %.010
  %15 = sext i32 %14 to i64
  %16 = getelementptr inbounds i64, ptr %12, i64 %15
  %17 = load i64, ptr %16, align 8
  %.not = icmp eq i64 %17, 0
  br i1 %.not, label %.critedge, label %18

18:                                               ; preds = %11
  %19 = zext i32 %3 to i64
  %20 = zext nneg i32 %.010 to i64
  %21 = mul nuw nsw i64 %20, %19
  %22 = getelementptr inbounds nuw i16, ptr @flat_takes, i64 %21
  %23 = zext nneg i32 %.0 to i64
  %24 = getelementptr inbounds nuw i16, ptr %22, i64 %23
  %25 = load i16, ptr %24, align 2
  %26 = sext i16 %25 to i64
  %27 = getelementptr inbounds nuw i64, ptr %1, i64 %23
  %28 = load i64, ptr %27, align 8
  %29 = add nsw i64 %28, %26
  store i64 %29, ptr %27, align 8
  %30 = add nuw nsw i32 %.0, 1
  br label %9

.critedge:                                        ; preds = %9, %11
  %31 = add nuw nsw i32 %.010, 1
  br label %6

32:                                               ; preds = %6
  ret void
}

define internal i32 @has_room(i32 %0, ptr %1) {
  br label %3

3:                                                ; preds = %17, %2
  %.07 = phi i32 [ 0, %2 ], [ %18, %17 ]
  %4 = load i32, ptr @ROOM, align 4
  %5 = icmp slt i32 %.07, %4
  br i1 %5, label %6, label %19

6:                                                ; preds = %3
  %7 = zext nneg i32 %.07 to i64
  %8 = getelementptr inbounds nuw i64, ptr %1, i64 %7
  %9 = load i64, ptr %8, align 8
  %10 = zext i32 %4 to i64
  %11 = sext i32 %0 to i64
  %12 = mul nsw i64 %11, %10
  %13 = getelementptr inbounds i16, ptr @flat_rooms, i64 %12
  %14 = getelementptr inbounds nuw i16, ptr %13, i64 %7
  %15 = load i16, ptr %14, align 2
  %16 = sext i16 %15 to i64
  %.not = icmp eq i64 %9, %16
  br i1 %.not, label %17, label %19

17:                                               ; preds = %6
  %18 = add nuw nsw i32 %.07, 1
  br label %3

19:                                               ; preds = %6, %3
  %phiofops = phi i32 [ 1, %3 ], [ 0, %6 ]
  ret i32 %phiofops
}

declare void @call_look_before(ptr noundef)

declare i64 @call_begin_events(ptr noundef)

declare void @call_set_sides(ptr noundef)

declare double @llvm.minnum.f64(double, double) #3

define internal i32 @take_notes(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @PHASE, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i64, ptr %2, i64 %4
  %6 = load i64, ptr %5, align 8
  %7 = load i32, ptr @stride_WORK_EVENT, align 4
  %8 = sext i32 %7 to i64
  %9 = mul nsw i64 %6, %8
  %10 = getelementptr inbounds i32, ptr @of_WORK_EVENT, i64 %9
  %11 = load i32, ptr %10, align 4
  %12 = load i32, ptr @EVENT_NOTED, align 4
  %13 = add nsw i32 %11, %12
  %14 = call ptr @numbers(ptr nonnull %0, i32 %13)
  br label %15

15:                                               ; preds = %45, %1
  %.020 = phi i32 [ 0, %1 ], [ %49, %45 ]
  %16 = load double, ptr %14, align 8
  %17 = fptosi double %16 to i32
  %.not23 = icmp slt i32 %.020, %17
  br i1 %.not23, label %18, label %.critedge24

18:                                               ; preds = %15
  %19 = load ptr, ptr %0, align 8
  %20 = getelementptr inbounds i64, ptr %19, i64 %4
  %21 = load i64, ptr %20, align 8
  %22 = load i32, ptr @stride_NOTES, align 4
  %23 = sext i32 %22 to i64
  %24 = mul nsw i64 %21, %23
  %25 = getelementptr inbounds i32, ptr @of_NOTES, i64 %24
  %26 = load i32, ptr %25, align 4
  %27 = load i32, ptr @stride_NOTE, align 4
  %28 = sext i32 %27 to i64
  %29 = mul nsw i64 %21, %28
  %30 = getelementptr inbounds i32, ptr @of_NOTE, i64 %29
  %31 = load i32, ptr %30, align 4
  %32 = mul nsw i32 %.020, %31
  %33 = add nsw i32 %26, %32
  %34 = call ptr @numbers(ptr nonnull %0, i32 %33)
  %35 = load i32, ptr @NOTE_EVENT, align 4
  %36 = sext i32 %35 to i64
  %37 = getelementptr inbounds double, ptr %34, i64 %36
  %38 = load double, ptr %37, align 8
  %39 = fptosi double %38 to i32
  %40 = load i32, ptr @NOTE_TIME, align 4
  %41 = sext i32 %40 to i64
  %42 = getelementptr inbounds double, ptr %34, i64 %41
  %43 = load double, ptr %42, align 8
  %44 = call i32 @look_for_crowds(ptr nonnull %0, i32 %39, double %43, i32 0)
  %.not = icmp eq i32 %44, 0
  br i1 %.not, label %45, label %.critedge

45:                                               ; preds = %18
  %46 = load double, ptr %37, align 8
  %47 = fptosi double %46 to i32
  %48 = load double, ptr %42, align 8
  call void @tell_of(ptr nonnull %0, i32 %47, double %48)
  %49 = add nuw nsw i32 %.020, 1
  br label %15

.critedge:                                        ; preds = %18
  br i1 %.not23, label %50, label %.critedge24

.critedge24:                                      ; preds = %15, %.critedge
  store double 0.000000e+00, ptr %14, align 8
  br label %50

50:                                               ; preds = %.critedge, %.critedge24
  %.3 = phi i32 [ -1, %.critedge ], [ 0, %.critedge24 ]
  ret i32 %.3
}

define internal i32 @is_due(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @PENDING, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i64, ptr %2, i64 %4
  %6 = load i64, ptr %5, align 8
  %.not = icmp eq i64 %6, 0
  br i1 %.not, label %7, label %43

7:                                                ; preds = %1
  %8 = load i32, ptr @KNOWN, align 4
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %2, i64 %9
  %11 = load i64, ptr %10, align 8
  %.not17 = icmp eq i64 %11, 0
  br i1 %.not17, label %43, label %12

12:                                               ; preds = %7
  %13 = load i32, ptr @EVENT_COUNT, align 4
  %14 = zext i32 %13 to i64
  %15 = call ptr @llvm.stacksave.p0()
  %16 = alloca double, i64 %14, align 8
  %17 = call i32 @indicate(ptr nonnull %0, ptr nonnull %16)
  %.not18 = icmp eq i32 %17, 0
  br i1 %.not18, label %18, label %42

18:                                               ; preds = %12, %40
  %.0 = phi i32 [ %41, %40 ], [ 0, %12 ]
  %19 = icmp slt i32 %.0, %13
  br i1 %19, label %20, label %42

20:                                               ; preds = %18
  %21 = call ptr @line_of(ptr nonnull %0, i32 %.0)
  %22 = load i32, ptr @EVENT_ACTIVE, align 4
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds double, ptr %21, i64 %23
  %25 = load double, ptr %24, align 8
  %26 = fcmp une double %25, 0.000000e+00
  br i1 %26, label %27, label %40

27:                                               ; preds = %20
  %28 = call i32 @rises(ptr nonnull %0, i32 %.0)
  %.not19 = icmp eq i32 %28, 0
  br i1 %.not19, label %29, label %40

29:                                               ; preds = %27
  %30 = call ptr @line_of(ptr nonnull %0, i32 %.0)
  %31 = load i32, ptr @EVENT_SIDE, align 4
  %32 = sext i32 %31 to i64
  %33 = getelementptr inbounds double, ptr %30, i64 %32
  %34 = load double, ptr %33, align 8
  %35 = zext nneg i32 %.0 to i64
  %36 = getelementptr inbounds nuw double, ptr %16, i64 %35
  %37 = load double, ptr %36, align 8
  %38 = fmul double %34, %37
  %39 = fcmp ugt double %38, 0.000000e+00
  br i1 %39, label %40, label %42

40:                                               ; preds = %20, %27, %29
  %41 = add nuw nsw i32 %.0, 1
  br label %18

42:                                               ; preds = %18, %29, %12
  %.1 = phi i32 [ 1, %12 ], [ 0, %18 ], [ 1, %29 ]
  call void @llvm.stackrestore.p0(ptr %15)
  br label %43

43:                                               ; preds = %7, %1, %42
  %.015 = phi i32 [ 1, %1 ], [ %.1, %42 ], [ 0, %7 ]
  ret i32 %.015
}

define internal void @lay_out(ptr %0, ptr %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @PHASE, align 4
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds i64, ptr %3, i64 %5
  %7 = load i64, ptr %6, align 8
  %8 = load i32, ptr @stride_DERIVATIVE_SCRATCH, align 4
  %9 = sext i32 %8 to i64
  %10 = mul nsw i64 %7, %9
  %11 = getelementptr inbounds i32, ptr @of_DERIVATIVE_SCRATCH, i64 %10
  %12 = load i32, ptr %11, align 4
  %13 = call ptr @numbers(ptr nonnull %0, i32 %12)
  store ptr %13, ptr %1, align 8
  %14 = load i32, ptr @SPEEDS, align 4
  %15 = load ptr, ptr %0, align 8
  %16 = getelementptr inbounds i64, ptr %15, i64 %5
  %17 = load i64, ptr %16, align 8
  %18 = load i32, ptr @stride_ROWS, align 4
  %19 = sext i32 %18 to i64
  %20 = mul nsw i64 %17, %19
  %21 = getelementptr inbounds i32, ptr @of_ROWS, i64 %20
  %22 = load i32, ptr %21, align 4
  %23 = add nsw i32 %14, %22
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds double, ptr %13, i64 %24
  %26 = getelementptr inbounds nuw i8, ptr %1, i64 8
  store ptr %25, ptr %26, align 8
  %27 = load ptr, ptr %0, align 8
  %28 = getelementptr inbounds i64, ptr %27, i64 %5
  %29 = load i64, ptr %28, align 8
  %30 = mul nsw i64 %29, %19
  %31 = getelementptr inbounds i32, ptr @of_ROWS, i64 %30
  %32 = load i32, ptr %31, align 4
  %33 = add nsw i32 %14, %32
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds double, ptr %25, i64 %34
  %36 = getelementptr inbounds nuw i8, ptr %1, i64 16
  store ptr %35, ptr %36, align 8
  %37 = load ptr, ptr %0, align 8
  %38 = getelementptr inbounds i64, ptr %37, i64 %5
  %39 = load i64, ptr %38, align 8
  %40 = mul nsw i64 %39, %19
  %41 = getelementptr inbounds i32, ptr @of_ROWS, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = add nsw i32 %14, %42
  %44 = sext i32 %43 to i64
  %45 = getelementptr inbounds double, ptr %35, i64 %44
  %46 = getelementptr inbounds nuw i8, ptr %1, i64 24
  store ptr %45, ptr %46, align 8
  %47 = load ptr, ptr %0, align 8
  %48 = getelementptr inbounds i64, ptr %47, i64 %5
  %49 = load i64, ptr %48, align 8
  %50 = mul nsw i64 %49, %19
  %51 = getelementptr inbounds i32, ptr @of_ROWS, i64 %50
  %52 = load i32, ptr %51, align 4
  %53 = add nsw i32 %14, %52
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds double, ptr %45, i64 %54
  %56 = getelementptr inbounds nuw i8, ptr %1, i64 32
  store ptr %55, ptr %56, align 8
  %57 = load ptr, ptr %0, align 8
  %58 = getelementptr inbounds i64, ptr %57, i64 %5
  %59 = load i64, ptr %58, align 8
  %60 = load i32, ptr @stride_WIDTH, align 4
  %61 = sext i32 %60 to i64
  %62 = mul nsw i64 %59, %61
  %63 = getelementptr inbounds i32, ptr @of_WIDTH, i64 %62
  %64 = load i32, ptr %63, align 4
  %65 = sext i32 %64 to i64
  %66 = getelementptr inbounds double, ptr %55, i64 %65
  %67 = getelementptr inbounds nuw i8, ptr %1, i64 40
  store ptr %66, ptr %67, align 8
  %68 = load ptr, ptr %0, align 8
  %69 = getelementptr inbounds i64, ptr %68, i64 %5
  %70 = load i64, ptr %69, align 8
  %71 = mul nsw i64 %70, %61
  %72 = getelementptr inbounds i32, ptr @of_WIDTH, i64 %71
  %73 = load i32, ptr %72, align 4
  %74 = sext i32 %73 to i64
  %75 = getelementptr inbounds double, ptr %66, i64 %74
  %76 = getelementptr inbounds nuw i8, ptr %1, i64 48
  store ptr %75, ptr %76, align 8
  %77 = load i32, ptr @OUTPUTS, align 4
  %78 = sext i32 %77 to i64
  %79 = getelementptr inbounds double, ptr %75, i64 %78
  %80 = getelementptr inbounds nuw i8, ptr %1, i64 56
  store ptr %79, ptr %80, align 8
  %81 = getelementptr inbounds nuw i8, ptr %1, i64 64
  store i32 0, ptr %81, align 4
  ret void
}

define internal i32 @seed_with(ptr %0, i32 %1, double %2) {
  %4 = load i32, ptr @INPUTS, align 4
  %5 = icmp ult i32 %1, %4
  br i1 %5, label %6, label %24

6:                                                ; preds = %3
  %7 = load ptr, ptr %0, align 8
  %8 = load i32, ptr @PHASE, align 4
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %7, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = load i32, ptr @stride_PARAMETERS_D, align 4
  %13 = sext i32 %12 to i64
  %14 = mul nsw i64 %11, %13
  %15 = getelementptr inbounds i32, ptr @of_PARAMETERS_D, i64 %14
  %16 = load i32, ptr %15, align 4
  %17 = zext i32 %1 to i64
  %18 = getelementptr inbounds nuw i32, ptr @input_places, i64 %17
  %19 = load i32, ptr %18, align 4
  %20 = add nsw i32 %16, %19
  %21 = call ptr @numbers(ptr nonnull %0, i32 %20)
  %22 = load double, ptr %21, align 8
  %23 = fadd double %22, %2
  store double %23, ptr %21, align 8
  br label %73

24:                                               ; preds = %3, %71
  %.020 = phi i32 [ %72, %71 ], [ 0, %3 ]
  %25 = load i32, ptr @STATES, align 4
  %26 = icmp slt i32 %.020, %25
  br i1 %26, label %27, label %73

27:                                               ; preds = %24
  %28 = zext nneg i32 %.020 to i64
  %29 = getelementptr inbounds nuw i32, ptr @state_references, i64 %28
  %30 = load i32, ptr %29, align 4
  %31 = icmp eq i32 %30, %1
  br i1 %31, label %32, label %71

32:                                               ; preds = %27
  %33 = load i32, ptr @SPEEDS, align 4
  %34 = icmp slt i32 %.020, %33
  br i1 %34, label %35, label %50

35:                                               ; preds = %32
  %36 = load ptr, ptr %0, align 8
  %37 = load i32, ptr @PHASE, align 4
  %38 = sext i32 %37 to i64
  %39 = getelementptr inbounds i64, ptr %36, i64 %38
  %40 = load i64, ptr %39, align 8
  %41 = load i32, ptr @stride_V_D, align 4
  %42 = sext i32 %41 to i64
  %43 = mul nsw i64 %40, %42
  %44 = getelementptr inbounds i32, ptr @of_V_D, i64 %43
  %45 = load i32, ptr %44, align 4
  %46 = call ptr @numbers(ptr nonnull %0, i32 %45)
  %47 = getelementptr inbounds nuw double, ptr %46, i64 %28
  %48 = load double, ptr %47, align 8
  %49 = fadd double %48, %2
  store double %49, ptr %47, align 8
  br label %73

50:                                               ; preds = %32
  %51 = load i32, ptr @COORDINATES, align 4
  %52 = add nsw i32 %33, %51
  %53 = icmp slt i32 %.020, %52
  br i1 %53, label %54, label %73

54:                                               ; preds = %50
  %55 = load ptr, ptr %0, align 8
  %56 = load i32, ptr @PHASE, align 4
  %57 = sext i32 %56 to i64
  %58 = getelementptr inbounds i64, ptr %55, i64 %57
  %59 = load i64, ptr %58, align 8
  %60 = load i32, ptr @stride_Q_D, align 4
  %61 = sext i32 %60 to i64
  %62 = mul nsw i64 %59, %61
  %63 = getelementptr inbounds i32, ptr @of_Q_D, i64 %62
  %64 = load i32, ptr %63, align 4
  %65 = call ptr @numbers(ptr nonnull %0, i32 %64)
  %66 = sub nsw i32 %.020, %33
  %67 = sext i32 %66 to i64
  %68 = getelementptr inbounds double, ptr %65, i64 %67
  %69 = load double, ptr %68, align 8
  %70 = fadd double %69, %2
  store double %70, ptr %68, align 8
  br label %73

71:                                               ; preds = %27
  %72 = add nuw nsw i32 %.020, 1
  br label %24

73:                                               ; preds = %24, %50, %54, %35, %6
  %.021 = phi i32 [ 0, %6 ], [ -1, %24 ], [ 0, %50 ], [ 0, %54 ], [ 0, %35 ]
  ret i32 %.021
}

declare void @call_matrix(ptr noundef)

define internal void @eliminate(ptr %0, ptr %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @PHASE, align 4
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds i64, ptr %3, i64 %5
  %7 = load i64, ptr %6, align 8
  %8 = load i32, ptr @stride_MATRIX, align 4
  %9 = sext i32 %8 to i64
  %10 = mul nsw i64 %7, %9
  %11 = getelementptr inbounds i32, ptr @of_MATRIX, i64 %10
  %12 = load i32, ptr %11, align 4
  %13 = call ptr @numbers(ptr nonnull %0, i32 %12)
  %14 = load ptr, ptr %0, align 8
  %15 = getelementptr inbounds i64, ptr %14, i64 %5
  %16 = load i64, ptr %15, align 8
  %17 = load i32, ptr @stride_PIVOTS, align 4
  %18 = sext i32 %17 to i64
  %19 = mul nsw i64 %16, %18
  %20 = getelementptr inbounds i32, ptr @of_PIVOTS, i64 %19
  %21 = load i32, ptr %20, align 4
  %22 = sext i32 %21 to i64
  %23 = getelementptr inbounds i64, ptr %14, i64 %22
  %24 = load i32, ptr @SPEEDS, align 4
  %25 = load i32, ptr @stride_ROWS, align 4
  %26 = sext i32 %25 to i64
  %27 = mul nsw i64 %16, %26
  %28 = getelementptr inbounds i32, ptr @of_ROWS, i64 %27
  %29 = load i32, ptr %28, align 4
  %30 = add nsw i32 %24, %29
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds i64, ptr %23, i64 %31
  br label %33

33:                                               ; preds = %67, %2
  %.0119 = phi i32 [ 0, %2 ], [ %80, %67 ]
  %34 = load ptr, ptr %0, align 8
  %35 = getelementptr inbounds i64, ptr %34, i64 %5
  %36 = load i64, ptr %35, align 8
  %37 = mul nsw i64 %36, %26
  %38 = getelementptr inbounds i32, ptr @of_ROWS, i64 %37
  %39 = load i32, ptr %38, align 4
  %40 = add nsw i32 %24, %39
  %41 = icmp slt i32 %.0119, %40
  br i1 %41, label %42, label %81

42:                                               ; preds = %33
  %43 = icmp slt i32 %.0119, %24
  br i1 %43, label %44, label %49

44:                                               ; preds = %42
  %.0119138 = add i32 %40, 1
  %45 = mul i32 %.0119, %.0119138
  %46 = sext i32 %45 to i64
  %47 = getelementptr inbounds double, ptr %13, i64 %46
  %48 = load double, ptr %47, align 8
  br label %49

49:                                               ; preds = %44, %42
  %.0121 = phi double [ %48, %44 ], [ 0.000000e+00, %42 ]
  br label %50

50:                                               ; preds = %54, %49
  %.0124 = phi i32 [ 0, %49 ], [ %66, %54 ]
  %.1122 = phi double [ %.0121, %49 ], [ %65, %54 ]
  %51 = icmp sge i32 %.0119, %24
  %52 = icmp slt i32 %.0124, %24
  %53 = select i1 %51, i1 %52, i1 false
  br i1 %53, label %54, label %67

54:                                               ; preds = %50
  %55 = mul nsw i32 %.0119, %40
  %56 = add nsw i32 %55, %.0124
  %57 = sext i32 %56 to i64
  %58 = getelementptr inbounds double, ptr %13, i64 %57
  %59 = load double, ptr %58, align 8
  %60 = load ptr, ptr %1, align 8
  %61 = zext nneg i32 %.0124 to i64
  %62 = getelementptr inbounds nuw double, ptr %60, i64 %61
  %63 = load double, ptr %62, align 8
  %64 = fmul double %59, %63
  %square = fmul double %64, %64
  %65 = fadd double %.1122, %square
  %66 = add nuw nsw i32 %.0124, 1
  br label %50

67:                                               ; preds = %50
  %68 = fcmp ogt double %.1122, 0.000000e+00
  %69 = call double @llvm.sqrt.f64(double %.1122)
  %70 = fdiv double 1.000000e+00, %69
  %71 = select i1 %68, double %70, double 1.000000e+00
  %72 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %73 = load ptr, ptr %72, align 8
  %74 = zext nneg i32 %.0119 to i64
  %75 = getelementptr inbounds nuw double, ptr %73, i64 %74
  store double %71, ptr %75, align 8
  %76 = load ptr, ptr %1, align 8
  %77 = getelementptr inbounds nuw double, ptr %76, i64 %74
  store double %71, ptr %77, align 8
  %78 = getelementptr inbounds nuw i64, ptr %32, i64 %74
  store i64 %74, ptr %78, align 8
  %79 = getelementptr inbounds nuw i64, ptr %23, i64 %74
  store i64 %74, ptr %79, align 8
  %80 = add nuw nsw i32 %.0119, 1
  br label %33

81:                                               ; preds = %33, %117
  %.0135 = phi i32 [ %118, %117 ], [ 0, %33 ]
  %82 = load ptr, ptr %0, align 8
  %83 = getelementptr inbounds i64, ptr %82, i64 %5
  %84 = load i64, ptr %83, align 8
  %85 = mul nsw i64 %84, %26
  %86 = getelementptr inbounds i32, ptr @of_ROWS, i64 %85
  %87 = load i32, ptr %86, align 4
  %88 = add nsw i32 %24, %87
  %89 = icmp slt i32 %.0135, %88
  br i1 %89, label %90, label %119

90:                                               ; preds = %81, %99
  %.0136 = phi i32 [ %116, %99 ], [ 0, %81 ]
  %91 = load ptr, ptr %0, align 8
  %92 = getelementptr inbounds i64, ptr %91, i64 %5
  %93 = load i64, ptr %92, align 8
  %94 = mul nsw i64 %93, %26
  %95 = getelementptr inbounds i32, ptr @of_ROWS, i64 %94
  %96 = load i32, ptr %95, align 4
  %97 = add nsw i32 %24, %96
  %98 = icmp slt i32 %.0136, %97
  br i1 %98, label %99, label %117

99:                                               ; preds = %90
  %100 = load ptr, ptr %1, align 8
  %101 = zext nneg i32 %.0135 to i64
  %102 = getelementptr inbounds nuw double, ptr %100, i64 %101
  %103 = load double, ptr %102, align 8
  %104 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %105 = load ptr, ptr %104, align 8
  %106 = zext nneg i32 %.0136 to i64
  %107 = getelementptr inbounds nuw double, ptr %105, i64 %106
  %108 = load double, ptr %107, align 8
  %109 = fmul double %103, %108
  %110 = mul nsw i32 %.0135, %97
  %111 = add nsw i32 %110, %.0136
  %112 = sext i32 %111 to i64
  %113 = getelementptr inbounds double, ptr %13, i64 %112
  %114 = load double, ptr %113, align 8
  %115 = fmul double %114, %109
  store double %115, ptr %113, align 8
  %116 = add nuw nsw i32 %.0136, 1
  br label %90

117:                                              ; preds = %90
  %118 = add nuw nsw i32 %.0135, 1
  br label %81

119:                                              ; preds = %81
  %120 = getelementptr inbounds nuw i8, ptr %1, i64 64
  br label %121

121:                                              ; preds = %211, %119
  %storemerge = phi i32 [ 0, %119 ], [ %213, %211 ]
  store i32 %storemerge, ptr %120, align 4
  %122 = load ptr, ptr %0, align 8
  %123 = getelementptr inbounds i64, ptr %122, i64 %5
  %124 = load i64, ptr %123, align 8
  %125 = mul nsw i64 %124, %26
  %126 = getelementptr inbounds i32, ptr @of_ROWS, i64 %125
  %127 = load i32, ptr %126, align 4
  %128 = add nsw i32 %24, %127
  %129 = icmp slt i32 %storemerge, %128
  br i1 %129, label %130, label %.critedge

130:                                              ; preds = %121, %149
  %.0132 = phi i32 [ %.1133, %149 ], [ %storemerge, %121 ]
  %.0129 = phi i32 [ %.1130, %149 ], [ %storemerge, %121 ]
  %.0127 = phi double [ %.1128, %149 ], [ 0.000000e+00, %121 ]
  %.0126 = phi i32 [ %150, %149 ], [ %storemerge, %121 ]
  %131 = icmp slt i32 %.0126, %128
  br i1 %131, label %132, label %151

132:                                              ; preds = %130, %134
  %.1133 = phi i32 [ %.2134, %134 ], [ %.0132, %130 ]
  %.1130 = phi i32 [ %.2131, %134 ], [ %.0129, %130 ]
  %.1128 = phi double [ %.2, %134 ], [ %.0127, %130 ]
  %.0125 = phi i32 [ %148, %134 ], [ %storemerge, %130 ]
  %133 = icmp slt i32 %.0125, %128
  br i1 %133, label %134, label %149

134:                                              ; preds = %132
  %135 = sext i32 %.0126 to i64
  %136 = getelementptr inbounds i64, ptr %23, i64 %135
  %137 = load i64, ptr %136, align 8
  %138 = sext i32 %128 to i64
  %139 = mul nsw i64 %137, %138
  %140 = sext i32 %.0125 to i64
  %141 = getelementptr inbounds i64, ptr %32, i64 %140
  %142 = load i64, ptr %141, align 8
  %143 = getelementptr double, ptr %13, i64 %139
  %144 = getelementptr double, ptr %143, i64 %142
  %145 = load double, ptr %144, align 8
  %146 = call double @llvm.fabs.f64(double %145)
  %147 = fcmp ogt double %146, %.1128
  %.2134 = select i1 %147, i32 %.0126, i32 %.1133
  %.2131 = select i1 %147, i32 %.0125, i32 %.1130
  %.2 = select i1 %147, double %146, double %.1128
  %148 = add nsw i32 %.0125, 1
  br label %132

149:                                              ; preds = %132
  %150 = add nsw i32 %.0126, 1
  br label %130

151:                                              ; preds = %130
  %152 = fcmp ogt double %.0127, 0x3DA5FD7FE1796495
  br i1 %152, label %153, label %.critedge

153:                                              ; preds = %151
  %154 = sext i32 %storemerge to i64
  %155 = getelementptr inbounds i64, ptr %23, i64 %154
  %156 = sext i32 %.0132 to i64
  %157 = getelementptr inbounds i64, ptr %23, i64 %156
  call void @swap(ptr %155, ptr %157)
  %158 = getelementptr inbounds i64, ptr %32, i64 %154
  %159 = sext i32 %.0129 to i64
  %160 = getelementptr inbounds i64, ptr %32, i64 %159
  call void @swap(ptr %158, ptr %160)
  %161 = add nsw i32 %storemerge, 1
  br label %162

162:                                              ; preds = %208, %153
  %.0123 = phi i32 [ %161, %153 ], [ %209, %208 ]
  %163 = load ptr, ptr %0, align 8
  %164 = getelementptr inbounds i64, ptr %163, i64 %5
  %165 = load i64, ptr %164, align 8
  %166 = mul nsw i64 %165, %26
  %167 = getelementptr inbounds i32, ptr @of_ROWS, i64 %166
  %168 = load i32, ptr %167, align 4
  %169 = add nsw i32 %24, %168
  %170 = icmp slt i32 %.0123, %169
  br i1 %170, label %171, label %210

171:                                              ; preds = %162
  %172 = sext i32 %.0123 to i64
  %173 = getelementptr inbounds i64, ptr %23, i64 %172
  %174 = load i64, ptr %173, align 8
  %175 = sext i32 %169 to i64
  %176 = mul nsw i64 %174, %175
  %177 = getelementptr inbounds double, ptr %13, i64 %176
  %178 = load i64, ptr %155, align 8
  %179 = mul nsw i64 %178, %175
  %180 = getelementptr inbounds double, ptr %13, i64 %179
  %181 = load i64, ptr %158, align 8
  %182 = getelementptr inbounds double, ptr %177, i64 %181
  %183 = load double, ptr %182, align 8
  %184 = getelementptr inbounds double, ptr %180, i64 %181
  %185 = load double, ptr %184, align 8
  %186 = fdiv double %183, %185
  store double %186, ptr %182, align 8
  %187 = fcmp une double %186, 0.000000e+00
  br i1 %187, label %188, label %208

188:                                              ; preds = %171, %197
  %.0 = phi i32 [ %207, %197 ], [ %161, %171 ]
  %189 = load ptr, ptr %0, align 8
  %190 = getelementptr inbounds i64, ptr %189, i64 %5
  %191 = load i64, ptr %190, align 8
  %192 = mul nsw i64 %191, %26
  %193 = getelementptr inbounds i32, ptr @of_ROWS, i64 %192
  %194 = load i32, ptr %193, align 4
  %195 = add nsw i32 %24, %194
  %196 = icmp slt i32 %.0, %195
  br i1 %196, label %197, label %208

197:                                              ; preds = %188
  %198 = sext i32 %.0 to i64
  %199 = getelementptr inbounds i64, ptr %32, i64 %198
  %200 = load i64, ptr %199, align 8
  %201 = getelementptr inbounds double, ptr %180, i64 %200
  %202 = load double, ptr %201, align 8
  %203 = fmul double %186, %202
  %204 = getelementptr inbounds double, ptr %177, i64 %200
  %205 = load double, ptr %204, align 8
  %206 = fsub double %205, %203
  store double %206, ptr %204, align 8
  %207 = add nsw i32 %.0, 1
  br label %188

208:                                              ; preds = %171, %188
  %209 = add nsw i32 %.0123, 1
  br label %162

210:                                              ; preds = %162
  br i1 %152, label %211, label %.critedge

211:                                              ; preds = %210
  %212 = load i32, ptr %120, align 4
  %213 = add nsw i32 %212, 1
  br label %121

.critedge:                                        ; preds = %151, %210, %121
  ret void
}

declare void @call_along(ptr noundef)

define internal void @solve(ptr %0, ptr %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @PHASE, align 4
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds i64, ptr %3, i64 %5
  %7 = load i64, ptr %6, align 8
  %8 = load i32, ptr @stride_MATRIX, align 4
  %9 = sext i32 %8 to i64
  %10 = mul nsw i64 %7, %9
  %11 = getelementptr inbounds i32, ptr @of_MATRIX, i64 %10
  %12 = load i32, ptr %11, align 4
  %13 = call ptr @numbers(ptr nonnull %0, i32 %12)
  %14 = load ptr, ptr %0, align 8
  %15 = getelementptr inbounds i64, ptr %14, i64 %5
  %16 = load i64, ptr %15, align 8
  %17 = load i32, ptr @stride_RESIDUAL_D, align 4
  %18 = sext i32 %17 to i64
  %19 = mul nsw i64 %16, %18
  %20 = getelementptr inbounds i32, ptr @of_RESIDUAL_D, i64 %19
  %21 = load i32, ptr %20, align 4
  %22 = call ptr @numbers(ptr nonnull %0, i32 %21)
  %23 = load ptr, ptr %0, align 8
  %24 = getelementptr inbounds i64, ptr %23, i64 %5
  %25 = load i64, ptr %24, align 8
  %26 = load i32, ptr @stride_PIVOTS, align 4
  %27 = sext i32 %26 to i64
  %28 = mul nsw i64 %25, %27
  %29 = getelementptr inbounds i32, ptr @of_PIVOTS, i64 %28
  %30 = load i32, ptr %29, align 4
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds i64, ptr %23, i64 %31
  %33 = load i32, ptr @SPEEDS, align 4
  %34 = load i32, ptr @stride_ROWS, align 4
  %35 = sext i32 %34 to i64
  %36 = mul nsw i64 %25, %35
  %37 = getelementptr inbounds i32, ptr @of_ROWS, i64 %36
  %38 = load i32, ptr %37, align 4
  %39 = add nsw i32 %33, %38
  %40 = sext i32 %39 to i64
  %41 = getelementptr inbounds i64, ptr %32, i64 %40
  %42 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %43 = load ptr, ptr %42, align 8
  br label %44

44:                                               ; preds = %85, %2
  %.077 = phi i32 [ 0, %2 ], [ %86, %85 ]
  %45 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %46 = load i32, ptr %45, align 4
  %47 = icmp slt i32 %.077, %46
  br i1 %47, label %48, label %87

48:                                               ; preds = %44
  %49 = load ptr, ptr %1, align 8
  %50 = zext nneg i32 %.077 to i64
  %51 = getelementptr inbounds nuw i64, ptr %32, i64 %50
  %52 = load i64, ptr %51, align 8
  %53 = getelementptr inbounds double, ptr %49, i64 %52
  %54 = load double, ptr %53, align 8
  %55 = fneg double %54
  %56 = getelementptr inbounds double, ptr %22, i64 %52
  %57 = load double, ptr %56, align 8
  %58 = fmul double %57, %55
  %59 = getelementptr inbounds nuw double, ptr %43, i64 %50
  store double %58, ptr %59, align 8
  br label %60

60:                                               ; preds = %62, %48
  %.076 = phi i32 [ 0, %48 ], [ %84, %62 ]
  %61 = icmp samesign ult i32 %.076, %.077
  br i1 %61, label %62, label %85

62:                                               ; preds = %60
  %63 = load i64, ptr %51, align 8
  %64 = load ptr, ptr %0, align 8
  %65 = getelementptr inbounds i64, ptr %64, i64 %5
  %66 = load i64, ptr %65, align 8
  %67 = mul nsw i64 %66, %35
  %68 = getelementptr inbounds i32, ptr @of_ROWS, i64 %67
  %69 = load i32, ptr %68, align 4
  %70 = add nsw i32 %33, %69
  %71 = sext i32 %70 to i64
  %72 = mul nsw i64 %63, %71
  %73 = zext nneg i32 %.076 to i64
  %74 = getelementptr inbounds nuw i64, ptr %41, i64 %73
  %75 = load i64, ptr %74, align 8
  %76 = getelementptr double, ptr %13, i64 %72
  %77 = getelementptr double, ptr %76, i64 %75
  %78 = load double, ptr %77, align 8
  %79 = getelementptr inbounds nuw double, ptr %43, i64 %73
  %80 = load double, ptr %79, align 8
  %81 = fmul double %78, %80
  %82 = load double, ptr %59, align 8
  %83 = fsub double %82, %81
  store double %83, ptr %59, align 8
  %84 = add nuw nsw i32 %.076, 1
  br label %60

85:                                               ; preds = %60
  %86 = add nuw nsw i32 %.077, 1
  br label %44

87:                                               ; preds = %44, %96
  %.075 = phi i32 [ %101, %96 ], [ 0, %44 ]
  %88 = load ptr, ptr %0, align 8
  %89 = getelementptr inbounds i64, ptr %88, i64 %5
  %90 = load i64, ptr %89, align 8
  %91 = mul nsw i64 %90, %35
  %92 = getelementptr inbounds i32, ptr @of_ROWS, i64 %91
  %93 = load i32, ptr %92, align 4
  %94 = add nsw i32 %33, %93
  %95 = icmp slt i32 %.075, %94
  br i1 %95, label %96, label %102

96:                                               ; preds = %87
  %97 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %98 = load ptr, ptr %97, align 8
  %99 = zext nneg i32 %.075 to i64
  %100 = getelementptr inbounds nuw double, ptr %98, i64 %99
  store double 0.000000e+00, ptr %100, align 8
  %101 = add nuw nsw i32 %.075, 1
  br label %87

102:                                              ; preds = %87
  %103 = load i32, ptr %45, align 4
  br label %104

104:                                              ; preds = %137, %102
  %.074.in = phi i32 [ %103, %102 ], [ %.074, %137 ]
  %.074 = add nsw i32 %.074.in, -1
  %105 = icmp sgt i32 %.074.in, 0
  br i1 %105, label %106, label %161

106:                                              ; preds = %104, %109
  %.073 = phi i32 [ %136, %109 ], [ %.074.in, %104 ]
  %107 = load i32, ptr %45, align 4
  %108 = icmp slt i32 %.073, %107
  br i1 %108, label %109, label %137

109:                                              ; preds = %106
  %110 = sext i32 %.074 to i64
  %111 = getelementptr inbounds i64, ptr %32, i64 %110
  %112 = load i64, ptr %111, align 8
  %113 = load ptr, ptr %0, align 8
  %114 = getelementptr inbounds i64, ptr %113, i64 %5
  %115 = load i64, ptr %114, align 8
  %116 = mul nsw i64 %115, %35
  %117 = getelementptr inbounds i32, ptr @of_ROWS, i64 %116
  %118 = load i32, ptr %117, align 4
  %119 = add nsw i32 %33, %118
  %120 = sext i32 %119 to i64
  %121 = mul nsw i64 %112, %120
  %122 = zext nneg i32 %.073 to i64
  %123 = getelementptr inbounds nuw i64, ptr %41, i64 %122
  %124 = load i64, ptr %123, align 8
  %125 = getelementptr double, ptr %13, i64 %121
  %126 = getelementptr double, ptr %125, i64 %124
  %127 = load double, ptr %126, align 8
  %128 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %129 = load ptr, ptr %128, align 8
  %130 = getelementptr inbounds double, ptr %129, i64 %124
  %131 = load double, ptr %130, align 8
  %132 = fmul double %127, %131
  %133 = getelementptr inbounds double, ptr %43, i64 %110
  %134 = load double, ptr %133, align 8
  %135 = fsub double %134, %132
  store double %135, ptr %133, align 8
  %136 = add nuw nsw i32 %.073, 1
  br label %106

137:                                              ; preds = %106
  %138 = sext i32 %.074 to i64
  %139 = getelementptr inbounds double, ptr %43, i64 %138
  %140 = load double, ptr %139, align 8
  %141 = getelementptr inbounds i64, ptr %32, i64 %138
  %142 = load i64, ptr %141, align 8
  %143 = load ptr, ptr %0, align 8
  %144 = getelementptr inbounds i64, ptr %143, i64 %5
  %145 = load i64, ptr %144, align 8
  %146 = mul nsw i64 %145, %35
  %147 = getelementptr inbounds i32, ptr @of_ROWS, i64 %146
  %148 = load i32, ptr %147, align 4
  %149 = add nsw i32 %33, %148
  %150 = sext i32 %149 to i64
  %151 = mul nsw i64 %142, %150
  %152 = getelementptr inbounds i64, ptr %41, i64 %138
  %153 = load i64, ptr %152, align 8
  %154 = getelementptr double, ptr %13, i64 %151
  %155 = getelementptr double, ptr %154, i64 %153
  %156 = load double, ptr %155, align 8
  %157 = fdiv double %140, %156
  %158 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %159 = load ptr, ptr %158, align 8
  %160 = getelementptr inbounds double, ptr %159, i64 %153
  store double %157, ptr %160, align 8
  br label %104

161:                                              ; preds = %104, %170
  %.0 = phi i32 [ %181, %170 ], [ 0, %104 ]
  %162 = load ptr, ptr %0, align 8
  %163 = getelementptr inbounds i64, ptr %162, i64 %5
  %164 = load i64, ptr %163, align 8
  %165 = mul nsw i64 %164, %35
  %166 = getelementptr inbounds i32, ptr @of_ROWS, i64 %165
  %167 = load i32, ptr %166, align 4
  %168 = add nsw i32 %33, %167
  %169 = icmp slt i32 %.0, %168
  br i1 %169, label %170, label %182

170:                                              ; preds = %161
  %171 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %172 = load ptr, ptr %171, align 8
  %173 = zext nneg i32 %.0 to i64
  %174 = getelementptr inbounds nuw double, ptr %172, i64 %173
  %175 = load double, ptr %174, align 8
  %176 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %177 = load ptr, ptr %176, align 8
  %178 = getelementptr inbounds nuw double, ptr %177, i64 %173
  %179 = load double, ptr %178, align 8
  %180 = fmul double %179, %175
  store double %180, ptr %178, align 8
  %181 = add nuw nsw i32 %.0, 1
  br label %161

182:                                              ; preds = %161
  ret void
}

define internal void @follow_outputs(ptr %0, ptr %1) {
  %3 = load i32, ptr @INPUTS, align 4
  %4 = add nsw i32 %3, 1
  %5 = zext i32 %4 to i64
  %6 = alloca double, i64 %5, align 8
  %7 = load ptr, ptr %0, align 8
  %8 = load i32, ptr @PHASE, align 4
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %7, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = load i32, ptr @stride_REMEMBERED_SIZE, align 4
  %13 = sext i32 %12 to i64
  %14 = mul nsw i64 %11, %13
  %15 = getelementptr inbounds i32, ptr @of_REMEMBERED_SIZE, i64 %14
  %16 = load i32, ptr %15, align 4
  %17 = add nsw i32 %16, 1
  %18 = zext i32 %17 to i64
  %19 = alloca double, i64 %18, align 8
  %20 = load i32, ptr @stride_Q_D, align 4
  %21 = sext i32 %20 to i64
  %22 = mul nsw i64 %11, %21
  %23 = getelementptr inbounds i32, ptr @of_Q_D, i64 %22
  %24 = load i32, ptr %23, align 4
  %25 = call ptr @numbers(ptr nonnull %0, i32 %24)
  %26 = load ptr, ptr %0, align 8
  %27 = getelementptr inbounds i64, ptr %26, i64 %9
  %28 = load i64, ptr %27, align 8
  %29 = load i32, ptr @stride_V_D, align 4
  %30 = sext i32 %29 to i64
  %31 = mul nsw i64 %28, %30
  %32 = getelementptr inbounds i32, ptr @of_V_D, i64 %31
  %33 = load i32, ptr %32, align 4
  %34 = call ptr @numbers(ptr nonnull %0, i32 %33)
  %35 = load i32, ptr @OUTPUT, align 4
  %36 = call ptr @numbers(ptr nonnull %0, i32 %35)
  %37 = load i32, ptr @ROW, align 4
  %38 = call ptr @numbers(ptr nonnull %0, i32 %37)
  br label %39

39:                                               ; preds = %41, %2
  %.0136 = phi i32 [ 0, %2 ], [ %63, %41 ]
  %.0135 = phi double [ 0.000000e+00, %2 ], [ %62, %41 ]
  %40 = icmp slt i32 %.0136, %3
  br i1 %40, label %41, label %64

41:                                               ; preds = %39
  %42 = load ptr, ptr %0, align 8
  %43 = getelementptr inbounds i64, ptr %42, i64 %9
  %44 = load i64, ptr %43, align 8
  %45 = load i32, ptr @stride_PARAMETERS_D, align 4
  %46 = sext i32 %45 to i64
  %47 = mul nsw i64 %44, %46
  %48 = getelementptr inbounds i32, ptr @of_PARAMETERS_D, i64 %47
  %49 = load i32, ptr %48, align 4
  %50 = zext nneg i32 %.0136 to i64
  %51 = getelementptr inbounds nuw i32, ptr @input_places, i64 %50
  %52 = load i32, ptr %51, align 4
  %53 = add nsw i32 %49, %52
  %54 = call double @number(ptr nonnull %0, i32 %53)
  %55 = call ptr @input_of(ptr nonnull %0, i32 %.0136)
  %56 = load double, ptr %55, align 8
  %57 = getelementptr inbounds nuw double, ptr %6, i64 %50
  store double %56, ptr %57, align 8
  %58 = call double @llvm.fabs.f64(double %54)
  %59 = call double @llvm.fabs.f64(double %56)
  %60 = call double @llvm.maxnum.f64(double %59, double 1.000000e+00)
  %61 = fdiv double %58, %60
  %62 = call double @llvm.maxnum.f64(double %.0135, double %61)
  %63 = add nuw nsw i32 %.0136, 1
  br label %39

64:                                               ; preds = %39, %67
  %.1 = phi double [ %85, %67 ], [ %.0135, %39 ]
  %.0134 = phi i32 [ %86, %67 ], [ 0, %39 ]
  %65 = load i32, ptr @COORDINATES, align 4
  %66 = icmp slt i32 %.0134, %65
  br i1 %66, label %67, label %87

67:                                               ; preds = %64
  %68 = zext nneg i32 %.0134 to i64
  %69 = getelementptr inbounds nuw double, ptr %25, i64 %68
  %70 = load double, ptr %69, align 8
  %71 = call double @llvm.fabs.f64(double %70)
  %72 = load ptr, ptr %0, align 8
  %73 = getelementptr inbounds i64, ptr %72, i64 %9
  %74 = load i64, ptr %73, align 8
  %75 = load i32, ptr @stride_SCALES, align 4
  %76 = sext i32 %75 to i64
  %77 = mul nsw i64 %74, %76
  %78 = getelementptr inbounds i32, ptr @of_SCALES, i64 %77
  %79 = load i32, ptr %78, align 4
  %80 = load i32, ptr @SPEEDS, align 4
  %81 = add nsw i32 %79, %80
  %82 = add nsw i32 %81, %.0134
  %83 = call double @number(ptr nonnull %0, i32 %82)
  %84 = fdiv double %71, %83
  %85 = call double @llvm.maxnum.f64(double %.1, double %84)
  %86 = add nuw nsw i32 %.0134, 1
  br label %64

87:                                               ; preds = %64, %90
  %.2 = phi double [ %106, %90 ], [ %.1, %64 ]
  %.0133 = phi i32 [ %107, %90 ], [ 0, %64 ]
  %88 = load i32, ptr @SPEEDS, align 4
  %89 = icmp slt i32 %.0133, %88
  br i1 %89, label %90, label %108

90:                                               ; preds = %87
  %91 = zext nneg i32 %.0133 to i64
  %92 = getelementptr inbounds nuw double, ptr %34, i64 %91
  %93 = load double, ptr %92, align 8
  %94 = call double @llvm.fabs.f64(double %93)
  %95 = load ptr, ptr %0, align 8
  %96 = getelementptr inbounds i64, ptr %95, i64 %9
  %97 = load i64, ptr %96, align 8
  %98 = load i32, ptr @stride_SCALES, align 4
  %99 = sext i32 %98 to i64
  %100 = mul nsw i64 %97, %99
  %101 = getelementptr inbounds i32, ptr @of_SCALES, i64 %100
  %102 = load i32, ptr %101, align 4
  %103 = add nsw i32 %102, %.0133
  %104 = call double @number(ptr nonnull %0, i32 %103)
  %105 = fdiv double %94, %104
  %106 = call double @llvm.maxnum.f64(double %.2, double %105)
  %107 = add nuw nsw i32 %.0133, 1
  br label %87

108:                                              ; preds = %87
  %109 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %110 = load ptr, ptr %109, align 8
  %111 = load ptr, ptr %0, align 8
  %112 = getelementptr inbounds i64, ptr %111, i64 %9
  %113 = load i64, ptr %112, align 8
  %114 = load i32, ptr @stride_WIDTH, align 4
  %115 = sext i32 %114 to i64
  %116 = mul nsw i64 %113, %115
  %117 = getelementptr inbounds i32, ptr @of_WIDTH, i64 %116
  %118 = load i32, ptr %117, align 4
  %119 = sext i32 %118 to i64
  %120 = shl nsw i64 %119, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %110, ptr align 1 %38, i64 %120, i1 false)
  %121 = getelementptr inbounds nuw i8, ptr %1, i64 56
  %122 = load ptr, ptr %121, align 8
  %123 = load i32, ptr @OUTPUTS, align 4
  %124 = sext i32 %123 to i64
  %125 = shl nsw i64 %124, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %122, ptr align 1 %36, i64 %125, i1 false)
  %126 = load ptr, ptr %0, align 8
  %127 = load i32, ptr @REMEMBERED, align 4
  %128 = sext i32 %127 to i64
  %129 = getelementptr inbounds i64, ptr %126, i64 %128
  %130 = getelementptr inbounds i64, ptr %126, i64 %9
  %131 = load i64, ptr %130, align 8
  %132 = mul nsw i64 %131, %13
  %133 = getelementptr inbounds i32, ptr @of_REMEMBERED_SIZE, i64 %132
  %134 = load i32, ptr %133, align 4
  %135 = sext i32 %134 to i64
  %136 = shl nsw i64 %135, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %19, ptr align 1 %129, i64 %136, i1 false)
  br label %137

137:                                              ; preds = %139, %108
  %.0132 = phi i32 [ 0, %108 ], [ %144, %139 ]
  %138 = icmp slt i32 %.0132, %123
  br i1 %138, label %139, label %145

139:                                              ; preds = %137
  %140 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %141 = load ptr, ptr %140, align 8
  %142 = zext nneg i32 %.0132 to i64
  %143 = getelementptr inbounds nuw double, ptr %141, i64 %142
  store double 0.000000e+00, ptr %143, align 8
  %144 = add nuw nsw i32 %.0132, 1
  br label %137

145:                                              ; preds = %137
  %146 = fcmp ogt double %.2, 0.000000e+00
  %147 = fdiv double 1.000000e-03, %.2
  %148 = select i1 %146, double %147, double 0.000000e+00
  br label %149

149:                                              ; preds = %174, %145
  %.0137 = phi i32 [ 0, %145 ], [ %176, %174 ]
  %.0130 = phi i32 [ 0, %145 ], [ %177, %174 ]
  %150 = icmp slt i32 %.0130, %123
  br i1 %150, label %151, label %178

151:                                              ; preds = %149
  %152 = load i32, ptr @OUTPUT_COLUMNS, align 4
  %153 = zext i32 %152 to i64
  %154 = load ptr, ptr %0, align 8
  %155 = getelementptr inbounds i64, ptr %154, i64 %9
  %156 = load i64, ptr %155, align 8
  %157 = mul nsw i64 %156, %153
  %158 = getelementptr inbounds i32, ptr @flat_output_places, i64 %157
  %159 = zext nneg i32 %.0130 to i64
  %160 = getelementptr inbounds nuw i32, ptr %158, i64 %159
  %161 = load i32, ptr %160, align 4
  %162 = icmp slt i32 %161, 0
  br i1 %162, label %174, label %163

163:                                              ; preds = %151
  %164 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %165 = load i32, ptr %164, align 4
  %166 = load i32, ptr @stride_ROWS, align 4
  %167 = sext i32 %166 to i64
  %168 = mul nsw i64 %156, %167
  %169 = getelementptr inbounds i32, ptr @of_ROWS, i64 %168
  %170 = load i32, ptr %169, align 4
  %171 = add nsw i32 %88, %170
  %172 = icmp slt i32 %165, %171
  %173 = zext i1 %172 to i32
  br label %174

174:                                              ; preds = %163, %151
  %175 = phi i32 [ 1, %151 ], [ %173, %163 ]
  %176 = or i32 %.0137, %175
  %177 = add nuw nsw i32 %.0130, 1
  br label %149

178:                                              ; preds = %149
  %.not = icmp eq i32 %.0137, 0
  %.0131 = select i1 %.not, double 0.000000e+00, double %148
  br label %179

179:                                              ; preds = %219, %178
  %.0129 = phi i32 [ 3, %178 ], [ %220, %219 ]
  %180 = icmp sgt i32 %.0129, 0
  %181 = fcmp ogt double %.0131, 0.000000e+00
  %spec.select = select i1 %180, i1 %181, i1 false
  br i1 %spec.select, label %182, label %221

182:                                              ; preds = %179, %217
  %.0128 = phi i32 [ %218, %217 ], [ -1, %179 ]
  %183 = icmp slt i32 %.0128, 2
  br i1 %183, label %184, label %219

184:                                              ; preds = %182
  %185 = load ptr, ptr %0, align 8
  %186 = getelementptr inbounds i64, ptr %185, i64 %128
  %187 = getelementptr inbounds i64, ptr %185, i64 %9
  %188 = load i64, ptr %187, align 8
  %189 = mul nsw i64 %188, %13
  %190 = getelementptr inbounds i32, ptr @of_REMEMBERED_SIZE, i64 %189
  %191 = load i32, ptr %190, align 4
  %192 = sext i32 %191 to i64
  %193 = shl nsw i64 %192, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %186, ptr nonnull align 8 %19, i64 %193, i1 false)
  %194 = mul nsw i32 %.0128, %.0129
  %195 = sitofp i32 %194 to double
  %196 = fmul double %.0131, %195
  call void @look_beside(ptr nonnull %0, ptr %1, double %196, ptr nonnull %6)
  br label %197

197:                                              ; preds = %199, %184
  %.0127 = phi i32 [ 0, %184 ], [ %216, %199 ]
  %198 = icmp slt i32 %.0127, %123
  br i1 %198, label %199, label %217

199:                                              ; preds = %197
  %200 = sitofp i32 %.0128 to double
  %201 = zext nneg i32 %.0129 to i64
  %202 = getelementptr double, ptr @follow_outputs.weights, i64 %201
  %203 = getelementptr i8, ptr %202, i64 -8
  %204 = load double, ptr %203, align 8
  %205 = fmul double %204, %200
  %206 = zext nneg i32 %.0127 to i64
  %207 = getelementptr inbounds nuw double, ptr %36, i64 %206
  %208 = load double, ptr %207, align 8
  %209 = fmul double %205, %208
  %210 = fdiv double %209, %.0131
  %211 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %212 = load ptr, ptr %211, align 8
  %213 = getelementptr inbounds nuw double, ptr %212, i64 %206
  %214 = load double, ptr %213, align 8
  %215 = fadd double %214, %210
  store double %215, ptr %213, align 8
  %216 = add nuw nsw i32 %.0127, 1
  br label %197

217:                                              ; preds = %197
  %218 = add nsw i32 %.0128, 2
  br label %182

219:                                              ; preds = %182
  %220 = add nsw i32 %.0129, -1
  br label %179

221:                                              ; preds = %179
  %222 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %223 = load i32, ptr %222, align 4
  %224 = load ptr, ptr %0, align 8
  %225 = getelementptr inbounds i64, ptr %224, i64 %9
  %226 = load i64, ptr %225, align 8
  %227 = load i32, ptr @stride_ROWS, align 4
  %228 = sext i32 %227 to i64
  %229 = mul nsw i64 %226, %228
  %230 = getelementptr inbounds i32, ptr @of_ROWS, i64 %229
  %231 = load i32, ptr %230, align 4
  %232 = add nsw i32 %88, %231
  %233 = icmp slt i32 %223, %232
  br i1 %233, label %234, label %281

234:                                              ; preds = %221
  call void @look_beside(ptr nonnull %0, ptr %1, double 0.000000e+00, ptr nonnull %6)
  call void @find_open(ptr nonnull %0, ptr %1)
  br label %235

235:                                              ; preds = %243, %234
  %.0126 = phi i32 [ 0, %234 ], [ %257, %243 ]
  %236 = load ptr, ptr %0, align 8
  %237 = getelementptr inbounds i64, ptr %236, i64 %9
  %238 = load i64, ptr %237, align 8
  %239 = mul nsw i64 %238, %228
  %240 = getelementptr inbounds i32, ptr @of_ROWS, i64 %239
  %241 = load i32, ptr %240, align 4
  %242 = icmp slt i32 %.0126, %241
  br i1 %242, label %243, label %258

243:                                              ; preds = %235
  %244 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %245 = load ptr, ptr %244, align 8
  %246 = add nsw i32 %88, %.0126
  %247 = sext i32 %246 to i64
  %248 = getelementptr inbounds double, ptr %245, i64 %247
  %249 = load double, ptr %248, align 8
  %250 = shl nsw i32 %88, 1
  %251 = add nsw i32 %65, %250
  %252 = add nsw i32 %251, %.0126
  %253 = sext i32 %252 to i64
  %254 = getelementptr inbounds double, ptr %38, i64 %253
  %255 = load double, ptr %254, align 8
  %256 = fadd double %255, %249
  store double %256, ptr %254, align 8
  %257 = add nuw nsw i32 %.0126, 1
  br label %235

258:                                              ; preds = %235
  call void @spread(ptr nonnull %0)
  %259 = load ptr, ptr %0, align 8
  call void @call_outputs(ptr %259)
  br label %260

260:                                              ; preds = %279, %258
  %.0125 = phi i32 [ 0, %258 ], [ %280, %279 ]
  %261 = icmp slt i32 %.0125, %123
  br i1 %261, label %262, label %281

262:                                              ; preds = %260
  %263 = zext nneg i32 %.0125 to i64
  %264 = getelementptr inbounds nuw double, ptr %36, i64 %263
  %265 = load double, ptr %264, align 8
  %266 = load ptr, ptr %121, align 8
  %267 = getelementptr inbounds nuw double, ptr %266, i64 %263
  %268 = load double, ptr %267, align 8
  %269 = fsub double %265, %268
  %270 = call double @llvm.fabs.f64(double %269)
  %271 = call double @llvm.fabs.f64(double %268)
  %272 = call double @llvm.maxnum.f64(double %271, double 1.000000e+00)
  %273 = fmul double %272, 1.000000e-09
  %274 = fcmp ogt double %270, %273
  br i1 %274, label %275, label %279

275:                                              ; preds = %262
  %276 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %277 = load ptr, ptr %276, align 8
  %278 = getelementptr inbounds nuw double, ptr %277, i64 %263
  store double 0x7FF8000000000000, ptr %278, align 8
  br label %279

279:                                              ; preds = %262, %275
  %280 = add nuw nsw i32 %.0125, 1
  br label %260

281:                                              ; preds = %260, %221
  %282 = load ptr, ptr %0, align 8
  %283 = getelementptr inbounds i64, ptr %282, i64 %128
  %284 = getelementptr inbounds i64, ptr %282, i64 %9
  %285 = load i64, ptr %284, align 8
  %286 = mul nsw i64 %285, %13
  %287 = getelementptr inbounds i32, ptr @of_REMEMBERED_SIZE, i64 %286
  %288 = load i32, ptr %287, align 4
  %289 = sext i32 %288 to i64
  %290 = shl nsw i64 %289, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %283, ptr nonnull align 8 %19, i64 %290, i1 false)
  call void @look_beside(ptr nonnull %0, ptr %1, double 0.000000e+00, ptr nonnull %6)
  %291 = load ptr, ptr %0, align 8
  %292 = getelementptr inbounds i64, ptr %291, i64 %128
  %293 = getelementptr inbounds i64, ptr %291, i64 %9
  %294 = load i64, ptr %293, align 8
  %295 = mul nsw i64 %294, %13
  %296 = getelementptr inbounds i32, ptr @of_REMEMBERED_SIZE, i64 %295
  %297 = load i32, ptr %296, align 4
  %298 = sext i32 %297 to i64
  %299 = shl nsw i64 %298, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %292, ptr nonnull align 8 %19, i64 %299, i1 false)
  %300 = load ptr, ptr %121, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %36, ptr align 1 %300, i64 %125, i1 false)
  br label %301

301:                                              ; preds = %341, %281
  %.0 = phi i32 [ 0, %281 ], [ %342, %341 ]
  %302 = icmp slt i32 %.0, %123
  br i1 %302, label %303, label %343

303:                                              ; preds = %301
  %304 = load i32, ptr @OUTPUT_COLUMNS, align 4
  %305 = zext i32 %304 to i64
  %306 = load ptr, ptr %0, align 8
  %307 = getelementptr inbounds i64, ptr %306, i64 %9
  %308 = load i64, ptr %307, align 8
  %309 = mul nsw i64 %308, %305
  %310 = getelementptr inbounds i32, ptr @flat_output_places, i64 %309
  %311 = zext nneg i32 %.0 to i64
  %312 = getelementptr inbounds nuw i32, ptr %310, i64 %311
  %313 = load i32, ptr %312, align 4
  %314 = icmp sgt i32 %313, -1
  br i1 %314, label %315, label %341

315:                                              ; preds = %303
  %316 = shl nsw i32 %88, 1
  %317 = add nsw i32 %65, %316
  %318 = icmp slt i32 %313, %317
  br i1 %318, label %332, label %319

319:                                              ; preds = %315
  %320 = load i32, ptr %222, align 4
  %321 = mul nsw i64 %308, %228
  %322 = getelementptr inbounds i32, ptr @of_ROWS, i64 %321
  %323 = load i32, ptr %322, align 4
  %324 = add nsw i32 %88, %323
  %325 = icmp eq i32 %320, %324
  br i1 %325, label %332, label %326

326:                                              ; preds = %319
  %327 = mul nsw i64 %308, %115
  %328 = getelementptr inbounds i32, ptr @of_WIDTH, i64 %327
  %329 = load i32, ptr %328, align 4
  %330 = add nsw i32 %329, -1
  %331 = icmp eq i32 %313, %330
  br i1 %331, label %332, label %341

332:                                              ; preds = %326, %319, %315
  %333 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %334 = load ptr, ptr %333, align 8
  %335 = zext nneg i32 %313 to i64
  %336 = getelementptr inbounds nuw double, ptr %334, i64 %335
  %337 = load double, ptr %336, align 8
  %338 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %339 = load ptr, ptr %338, align 8
  %340 = getelementptr inbounds nuw double, ptr %339, i64 %311
  store double %337, ptr %340, align 8
  br label %341

341:                                              ; preds = %303, %326, %332
  %342 = add nuw nsw i32 %.0, 1
  br label %301

343:                                              ; preds = %301
  ret void
}

define internal i32 @rises(ptr %0, i32 %1) {
  %3 = load i32, ptr @RISING, align 4
  %4 = add nsw i32 %3, %1
  %5 = call double @number(ptr %0, i32 %4)
  %6 = load i32, ptr @TIME, align 4
  %7 = call double @number(ptr %0, i32 %6)
  %8 = call double @number(ptr %0, i32 %6)
  %9 = call double @same_time(double %8)
  %10 = fadd double %7, %9
  %11 = fcmp ogt double %5, %10
  %12 = zext i1 %11 to i32
  ret i32 %12
}

declare double @llvm.pow.f64(double, double) #3

define internal void @swap(ptr %0, ptr %1) {
  %3 = load i64, ptr %0, align 8
  %4 = load i64, ptr %1, align 8
  store i64 %4, ptr %0, align 8
  store i64 %3, ptr %1, align 8
  ret void
}

define internal void @look_beside(ptr %0, ptr %1, double %2, ptr %3) {
  %5 = load i32, ptr @ROW, align 4
  %6 = call ptr @numbers(ptr %0, i32 %5)
  br label %7

7:                                                ; preds = %19, %4
  %.022 = phi i32 [ 0, %4 ], [ %32, %19 ]
  %8 = load ptr, ptr %0, align 8
  %9 = load i32, ptr @PHASE, align 4
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds i64, ptr %8, i64 %10
  %12 = load i64, ptr %11, align 8
  %13 = load i32, ptr @stride_WIDTH, align 4
  %14 = sext i32 %13 to i64
  %15 = mul nsw i64 %12, %14
  %16 = getelementptr inbounds i32, ptr @of_WIDTH, i64 %15
  %17 = load i32, ptr %16, align 4
  %18 = icmp slt i32 %.022, %17
  br i1 %18, label %19, label %33

19:                                               ; preds = %7
  %20 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %21 = load ptr, ptr %20, align 8
  %22 = zext nneg i32 %.022 to i64
  %23 = getelementptr inbounds nuw double, ptr %21, i64 %22
  %24 = load double, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %26 = load ptr, ptr %25, align 8
  %27 = getelementptr inbounds nuw double, ptr %26, i64 %22
  %28 = load double, ptr %27, align 8
  %29 = fmul double %2, %28
  %30 = fadd double %24, %29
  %31 = getelementptr inbounds nuw double, ptr %6, i64 %22
  store double %30, ptr %31, align 8
  %32 = add nuw nsw i32 %.022, 1
  br label %7

33:                                               ; preds = %7, %36
  %.0 = phi i32 [ %55, %36 ], [ 0, %7 ]
  %34 = load i32, ptr @INPUTS, align 4
  %35 = icmp slt i32 %.0, %34
  br i1 %35, label %36, label %56

36:                                               ; preds = %33
  %37 = zext nneg i32 %.0 to i64
  %38 = getelementptr inbounds nuw double, ptr %3, i64 %37
  %39 = load double, ptr %38, align 8
  %40 = load ptr, ptr %0, align 8
  %41 = getelementptr inbounds i64, ptr %40, i64 %10
  %42 = load i64, ptr %41, align 8
  %43 = load i32, ptr @stride_PARAMETERS_D, align 4
  %44 = sext i32 %43 to i64
  %45 = mul nsw i64 %42, %44
  %46 = getelementptr inbounds i32, ptr @of_PARAMETERS_D, i64 %45
  %47 = load i32, ptr %46, align 4
  %48 = getelementptr inbounds nuw i32, ptr @input_places, i64 %37
  %49 = load i32, ptr %48, align 4
  %50 = add nsw i32 %47, %49
  %51 = call double @number(ptr nonnull %0, i32 %50)
  %52 = fmul double %2, %51
  %53 = fadd double %39, %52
  %54 = call ptr @input_of(ptr nonnull %0, i32 %.0)
  store double %53, ptr %54, align 8
  %55 = add nuw nsw i32 %.0, 1
  br label %33

56:                                               ; preds = %33
  call void @spread(ptr nonnull %0)
  %57 = load ptr, ptr %0, align 8
  call void @call_outputs(ptr %57)
  ret void
}

define internal void @find_open(ptr %0, ptr %1) {
  %3 = load ptr, ptr %0, align 8
  %4 = load i32, ptr @PHASE, align 4
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds i64, ptr %3, i64 %5
  %7 = load i64, ptr %6, align 8
  %8 = load i32, ptr @stride_MATRIX, align 4
  %9 = sext i32 %8 to i64
  %10 = mul nsw i64 %7, %9
  %11 = getelementptr inbounds i32, ptr @of_MATRIX, i64 %10
  %12 = load i32, ptr %11, align 4
  %13 = call ptr @numbers(ptr nonnull %0, i32 %12)
  %14 = load ptr, ptr %0, align 8
  %15 = getelementptr inbounds i64, ptr %14, i64 %5
  %16 = load i64, ptr %15, align 8
  %17 = load i32, ptr @stride_PIVOTS, align 4
  %18 = sext i32 %17 to i64
  %19 = mul nsw i64 %16, %18
  %20 = getelementptr inbounds i32, ptr @of_PIVOTS, i64 %19
  %21 = load i32, ptr %20, align 4
  %22 = sext i32 %21 to i64
  %23 = getelementptr inbounds i64, ptr %14, i64 %22
  %24 = load i32, ptr @SPEEDS, align 4
  %25 = load i32, ptr @stride_ROWS, align 4
  %26 = sext i32 %25 to i64
  %27 = mul nsw i64 %16, %26
  %28 = getelementptr inbounds i32, ptr @of_ROWS, i64 %27
  %29 = load i32, ptr %28, align 4
  %30 = add nsw i32 %24, %29
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds i64, ptr %23, i64 %31
  br label %33

33:                                               ; preds = %36, %2
  %.051.in = phi i32 [ %30, %2 ], [ %.051, %36 ]
  %34 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %35 = load i32, ptr %34, align 4
  %.not.not = icmp sgt i32 %.051.in, %35
  br i1 %.not.not, label %36, label %55

36:                                               ; preds = %33
  %.051 = add nsw i32 %.051.in, -1
  %37 = load ptr, ptr %0, align 8
  %38 = getelementptr inbounds i64, ptr %37, i64 %5
  %39 = load i64, ptr %38, align 8
  %40 = mul nsw i64 %39, %26
  %41 = getelementptr inbounds i32, ptr @of_ROWS, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = add nsw i32 %24, %42
  %44 = sub nsw i32 %43, %.051
  %45 = srem i32 %44, 7
  %46 = sitofp i32 %45 to double
  %47 = fmul double %46, 1.000000e-01
  %48 = fadd double %47, 1.000000e+00
  %49 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %50 = load ptr, ptr %49, align 8
  %51 = sext i32 %.051 to i64
  %52 = getelementptr inbounds i64, ptr %32, i64 %51
  %53 = load i64, ptr %52, align 8
  %54 = getelementptr inbounds double, ptr %50, i64 %53
  store double %48, ptr %54, align 8
  br label %33

55:                                               ; preds = %33, %85
  %.050.in = phi i32 [ %.050, %85 ], [ %35, %33 ]
  %.050 = add nsw i32 %.050.in, -1
  %56 = icmp sgt i32 %.050.in, 0
  br i1 %56, label %57, label %100

57:                                               ; preds = %55, %66
  %.049 = phi double [ %83, %66 ], [ 0.000000e+00, %55 ]
  %.048 = phi i32 [ %84, %66 ], [ %.050.in, %55 ]
  %58 = load ptr, ptr %0, align 8
  %59 = getelementptr inbounds i64, ptr %58, i64 %5
  %60 = load i64, ptr %59, align 8
  %61 = mul nsw i64 %60, %26
  %62 = getelementptr inbounds i32, ptr @of_ROWS, i64 %61
  %63 = load i32, ptr %62, align 4
  %64 = add nsw i32 %24, %63
  %65 = icmp slt i32 %.048, %64
  br i1 %65, label %66, label %85

66:                                               ; preds = %57
  %67 = sext i32 %.050 to i64
  %68 = getelementptr inbounds i64, ptr %23, i64 %67
  %69 = load i64, ptr %68, align 8
  %70 = sext i32 %64 to i64
  %71 = mul nsw i64 %69, %70
  %72 = zext nneg i32 %.048 to i64
  %73 = getelementptr inbounds nuw i64, ptr %32, i64 %72
  %74 = load i64, ptr %73, align 8
  %75 = getelementptr double, ptr %13, i64 %71
  %76 = getelementptr double, ptr %75, i64 %74
  %77 = load double, ptr %76, align 8
  %78 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %79 = load ptr, ptr %78, align 8
  %80 = getelementptr inbounds double, ptr %79, i64 %74
  %81 = load double, ptr %80, align 8
  %82 = fmul double %77, %81
  %83 = fsub double %.049, %82
  %84 = add nuw nsw i32 %.048, 1
  br label %57

85:                                               ; preds = %57
  %86 = sext i32 %.050 to i64
  %87 = getelementptr inbounds i64, ptr %23, i64 %86
  %88 = load i64, ptr %87, align 8
  %89 = sext i32 %64 to i64
  %90 = mul nsw i64 %88, %89
  %91 = getelementptr inbounds i64, ptr %32, i64 %86
  %92 = load i64, ptr %91, align 8
  %93 = getelementptr double, ptr %13, i64 %90
  %94 = getelementptr double, ptr %93, i64 %92
  %95 = load double, ptr %94, align 8
  %96 = fdiv double %.049, %95
  %97 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %98 = load ptr, ptr %97, align 8
  %99 = getelementptr inbounds double, ptr %98, i64 %92
  store double %96, ptr %99, align 8
  br label %55

100:                                              ; preds = %55, %109
  %.0 = phi i32 [ %120, %109 ], [ 0, %55 ]
  %101 = load ptr, ptr %0, align 8
  %102 = getelementptr inbounds i64, ptr %101, i64 %5
  %103 = load i64, ptr %102, align 8
  %104 = mul nsw i64 %103, %26
  %105 = getelementptr inbounds i32, ptr @of_ROWS, i64 %104
  %106 = load i32, ptr %105, align 4
  %107 = add nsw i32 %24, %106
  %108 = icmp slt i32 %.0, %107
  br i1 %108, label %109, label %121

109:                                              ; preds = %100
  %110 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %111 = load ptr, ptr %110, align 8
  %112 = zext nneg i32 %.0 to i64
  %113 = getelementptr inbounds nuw double, ptr %111, i64 %112
  %114 = load double, ptr %113, align 8
  %115 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %116 = load ptr, ptr %115, align 8
  %117 = getelementptr inbounds nuw double, ptr %116, i64 %112
  %118 = load double, ptr %117, align 8
  %119 = fmul double %118, %114
  store double %119, ptr %117, align 8
  %120 = add nuw nsw i32 %.0, 1
  br label %100

121:                                              ; preds = %100
  ret void
}

define internal i32 @has_drifted(ptr %0, ptr %1) {
  %3 = load i32, ptr @Z, align 4
  %4 = call ptr @numbers(ptr %0, i32 %3)
  %5 = load i32, ptr @KEPT, align 4
  %6 = call ptr @numbers(ptr %0, i32 %5)
  %7 = load ptr, ptr %0, align 8
  %8 = load i32, ptr @PHASE, align 4
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds i64, ptr %7, i64 %9
  %11 = load i64, ptr %10, align 8
  %12 = load i32, ptr @stride_BESIDE_SIZE, align 4
  %13 = sext i32 %12 to i64
  %14 = mul nsw i64 %11, %13
  %15 = getelementptr inbounds i32, ptr @of_BESIDE_SIZE, i64 %14
  %16 = load i32, ptr %15, align 4
  %17 = zext i32 %16 to i64
  %18 = alloca double, i64 %17, align 8
  %19 = load ptr, ptr %0, align 8
  %20 = getelementptr inbounds i64, ptr %19, i64 %9
  %21 = load i64, ptr %20, align 8
  %22 = load i32, ptr @stride_STATUS_SIZE, align 4
  %23 = sext i32 %22 to i64
  %24 = mul nsw i64 %21, %23
  %25 = getelementptr inbounds i32, ptr @of_STATUS_SIZE, i64 %24
  %26 = load i32, ptr %25, align 4
  %27 = zext i32 %26 to i64
  %28 = alloca i64, i64 %27, align 8
  %29 = load i32, ptr @STATE, align 4
  %30 = sext i32 %29 to i64
  %31 = shl nsw i64 %30, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %6, ptr align 1 %4, i64 %31, i1 false)
  %32 = load ptr, ptr %0, align 8
  %33 = getelementptr inbounds i64, ptr %32, i64 %9
  %34 = load i64, ptr %33, align 8
  %35 = load i32, ptr @stride_BESIDE, align 4
  %36 = sext i32 %35 to i64
  %37 = mul nsw i64 %34, %36
  %38 = getelementptr inbounds i32, ptr @of_BESIDE, i64 %37
  %39 = load i32, ptr %38, align 4
  %40 = sext i32 %39 to i64
  %41 = getelementptr inbounds i64, ptr %32, i64 %40
  %42 = shl nuw nsw i64 %17, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %18, ptr align 1 %41, i64 %42, i1 false)
  %43 = load i32, ptr @stride_STATUS, align 4
  %44 = sext i32 %43 to i64
  %45 = mul nsw i64 %34, %44
  %46 = getelementptr inbounds i32, ptr @of_STATUS, i64 %45
  %47 = load i32, ptr %46, align 4
  %48 = sext i32 %47 to i64
  %49 = getelementptr inbounds i64, ptr %32, i64 %48
  %50 = shl nuw nsw i64 %27, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %28, ptr align 1 %49, i64 %50, i1 false)
  %51 = call i32 @project(ptr nonnull %0)
  %.not = icmp eq i32 %51, 0
  br i1 %.not, label %52, label %91

52:                                               ; preds = %2, %54
  %.031 = phi double [ %66, %54 ], [ 0.000000e+00, %2 ]
  %.0 = phi i32 [ %67, %54 ], [ 0, %2 ]
  %53 = icmp slt i32 %.0, %29
  br i1 %53, label %54, label %68

54:                                               ; preds = %52
  %55 = zext nneg i32 %.0 to i64
  %56 = getelementptr inbounds nuw double, ptr %4, i64 %55
  %57 = load double, ptr %56, align 8
  %58 = getelementptr inbounds nuw double, ptr %6, i64 %55
  %59 = load double, ptr %58, align 8
  %60 = fsub double %57, %59
  %61 = call double @llvm.fabs.f64(double %60)
  %62 = load i32, ptr @NOMINALS, align 4
  %63 = add nsw i32 %62, %.0
  %64 = call double @number(ptr nonnull %0, i32 %63)
  %65 = fdiv double %61, %64
  %66 = call double @llvm.maxnum.f64(double %.031, double %65)
  %67 = add nuw nsw i32 %.0, 1
  br label %52

68:                                               ; preds = %52
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %4, ptr align 1 %6, i64 %31, i1 false)
  %69 = load ptr, ptr %0, align 8
  %70 = getelementptr inbounds i64, ptr %69, i64 %9
  %71 = load i64, ptr %70, align 8
  %72 = mul nsw i64 %71, %36
  %73 = getelementptr inbounds i32, ptr @of_BESIDE, i64 %72
  %74 = load i32, ptr %73, align 4
  %75 = sext i32 %74 to i64
  %76 = getelementptr inbounds i64, ptr %69, i64 %75
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %76, ptr nonnull align 8 %18, i64 %42, i1 false)
  %77 = load ptr, ptr %0, align 8
  %78 = getelementptr inbounds i64, ptr %77, i64 %9
  %79 = load i64, ptr %78, align 8
  %80 = mul nsw i64 %79, %44
  %81 = getelementptr inbounds i32, ptr @of_STATUS, i64 %80
  %82 = load i32, ptr %81, align 4
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds i64, ptr %77, i64 %83
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %84, ptr nonnull align 8 %28, i64 %50, i1 false)
  %85 = load i32, ptr @CONTROL, align 4
  %86 = load i32, ptr @CONTROL_TOLERANCE, align 4
  %87 = add nsw i32 %85, %86
  %88 = call double @number(ptr nonnull %0, i32 %87)
  %89 = fcmp ogt double %.031, %88
  %90 = zext i1 %89 to i32
  store i32 %90, ptr %1, align 4
  br label %91

91:                                               ; preds = %2, %68
  %.030 = phi i32 [ 0, %68 ], [ -1, %2 ]
  ret i32 %.030
}

define internal i32 @project(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = call i64 @call_accept(ptr %2)
  %4 = load i32, ptr @CODE_OK, align 4
  %5 = sext i32 %4 to i64
  %6 = icmp sgt i64 %3, %5
  br i1 %6, label %7, label %9

7:                                                ; preds = %1
  %8 = call i32 @blame(ptr nonnull %0)
  br label %18

9:                                                ; preds = %1
  %10 = load ptr, ptr %0, align 8
  %11 = load i32, ptr @TURNED, align 4
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds i64, ptr %10, i64 %12
  store i64 1, ptr %13, align 8
  %14 = load ptr, ptr %0, align 8
  %15 = load i32, ptr @FRESH_RATES, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds i64, ptr %14, i64 %16
  store i64 0, ptr %17, align 8
  br label %18

18:                                               ; preds = %9, %7
  %.0 = phi i32 [ %8, %7 ], [ 0, %9 ]
  ret i32 %.0
}

define internal i32 @take_samples(ptr %0, ptr %1) {
  %3 = load i32, ptr @CONTROL, align 4
  %4 = call ptr @numbers(ptr %0, i32 %3)
  %5 = load i32, ptr @CONTROL_TIME, align 4
  %6 = sext i32 %5 to i64
  %7 = getelementptr inbounds double, ptr %4, i64 %6
  %8 = load double, ptr %7, align 8
  %9 = call double @llvm.fabs.f64(double %8)
  %10 = call double @llvm.maxnum.f64(double %9, double 1.000000e+00)
  %11 = fmul double %10, 2.000000e-12
  store i32 0, ptr %1, align 4
  %12 = load i32, ptr @CONTROL_SAMPLED, align 4
  %13 = sext i32 %12 to i64
  %14 = getelementptr inbounds double, ptr %4, i64 %13
  %15 = load double, ptr %14, align 8
  %16 = fsub double %8, %15
  %17 = fcmp ugt double %16, %11
  br i1 %17, label %18, label %69

18:                                               ; preds = %2, %21
  %.031 = phi i32 [ %54, %21 ], [ 0, %2 ]
  %19 = load i32, ptr @CLOCKS, align 4
  %20 = icmp slt i32 %.031, %19
  br i1 %20, label %21, label %55

21:                                               ; preds = %18
  %22 = load i32, ptr @SAMPLES, align 4
  %23 = load i32, ptr @SAMPLE_COLUMNS, align 4
  %24 = mul nsw i32 %.031, %23
  %25 = add nsw i32 %22, %24
  %26 = call ptr @numbers(ptr %0, i32 %25)
  %27 = load i32, ptr @SAMPLE_FIRST, align 4
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds double, ptr %26, i64 %28
  %30 = load double, ptr %29, align 8
  %31 = fsub double %8, %30
  %32 = load i32, ptr @SAMPLE_PERIOD, align 4
  %33 = sext i32 %32 to i64
  %34 = getelementptr inbounds double, ptr %26, i64 %33
  %35 = load double, ptr %34, align 8
  %36 = fdiv double %31, %35
  %37 = fadd double %36, 5.000000e-01
  %38 = call double @llvm.floor.f64(double %37)
  %39 = call double @llvm.maxnum.f64(double %38, double 0.000000e+00)
  %40 = fmul double %39, %35
  %41 = fadd double %30, %40
  %42 = fsub double %41, %8
  %43 = call double @llvm.fabs.f64(double %42)
  %44 = fcmp ole double %43, %11
  %45 = zext i1 %44 to i32
  %46 = fcmp ole double %38, 0.000000e+00
  %47 = select i1 %46, double 2.000000e+00, double 1.000000e+00
  %48 = select i1 %44, double %47, double 0.000000e+00
  %49 = load i32, ptr @SAMPLE_DUE, align 4
  %50 = sext i32 %49 to i64
  %51 = getelementptr inbounds double, ptr %26, i64 %50
  store double %48, ptr %51, align 8
  %52 = load i32, ptr %1, align 4
  %53 = or i32 %52, %45
  store i32 %53, ptr %1, align 4
  %54 = add nuw nsw i32 %.031, 1
  br label %18

55:                                               ; preds = %18
  %56 = load i32, ptr %1, align 4
  %.not = icmp eq i32 %56, 0
  br i1 %.not, label %69, label %57

57:                                               ; preds = %55
  %58 = call i32 @tell(ptr %0)
  %.not32 = icmp eq i32 %58, 0
  br i1 %.not32, label %59, label %69

59:                                               ; preds = %57
  %60 = load ptr, ptr %0, align 8
  call void @call_sample(ptr %60)
  store double %8, ptr %14, align 8
  %61 = load ptr, ptr %0, align 8
  %62 = load i32, ptr @TURNED, align 4
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds i64, ptr %61, i64 %63
  store i64 1, ptr %64, align 8
  %65 = load ptr, ptr %0, align 8
  %66 = load i32, ptr @FRESH_RATES, align 4
  %67 = sext i32 %66 to i64
  %68 = getelementptr inbounds i64, ptr %65, i64 %67
  store i64 0, ptr %68, align 8
  br label %69

69:                                               ; preds = %57, %55, %2, %59
  %.0 = phi i32 [ 0, %2 ], [ 0, %55 ], [ 0, %59 ], [ -1, %57 ]
  ret i32 %.0
}

define internal double @next_sample(ptr %0, double %1) {
  %3 = call double @llvm.fabs.f64(double %1)
  %4 = call double @llvm.maxnum.f64(double %3, double 1.000000e+00)
  %5 = fmul double %4, 2.000000e-12
  br label %6

6:                                                ; preds = %32, %2
  %.021 = phi i32 [ 0, %2 ], [ %34, %32 ]
  %.020 = phi double [ 0x7FF0000000000000, %2 ], [ %33, %32 ]
  %7 = load i32, ptr @CLOCKS, align 4
  %8 = icmp slt i32 %.021, %7
  br i1 %8, label %9, label %35

9:                                                ; preds = %6
  %10 = load i32, ptr @SAMPLES, align 4
  %11 = load i32, ptr @SAMPLE_COLUMNS, align 4
  %12 = mul nsw i32 %.021, %11
  %13 = add nsw i32 %10, %12
  %14 = load i32, ptr @SAMPLE_FIRST, align 4
  %15 = add nsw i32 %13, %14
  %16 = call double @number(ptr %0, i32 %15)
  %17 = load i32, ptr @SAMPLE_PERIOD, align 4
  %18 = add nsw i32 %13, %17
  %19 = call double @number(ptr %0, i32 %18)
  %20 = fsub double %1, %16
  %21 = fdiv double %20, %19
  %22 = call double @llvm.floor.f64(double %21)
  %23 = fadd double %22, -1.000000e+00
  %24 = call double @llvm.maxnum.f64(double %23, double 0.000000e+00)
  br label %25

25:                                               ; preds = %30, %9
  %.0 = phi double [ %24, %9 ], [ %31, %30 ]
  %26 = fmul double %.0, %19
  %27 = fadd double %16, %26
  %28 = fsub double %27, %1
  %29 = fcmp ugt double %28, %5
  br i1 %29, label %32, label %30

30:                                               ; preds = %25
  %31 = fadd double %.0, 1.000000e+00
  br label %25

32:                                               ; preds = %25
  %33 = call double @llvm.minnum.f64(double %.020, double %27)
  %34 = add nuw nsw i32 %.021, 1
  br label %6

35:                                               ; preds = %6
  ret double %.020
}

define internal i32 @happen_in_event_mode(ptr %0, ptr %1) {
  %3 = load i32, ptr @EVENT_COUNT, align 4
  %4 = load i32, ptr @DUES_MOST, align 4
  %5 = add nsw i32 %3, %4
  %6 = zext i32 %5 to i64
  %7 = alloca i32, i64 %6, align 4
  %8 = load i32, ptr @TIME, align 4
  %9 = call double @number(ptr %0, i32 %8)
  %10 = load ptr, ptr %0, align 8
  %11 = load i32, ptr @ENDED_BY, align 4
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds i64, ptr %10, i64 %12
  %14 = load i64, ptr %13, align 8
  %.not = icmp eq i64 %14, 0
  br i1 %.not, label %15, label %177

15:                                               ; preds = %2
  %16 = call i32 @know_sides(ptr nonnull %0)
  %.not100 = icmp eq i32 %16, 0
  br i1 %.not100, label %17, label %177

17:                                               ; preds = %15
  %18 = call i32 @look_at_state(ptr nonnull %0)
  %.not101 = icmp eq i32 %18, 0
  br i1 %.not101, label %19, label %177

19:                                               ; preds = %17
  call void @forget_just(ptr nonnull %0)
  %20 = load i32, ptr @STOPS, align 4
  %.not102 = icmp eq i32 %20, 0
  br i1 %.not102, label %44, label %21

21:                                               ; preds = %19
  %22 = load ptr, ptr %0, align 8
  %23 = load i32, ptr @BEGINS, align 4
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds i64, ptr %22, i64 %24
  %26 = load i64, ptr %25, align 8
  %.not103 = icmp eq i64 %26, 0
  br i1 %.not103, label %44, label %27

27:                                               ; preds = %21
  store i64 0, ptr %25, align 8
  %28 = load ptr, ptr %0, align 8
  %29 = load i32, ptr @TURNED, align 4
  %30 = sext i32 %29 to i64
  %31 = getelementptr inbounds i64, ptr %28, i64 %30
  %32 = load i64, ptr %31, align 8
  %.not104 = icmp eq i64 %32, 0
  br i1 %.not104, label %35, label %33

33:                                               ; preds = %27
  %34 = call i32 @turn(ptr nonnull %0)
  %.not105 = icmp eq i32 %34, 0
  br i1 %.not105, label %35, label %177

35:                                               ; preds = %33, %27
  %36 = call i32 @pulls(ptr nonnull %0)
  %.not106 = icmp eq i32 %36, 0
  br i1 %.not106, label %44, label %37

37:                                               ; preds = %35
  %38 = call i32 @settle_again(ptr nonnull %0)
  %.not107 = icmp eq i32 %38, 0
  br i1 %.not107, label %39, label %177

39:                                               ; preds = %37
  %40 = call i32 @settle_sides(ptr nonnull %0)
  %.not108 = icmp eq i32 %40, 0
  br i1 %.not108, label %41, label %177

41:                                               ; preds = %39
  %42 = call i32 @look_at_state(ptr nonnull %0)
  %.not109 = icmp eq i32 %42, 0
  br i1 %.not109, label %43, label %177

43:                                               ; preds = %41
  store i32 1, ptr %1, align 4
  br label %44

44:                                               ; preds = %35, %43, %21, %19
  br label %45

45:                                               ; preds = %97, %44
  %.096 = phi i32 [ 0, %44 ], [ %98, %97 ]
  %.091 = phi i32 [ 0, %44 ], [ %.192, %97 ]
  %46 = icmp slt i32 %.096, %3
  br i1 %46, label %47, label %99

47:                                               ; preds = %45
  %48 = call ptr @line_of(ptr nonnull %0, i32 %.096)
  %49 = load i32, ptr @EVENT_SIDE, align 4
  %50 = sext i32 %49 to i64
  %51 = getelementptr inbounds double, ptr %48, i64 %50
  %52 = load double, ptr %51, align 8
  %53 = load i32, ptr @SEEN, align 4
  %54 = shl nuw nsw i32 %.096, 1
  %55 = add nsw i32 %53, %54
  %56 = call double @number(ptr nonnull %0, i32 %55)
  %57 = fmul double %52, %56
  %58 = load i32, ptr @MARGINS, align 4
  %59 = add nsw i32 %58, %.096
  %60 = call double @number(ptr nonnull %0, i32 %59)
  %61 = fadd double %57, %60
  %62 = load i32, ptr @EVENT_ACTIVE, align 4
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds double, ptr %48, i64 %63
  %65 = load double, ptr %64, align 8
  %66 = fcmp oeq double %65, 0.000000e+00
  br i1 %66, label %97, label %67

67:                                               ; preds = %47
  %68 = call i32 @rises(ptr nonnull %0, i32 %.096)
  %.not115 = icmp eq i32 %68, 0
  br i1 %.not115, label %69, label %97

69:                                               ; preds = %67
  %70 = call double @least(ptr nonnull %0, i32 %.096)
  %71 = fmul double %70, 5.000000e-01
  %72 = fcmp ogt double %61, %71
  br i1 %72, label %97, label %73

73:                                               ; preds = %69
  %74 = load i32, ptr @SIDES, align 4
  %75 = call ptr @numbers(ptr nonnull %0, i32 %74)
  %76 = zext nneg i32 %.096 to i64
  %77 = getelementptr inbounds nuw double, ptr %75, i64 %76
  store double %52, ptr %77, align 8
  %78 = getelementptr inbounds nuw %struct.anon.4, ptr @happenings, i64 %76
  %79 = getelementptr inbounds nuw i8, ptr %78, i64 16
  %80 = load double, ptr %79, align 8
  %81 = fmul double %52, %80
  %82 = fcmp ogt double %81, 0.000000e+00
  br i1 %82, label %83, label %88

83:                                               ; preds = %73
  %84 = fneg double %52
  store double %84, ptr %51, align 8
  %85 = call double @least(ptr nonnull %0, i32 %.096)
  %86 = call ptr @numbers(ptr nonnull %0, i32 %58)
  %87 = getelementptr inbounds nuw double, ptr %86, i64 %76
  store double %85, ptr %87, align 8
  br label %97

88:                                               ; preds = %73
  %89 = load ptr, ptr %0, align 8
  %90 = load i32, ptr @JUST, align 4
  %91 = add nsw i32 %90, %.096
  %92 = sext i32 %91 to i64
  %93 = getelementptr inbounds i64, ptr %89, i64 %92
  store i64 1, ptr %93, align 8
  %94 = add nsw i32 %.091, 1
  %95 = sext i32 %.091 to i64
  %96 = getelementptr inbounds i32, ptr %7, i64 %95
  store i32 %.096, ptr %96, align 4
  br label %97

97:                                               ; preds = %83, %88, %69, %67, %47
  %.192 = phi i32 [ %94, %88 ], [ %.091, %83 ], [ %.091, %69 ], [ %.091, %67 ], [ %.091, %47 ]
  %98 = add nuw nsw i32 %.096, 1
  br label %45

99:                                               ; preds = %45
  %100 = load i32, ptr @FIRST_EVENT, align 4
  %101 = icmp ne i32 %100, 0
  %102 = icmp sgt i32 %.091, 0
  %or.cond = select i1 %101, i1 %102, i1 false
  br i1 %or.cond, label %103, label %109

103:                                              ; preds = %99
  %104 = load i32, ptr %7, align 4
  %105 = icmp eq i32 %104, 0
  br i1 %105, label %106, label %109

106:                                              ; preds = %103
  call void @tell_of(ptr nonnull %0, i32 0, double %9)
  %107 = load ptr, ptr %0, align 8
  %108 = getelementptr inbounds i64, ptr %107, i64 %12
  store i64 1, ptr %108, align 8
  br label %177

109:                                              ; preds = %103, %99
  %110 = call i32 @due_now(ptr nonnull %0, ptr nonnull %7, i32 %.091, ptr nonnull %7)
  %111 = icmp slt i32 %110, 0
  br i1 %111, label %177, label %112

112:                                              ; preds = %109
  %113 = zext nneg i32 %110 to i64
  %114 = getelementptr inbounds nuw i32, ptr %7, i64 %113
  %115 = call i32 @take_due(ptr nonnull %0, double %9, ptr nonnull %114)
  %116 = add nsw i32 %110, %115
  %117 = icmp ne i32 %115, 0
  %or.cond97 = select i1 %102, i1 true, i1 %117
  br i1 %or.cond97, label %118, label %177

118:                                              ; preds = %112, %120
  %.095 = phi i32 [ %130, %120 ], [ 0, %112 ]
  %.093 = phi i32 [ %131, %120 ], [ 0, %112 ]
  %119 = icmp slt i32 %.093, %116
  br i1 %119, label %120, label %132

120:                                              ; preds = %118
  %121 = zext nneg i32 %.093 to i64
  %122 = getelementptr inbounds nuw i32, ptr %7, i64 %121
  %123 = load i32, ptr %122, align 4
  %124 = sext i32 %123 to i64
  %125 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %124
  %126 = getelementptr inbounds nuw i8, ptr %125, i64 40
  %127 = load i32, ptr %126, align 4
  %128 = icmp sgt i32 %127, -1
  %129 = zext i1 %128 to i32
  %130 = or i32 %.095, %129
  %131 = add nuw nsw i32 %.093, 1
  br label %118

132:                                              ; preds = %118
  %133 = load i32, ptr @CONTROL, align 4
  %134 = load i32, ptr @CONTROL_TOLERANCE, align 4
  %135 = add nsw i32 %133, %134
  %136 = call double @number(ptr nonnull %0, i32 %135)
  %137 = call double @width_of_bounds(ptr nonnull %0, double %136)
  br label %138

138:                                              ; preds = %140, %132
  %.0 = phi i32 [ 0, %132 ], [ %154, %140 ]
  %139 = icmp slt i32 %.0, %20
  br i1 %139, label %140, label %155

140:                                              ; preds = %138
  %141 = load i32, ptr @STOP_CLOSING, align 4
  %142 = add nsw i32 %141, %.0
  %143 = call double @number(ptr nonnull %0, i32 %142)
  %144 = call double @llvm.maxnum.f64(double %143, double %136)
  %145 = call ptr @numbers(ptr nonnull %0, i32 %141)
  %146 = zext nneg i32 %.0 to i64
  %147 = getelementptr inbounds nuw double, ptr %145, i64 %146
  store double %144, ptr %147, align 8
  %148 = getelementptr inbounds nuw double, ptr @stop_near, i64 %146
  %149 = load double, ptr %148, align 8
  %150 = fmul double %149, %137
  %151 = load i32, ptr @STOP_NEAR, align 4
  %152 = call ptr @numbers(ptr nonnull %0, i32 %151)
  %153 = getelementptr inbounds nuw double, ptr %152, i64 %146
  store double %150, ptr %153, align 8
  %154 = add nuw nsw i32 %.0, 1
  br label %138

155:                                              ; preds = %138
  %.not110 = icmp eq i32 %.095, 0
  br i1 %.not110, label %158, label %156

156:                                              ; preds = %155
  %157 = call i32 @project(ptr nonnull %0)
  %.not111 = icmp eq i32 %157, 0
  br i1 %.not111, label %158, label %177

158:                                              ; preds = %156, %155
  %159 = load ptr, ptr %0, align 8
  %160 = load i32, ptr @TURNED, align 4
  %161 = sext i32 %160 to i64
  %162 = getelementptr inbounds i64, ptr %159, i64 %161
  %163 = load i64, ptr %162, align 8
  %.not112 = icmp eq i64 %163, 0
  br i1 %.not112, label %166, label %164

164:                                              ; preds = %158
  %165 = call i32 @turn(ptr nonnull %0)
  %.not113 = icmp eq i32 %165, 0
  br i1 %.not113, label %166, label %177

166:                                              ; preds = %164, %158
  %167 = load i32, ptr %1, align 4
  %168 = or i32 %167, %.095
  store i32 %168, ptr %1, align 4
  %169 = call i32 @act(ptr nonnull %0, ptr nonnull %7, i32 %116)
  %170 = icmp slt i32 %169, 0
  br i1 %170, label %177, label %171

171:                                              ; preds = %166
  %172 = load ptr, ptr %0, align 8
  %173 = getelementptr inbounds i64, ptr %172, i64 %12
  %174 = load i64, ptr %173, align 8
  %.not114 = icmp eq i64 %174, 0
  br i1 %.not114, label %175, label %177

175:                                              ; preds = %171
  %176 = call i32 @settle_sides(ptr nonnull %0)
  br label %177

177:                                              ; preds = %109, %156, %164, %166, %171, %175, %112, %37, %39, %41, %33, %15, %17, %2, %106
  %.090 = phi i32 [ -1, %37 ], [ 0, %2 ], [ -1, %15 ], [ -1, %33 ], [ 0, %106 ], [ -1, %17 ], [ -1, %41 ], [ -1, %39 ], [ -1, %109 ], [ 0, %112 ], [ -1, %166 ], [ -1, %156 ], [ -1, %164 ], [ %176, %175 ], [ 0, %171 ]
  ret i32 %.090
}

define internal double @next_top(ptr %0) {
  br label %2

2:                                                ; preds = %12, %1
  %.07 = phi double [ 0x7FF0000000000000, %1 ], [ %.1, %12 ]
  %.0 = phi i32 [ 0, %1 ], [ %13, %12 ]
  %3 = load i32, ptr @EVENT_COUNT, align 4
  %4 = icmp slt i32 %.0, %3
  br i1 %4, label %5, label %14

5:                                                ; preds = %2
  %6 = call i32 @rises(ptr %0, i32 %.0)
  %.not = icmp eq i32 %6, 0
  br i1 %.not, label %12, label %7

7:                                                ; preds = %5
  %8 = load i32, ptr @RISING, align 4
  %9 = add nsw i32 %8, %.0
  %10 = call double @number(ptr %0, i32 %9)
  %11 = call double @llvm.minnum.f64(double %.07, double %10)
  br label %12

12:                                               ; preds = %5, %7
  %.1 = phi double [ %11, %7 ], [ %.07, %5 ]
  %13 = add nuw nsw i32 %.0, 1
  br label %2

14:                                               ; preds = %2
  ret double %.07
}

declare i64 @call_accept(ptr noundef)

declare double @llvm.floor.f64(double) #3

declare void @call_sample(ptr noundef)

define internal i32 @know_sides(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @KNOWN, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i64, ptr %2, i64 %4
  %6 = load i64, ptr %5, align 8
  %.not = icmp eq i64 %6, 0
  br i1 %.not, label %7, label %9

7:                                                ; preds = %1
  call void @forget_just(ptr nonnull %0)
  %8 = call i32 @settle_sides(ptr nonnull %0)
  br label %9

9:                                                ; preds = %1, %7
  %.0 = phi i32 [ %8, %7 ], [ 0, %1 ]
  ret i32 %.0
}

define internal i32 @look_at_state(ptr %0) {
  %2 = load i32, ptr @GLANCES, align 4
  %.not = icmp eq i32 %2, 0
  br i1 %.not, label %.critedge, label %3

3:                                                ; preds = %1
  %4 = load ptr, ptr %0, align 8
  call void @call_glance(ptr %4)
  br label %14

.critedge:                                        ; preds = %1
  %5 = load ptr, ptr %0, align 8
  %6 = load i32, ptr @TURNED, align 4
  %7 = sext i32 %6 to i64
  %8 = getelementptr inbounds i64, ptr %5, i64 %7
  %9 = load i64, ptr %8, align 8
  %.not15 = icmp eq i64 %9, 0
  br i1 %.not15, label %12, label %10

10:                                               ; preds = %.critedge
  %11 = call i32 @turn(ptr nonnull %0)
  %.not16 = icmp eq i32 %11, 0
  br i1 %.not16, label %12, label %41

12:                                               ; preds = %10, %.critedge
  %13 = load ptr, ptr %0, align 8
  call void @call_look(ptr %13)
  br label %14

14:                                               ; preds = %3, %12
  br label %15

15:                                               ; preds = %37, %14
  %.013 = phi i32 [ 0, %14 ], [ %38, %37 ]
  %16 = load i32, ptr @EVENT_COUNT, align 4
  %17 = icmp slt i32 %.013, %16
  br i1 %17, label %18, label %39

18:                                               ; preds = %15
  %19 = call ptr @line_of(ptr %0, i32 %.013)
  %20 = load i32, ptr @EVENT_ACTIVE, align 4
  %21 = sext i32 %20 to i64
  %22 = getelementptr inbounds double, ptr %19, i64 %21
  %23 = load double, ptr %22, align 8
  %24 = fcmp une double %23, 0.000000e+00
  br i1 %24, label %25, label %37

25:                                               ; preds = %18
  %26 = load i32, ptr @SEEN, align 4
  %27 = shl nuw nsw i32 %.013, 1
  %28 = add nsw i32 %26, %27
  %29 = call double @number(ptr %0, i32 %28)
  %30 = call double @llvm.fabs.f64(double %29)
  %31 = fcmp ueq double %30, 0x7FF0000000000000
  br i1 %31, label %32, label %37

32:                                               ; preds = %25
  %33 = zext nneg i32 %.013 to i64
  %34 = getelementptr inbounds nuw %struct.anon.4, ptr @happenings, i64 %33
  %35 = load ptr, ptr %34, align 8
  %36 = call i32 @fail(ptr %0, ptr nonnull @.str.61, ptr %35)
  br label %39

37:                                               ; preds = %18, %25
  %38 = add nuw nsw i32 %.013, 1
  br label %15

39:                                               ; preds = %15, %32
  %.1 = phi i32 [ %36, %32 ], [ undef, %15 ]
  %.0 = phi i32 [ 1, %32 ], [ 2, %15 ]
  switch i32 %.0, label %42 [
    i32 2, label %40
    i32 1, label %41
  ]

40:                                               ; preds = %39
  br label %41

41:                                               ; preds = %10, %40, %39
  %.014 = phi i32 [ 0, %40 ], [ %.1, %39 ], [ -1, %10 ]
  ret i32 %.014

42:                                               ; preds = %39
  unreachable
}

define internal i32 @settle_sides(ptr %0) {
  %2 = load ptr, ptr %0, align 8
  %3 = load i32, ptr @TURNED, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i64, ptr %2, i64 %4
  %6 = load i64, ptr %5, align 8
  %.not = icmp eq i64 %6, 0
  br i1 %.not, label %9, label %7

7:                                                ; preds = %1
  %8 = call i32 @turn(ptr nonnull %0)
  %.not67 = icmp eq i32 %8, 0
  br i1 %.not67, label %9, label %127

9:                                                ; preds = %7, %1
  %10 = load ptr, ptr %0, align 8
  call void @call_look(ptr %10)
  br label %11

11:                                               ; preds = %119, %9
  %.060 = phi i32 [ 0, %9 ], [ %120, %119 ]
  %.1 = phi i32 [ undef, %9 ], [ %.3, %119 ]
  %12 = load i32, ptr @EVENT_COUNT, align 4
  %13 = icmp slt i32 %.060, %12
  br i1 %13, label %14, label %121

14:                                               ; preds = %11
  %15 = call ptr @line_of(ptr nonnull %0, i32 %.060)
  %16 = load i32, ptr @SEEN, align 4
  %17 = shl nuw nsw i32 %.060, 1
  %18 = add nsw i32 %16, %17
  %19 = call double @number(ptr nonnull %0, i32 %18)
  %20 = add nsw i32 %18, 1
  %21 = call double @number(ptr nonnull %0, i32 %20)
  %22 = load i32, ptr @SIDES, align 4
  %23 = add nsw i32 %22, %.060
  %24 = call double @number(ptr nonnull %0, i32 %23)
  %25 = load i32, ptr @EVENT_ACTIVE, align 4
  %26 = sext i32 %25 to i64
  %27 = getelementptr inbounds double, ptr %15, i64 %26
  %28 = load double, ptr %27, align 8
  %29 = fcmp une double %28, 0.000000e+00
  %30 = call double @llvm.fabs.f64(double %19)
  %31 = fcmp ueq double %30, 0x7FF0000000000000
  %or.cond70 = select i1 %29, i1 %31, i1 false
  br i1 %or.cond70, label %32, label %37

32:                                               ; preds = %14
  %33 = zext nneg i32 %.060 to i64
  %34 = getelementptr inbounds nuw %struct.anon.4, ptr @happenings, i64 %33
  %35 = load ptr, ptr %34, align 8
  %36 = call i32 @fail(ptr nonnull %0, ptr nonnull @.str.61, ptr %35)
  br label %118

37:                                               ; preds = %14
  %38 = load i32, ptr @EVENT_LARGEST, align 4
  %39 = sext i32 %38 to i64
  %40 = getelementptr inbounds double, ptr %15, i64 %39
  %41 = load double, ptr %40, align 8
  %42 = call double @llvm.fabs.f64(double %19)
  %43 = call double @llvm.maxnum.f64(double %41, double %42)
  store double %43, ptr %40, align 8
  %44 = call double @least(ptr nonnull %0, i32 %.060)
  %45 = load i32, ptr @MARGINS, align 4
  %46 = call ptr @numbers(ptr nonnull %0, i32 %45)
  %47 = zext nneg i32 %.060 to i64
  %48 = getelementptr inbounds nuw double, ptr %46, i64 %47
  store double %44, ptr %48, align 8
  %49 = getelementptr inbounds nuw %struct.anon.4, ptr @happenings, i64 %47
  %50 = getelementptr inbounds nuw i8, ptr %49, i64 44
  %51 = load i32, ptr %50, align 4
  %52 = icmp sgt i32 %51, -1
  br i1 %52, label %53, label %57

53:                                               ; preds = %37
  call void @settle_stop_side(ptr nonnull %0, i32 %.060, double %19)
  %54 = load i32, ptr @EVENT_LAST_VALUE, align 4
  %55 = sext i32 %54 to i64
  %56 = getelementptr inbounds double, ptr %15, i64 %55
  store double %19, ptr %56, align 8
  br label %118

57:                                               ; preds = %37
  %58 = load ptr, ptr %0, align 8
  %59 = load i32, ptr @JUST, align 4
  %60 = add nsw i32 %59, %.060
  %61 = sext i32 %60 to i64
  %62 = getelementptr inbounds i64, ptr %58, i64 %61
  %63 = load i64, ptr %62, align 8
  %.not68 = icmp eq i64 %63, 0
  br i1 %.not68, label %102, label %64

64:                                               ; preds = %57
  %65 = load i32, ptr @SIZES, align 4
  %66 = add nsw i32 %65, %.060
  %67 = call double @number(ptr nonnull %0, i32 %66)
  %68 = fmul double %67, 2.000000e+00
  %69 = load double, ptr @TOGETHER, align 8
  %70 = call double @llvm.fabs.f64(double %21)
  %71 = fmul double %69, %70
  %72 = call double @llvm.maxnum.f64(double %68, double %71)
  %73 = fcmp ugt double %42, %72
  br i1 %73, label %102, label %74

74:                                               ; preds = %64
  %75 = load i32, ptr @SAMPLED, align 4
  %76 = icmp ne i32 %75, 0
  %77 = fcmp oeq double %21, 0.000000e+00
  %or.cond = select i1 %76, i1 %77, i1 false
  br i1 %or.cond, label %78, label %88

78:                                               ; preds = %74
  %79 = load double, ptr @JUMPED, align 8
  %80 = load i32, ptr @EVENT_LAST_VALUE, align 4
  %81 = sext i32 %80 to i64
  %82 = getelementptr inbounds double, ptr %15, i64 %81
  %83 = load double, ptr %82, align 8
  %84 = call double @llvm.fabs.f64(double %83)
  %85 = fmul double %79, %84
  %86 = fcmp ogt double %42, %85
  br i1 %86, label %87, label %88

87:                                               ; preds = %78
  br label %88

88:                                               ; preds = %87, %78, %74
  %.0 = phi double [ %19, %87 ], [ %21, %78 ], [ %21, %74 ]
  %89 = fcmp oeq double %.0, 0.000000e+00
  %90 = fmul double %.0, %24
  %91 = fcmp ogt double %90, 0.000000e+00
  %or.cond64 = select i1 %89, i1 true, i1 %91
  %92 = fneg double %24
  %93 = select i1 %or.cond64, double %24, double %92
  %94 = load i32, ptr @EVENT_SIDE, align 4
  %95 = sext i32 %94 to i64
  %96 = getelementptr inbounds double, ptr %15, i64 %95
  store double %93, ptr %96, align 8
  %97 = fmul double %42, 2.000000e+00
  %98 = call ptr @numbers(ptr nonnull %0, i32 %45)
  %99 = getelementptr inbounds nuw double, ptr %98, i64 %47
  %100 = load double, ptr %99, align 8
  %101 = fadd double %100, %97
  store double %101, ptr %99, align 8
  br label %114

102:                                              ; preds = %64, %57
  %103 = fcmp ogt double %19, 0.000000e+00
  br i1 %103, label %109, label %104

104:                                              ; preds = %102
  %105 = fcmp oeq double %19, 0.000000e+00
  %106 = fcmp ogt double %21, 0.000000e+00
  %107 = select i1 %105, i1 %106, i1 false
  %108 = select i1 %107, double 1.000000e+00, double -1.000000e+00
  br label %109

109:                                              ; preds = %104, %102
  %110 = phi double [ 1.000000e+00, %102 ], [ %108, %104 ]
  %111 = load i32, ptr @EVENT_SIDE, align 4
  %112 = sext i32 %111 to i64
  %113 = getelementptr inbounds double, ptr %15, i64 %112
  store double %110, ptr %113, align 8
  br label %114

114:                                              ; preds = %109, %88
  %115 = load i32, ptr @EVENT_LAST_VALUE, align 4
  %116 = sext i32 %115 to i64
  %117 = getelementptr inbounds double, ptr %15, i64 %116
  store double %19, ptr %117, align 8
  br label %118

118:                                              ; preds = %114, %53, %32
  %.162 = phi i32 [ 4, %53 ], [ 0, %114 ], [ 1, %32 ]
  %.3 = phi i32 [ %.1, %53 ], [ %.1, %114 ], [ %36, %32 ]
  switch i32 %.162, label %121 [
    i32 0, label %119
    i32 4, label %119
  ]

119:                                              ; preds = %118, %118
  %120 = add nuw nsw i32 %.060, 1
  br label %11

121:                                              ; preds = %11, %118
  %.061 = phi i32 [ %.162, %118 ], [ 2, %11 ]
  %.2 = phi i32 [ %.3, %118 ], [ %.1, %11 ]
  switch i32 %.061, label %128 [
    i32 2, label %122
    i32 1, label %127
  ]

122:                                              ; preds = %121
  %123 = load ptr, ptr %0, align 8
  %124 = load i32, ptr @KNOWN, align 4
  %125 = sext i32 %124 to i64
  %126 = getelementptr inbounds i64, ptr %123, i64 %125
  store i64 1, ptr %126, align 8
  br label %127

127:                                              ; preds = %7, %122, %121
  %.059 = phi i32 [ %.2, %121 ], [ 0, %122 ], [ -1, %7 ]
  ret i32 %.059

128:                                              ; preds = %121
  unreachable
}

define internal double @least(ptr %0, i32 %1) {
  %3 = load double, ptr @NOISE, align 8
  %4 = call ptr @line_of(ptr %0, i32 %1)
  %5 = load i32, ptr @EVENT_LARGEST, align 4
  %6 = sext i32 %5 to i64
  %7 = getelementptr inbounds double, ptr %4, i64 %6
  %8 = load double, ptr %7, align 8
  %9 = fmul double %3, %8
  %10 = load double, ptr @NONE, align 8
  %11 = call double @llvm.maxnum.f64(double %9, double %10)
  ret double %11
}

define internal double @width_of_bounds(ptr %0, double %1) {
  %3 = fdiv double %1, 0x3EB0C6F7A0B5ED8D
  %4 = call double @llvm.maxnum.f64(double %3, double 1.000000e+00)
  br label %5

5:                                                ; preds = %35, %2
  %.013 = phi i32 [ 0, %2 ], [ %36, %35 ]
  %.0 = phi double [ %4, %2 ], [ %.1, %35 ]
  %6 = load i32, ptr @EVENT_COUNT, align 4
  %7 = icmp slt i32 %.013, %6
  br i1 %7, label %8, label %37

8:                                                ; preds = %5
  %9 = zext nneg i32 %.013 to i64
  %10 = getelementptr inbounds nuw %struct.anon.4, ptr @happenings, i64 %9
  %11 = getelementptr inbounds nuw i8, ptr %10, i64 44
  %12 = load i32, ptr %11, align 4
  %13 = icmp slt i32 %12, 0
  br i1 %13, label %35, label %14

14:                                               ; preds = %8
  %15 = getelementptr inbounds nuw i8, ptr %10, i64 48
  %16 = load i32, ptr %15, align 4
  %17 = load i32, ptr @TELLS_GAP, align 4
  %.not = icmp eq i32 %16, %17
  br i1 %.not, label %18, label %35

18:                                               ; preds = %14
  %19 = load i32, ptr @SEEN, align 4
  %20 = shl nuw nsw i32 %.013, 1
  %21 = add nsw i32 %19, %20
  %22 = call double @number(ptr %0, i32 %21)
  %23 = fneg double %22
  %24 = zext nneg i32 %12 to i64
  %25 = getelementptr inbounds nuw double, ptr @stop_near, i64 %24
  %26 = load double, ptr %25, align 8
  %27 = fdiv double %23, %26
  %28 = load double, ptr @DEEPEST, align 8
  %29 = fmul double %28, 1.000000e+03
  %30 = fcmp ugt double %27, %29
  br i1 %30, label %35, label %31

31:                                               ; preds = %18
  %32 = fmul double %27, 2.000000e+00
  %33 = fdiv double %32, %28
  %34 = call double @llvm.maxnum.f64(double %.0, double %33)
  br label %35

35:                                               ; preds = %14, %8, %31, %18
  %.1 = phi double [ %.0, %8 ], [ %.0, %14 ], [ %34, %31 ], [ %.0, %18 ]
  %36 = add nuw nsw i32 %.013, 1
  br label %5

37:                                               ; preds = %5
  %38 = call double @llvm.minnum.f64(double %.0, double 1.000000e+03)
  ret double %38
}

declare void @call_glance(ptr noundef)

define internal void @settle_stop_side(ptr %0, i32 %1, double %2) {
  %4 = load i32, ptr @RISING, align 4
  %5 = call ptr @numbers(ptr %0, i32 %4)
  %6 = sext i32 %1 to i64
  %7 = getelementptr inbounds double, ptr %5, i64 %6
  %8 = load i32, ptr @TIME, align 4
  %9 = call double @number(ptr %0, i32 %8)
  %10 = load i32, ptr @SEEN, align 4
  %11 = shl nsw i32 %1, 1
  %12 = add nsw i32 %10, %11
  %13 = add nsw i32 %12, 2
  %14 = call double @number(ptr %0, i32 %13)
  %15 = add nsw i32 %12, 3
  %16 = call double @number(ptr %0, i32 %15)
  %17 = getelementptr inbounds %struct.anon.4, ptr @happenings, i64 %6
  %18 = getelementptr inbounds nuw i8, ptr %17, i64 48
  %19 = load i32, ptr %18, align 4
  %20 = load i32, ptr @TELLS_GAP, align 4
  %21 = icmp eq i32 %19, %20
  br i1 %21, label %22, label %39

22:                                               ; preds = %3
  %23 = call ptr @line_of(ptr %0, i32 %1)
  %24 = load i32, ptr @EVENT_ACTIVE, align 4
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds double, ptr %23, i64 %25
  %27 = load double, ptr %26, align 8
  %28 = fcmp une double %27, 0.000000e+00
  br i1 %28, label %29, label %39

29:                                               ; preds = %22
  %30 = load ptr, ptr %0, align 8
  %31 = load i32, ptr @JUST, align 4
  %32 = add nsw i32 %31, %1
  %33 = sext i32 %32 to i64
  %34 = getelementptr inbounds i64, ptr %30, i64 %33
  %35 = load i64, ptr %34, align 8
  %.not = icmp eq i64 %35, 0
  br i1 %.not, label %36, label %39

36:                                               ; preds = %29
  %37 = load double, ptr %7, align 8
  %38 = fcmp ogt double %37, %9
  br label %39

39:                                               ; preds = %29, %36, %22, %3
  %40 = phi i1 [ false, %22 ], [ false, %3 ], [ true, %29 ], [ %38, %36 ]
  %41 = fcmp ogt double %14, 0.000000e+00
  %or.cond = select i1 %40, i1 %41, i1 false
  %42 = fcmp olt double %16, 0.000000e+00
  %or.cond45 = select i1 %or.cond, i1 %42, i1 false
  %43 = fdiv double %14, %16
  %44 = fsub double %9, %43
  %45 = select i1 %or.cond45, double %44, double 0xFFF0000000000000
  store double %45, ptr %7, align 8
  %46 = load i32, ptr @TELLS_SLIDE, align 4
  %47 = icmp eq i32 %19, %46
  %48 = getelementptr inbounds nuw i8, ptr %17, i64 44
  %49 = load i32, ptr %48, align 4
  br i1 %47, label %50, label %62

50:                                               ; preds = %39
  %51 = sext i32 %49 to i64
  %52 = getelementptr i16, ptr @first_direction, i64 %51
  %53 = getelementptr i8, ptr %52, i64 2
  %54 = load i16, ptr %53, align 2
  %55 = sext i16 %54 to i32
  %56 = add nsw i32 %55, -1
  %57 = load i32, ptr @STOP_SLIP, align 4
  %58 = add nsw i32 %57, %56
  %59 = call double @number(ptr %0, i32 %58)
  %60 = fcmp olt double %59, 0.000000e+00
  %61 = select i1 %60, double -1.000000e+00, double 1.000000e+00
  br label %62

62:                                               ; preds = %50, %39
  %63 = phi double [ 1.000000e+00, %39 ], [ %61, %50 ]
  %64 = call ptr @line_of(ptr %0, i32 %1)
  %65 = load i32, ptr @EVENT_SIDE, align 4
  %66 = sext i32 %65 to i64
  %67 = getelementptr inbounds double, ptr %64, i64 %66
  store double %63, ptr %67, align 8
  %68 = load ptr, ptr %0, align 8
  %69 = load i32, ptr @JUST, align 4
  %70 = add nsw i32 %69, %1
  %71 = sext i32 %70 to i64
  %72 = getelementptr inbounds i64, ptr %68, i64 %71
  %73 = load i64, ptr %72, align 8
  %.not46 = icmp eq i64 %73, 0
  br i1 %.not46, label %84, label %74

74:                                               ; preds = %62
  %75 = load i32, ptr @STOP_MODE, align 4
  %76 = add nsw i32 %75, %49
  %77 = sext i32 %76 to i64
  %78 = getelementptr inbounds i64, ptr %68, i64 %77
  %79 = load i64, ptr %78, align 8
  %80 = load i32, ptr @IS_OPEN, align 4
  %81 = sext i32 %80 to i64
  %82 = icmp eq i64 %79, %81
  %83 = select i1 %82, double 4.000000e+00, double 1.000000e+00
  br label %84

84:                                               ; preds = %74, %62
  %85 = phi double [ 1.000000e+00, %62 ], [ %83, %74 ]
  %86 = select i1 %21, double %85, double 2.000000e+00
  %87 = call ptr @line_of(ptr nonnull %0, i32 %1)
  %88 = getelementptr inbounds double, ptr %87, i64 %66
  %89 = load double, ptr %88, align 8
  %90 = fmul double %89, %2
  %91 = fcmp olt double %90, 0.000000e+00
  br i1 %91, label %92, label %100

92:                                               ; preds = %84
  %93 = call double @llvm.fabs.f64(double %2)
  %94 = fmul double %86, %93
  %95 = load i32, ptr @MARGINS, align 4
  %96 = call ptr @numbers(ptr nonnull %0, i32 %95)
  %97 = getelementptr inbounds double, ptr %96, i64 %6
  %98 = load double, ptr %97, align 8
  %99 = fadd double %98, %94
  store double %99, ptr %97, align 8
  br label %100

100:                                              ; preds = %92, %84
  %101 = load double, ptr %7, align 8
  %102 = call double @llvm.fabs.f64(double %101)
  %103 = fcmp ueq double %102, 0x7FF0000000000000
  br i1 %103, label %111, label %104

104:                                              ; preds = %100
  %105 = fneg double %2
  %106 = load double, ptr @NONE, align 8
  %107 = call double @llvm.maxnum.f64(double %105, double %106)
  %108 = load i32, ptr @MARGINS, align 4
  %109 = call ptr @numbers(ptr nonnull %0, i32 %108)
  %110 = getelementptr inbounds double, ptr %109, i64 %6
  store double %107, ptr %110, align 8
  br label %111

111:                                              ; preds = %104, %100
  ret void
}

define internal i32 @leave_zero(ptr %0) {
  %2 = call i32 @know_sides(ptr %0)
  %.not = icmp eq i32 %2, 0
  br i1 %.not, label %3, label %40

3:                                                ; preds = %1
  %4 = call i32 @look_at_state(ptr %0)
  %.not25 = icmp eq i32 %4, 0
  br i1 %.not25, label %5, label %40

5:                                                ; preds = %3, %38
  %.023 = phi i32 [ %39, %38 ], [ 0, %3 ]
  %6 = load i32, ptr @EVENT_COUNT, align 4
  %7 = icmp slt i32 %.023, %6
  br i1 %7, label %8, label %40

8:                                                ; preds = %5
  %9 = call ptr @line_of(ptr %0, i32 %.023)
  %10 = load i32, ptr @SEEN, align 4
  %11 = shl nuw nsw i32 %.023, 1
  %12 = add nsw i32 %10, %11
  %13 = call double @number(ptr %0, i32 %12)
  %14 = load i32, ptr @MARGINS, align 4
  %15 = add nsw i32 %14, %.023
  %16 = call double @number(ptr %0, i32 %15)
  %17 = load i32, ptr @EVENT_LARGEST, align 4
  %18 = sext i32 %17 to i64
  %19 = getelementptr inbounds double, ptr %9, i64 %18
  %20 = load double, ptr %19, align 8
  %21 = call double @llvm.fabs.f64(double %13)
  %22 = call double @llvm.maxnum.f64(double %20, double %21)
  store double %22, ptr %19, align 8
  %23 = load i32, ptr @EVENT_LAST_VALUE, align 4
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds double, ptr %9, i64 %24
  store double %13, ptr %25, align 8
  %26 = load i32, ptr @EVENT_SIDE, align 4
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds double, ptr %9, i64 %27
  %29 = load double, ptr %28, align 8
  %30 = fmul double %29, %13
  %31 = fcmp ogt double %30, %16
  br i1 %31, label %32, label %38

32:                                               ; preds = %8
  %33 = call double @least(ptr %0, i32 %.023)
  %34 = call double @llvm.minnum.f64(double %16, double %33)
  %35 = call ptr @numbers(ptr %0, i32 %14)
  %36 = zext nneg i32 %.023 to i64
  %37 = getelementptr inbounds nuw double, ptr %35, i64 %36
  store double %34, ptr %37, align 8
  br label %38

38:                                               ; preds = %8, %32
  %39 = add nuw nsw i32 %.023, 1
  br label %5

40:                                               ; preds = %5, %1, %3
  %.0 = phi i32 [ -1, %1 ], [ -1, %3 ], [ 0, %5 ]
  ret i32 %.0
}

declare i64 @call_rates(ptr noundef)

declare i64 @llvm.smax.i64(i64, i64) #3

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind willreturn }
attributes #5 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
