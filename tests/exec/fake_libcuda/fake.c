/* A libcuda.so.1 for tests that refuses what the real one refuses. Kernels are not run; work completes late.

   Beside each refusal stands its source: "API: f" is the documentation of f in the CUDA Driver API 13.0,
   "sync" its page "API synchronization behavior", "PTX" the PTX ISA's table of releases.

   FAKE_CUDA_LOG      file that gets one line per call
   FAKE_CUDA_FAIL     NAME=CODE: that function returns CODE; NAME=CODE@N: from the Nth call on
   FAKE_CUDA_FAULT    CODE@N: the Nth launch fails with CODE when it completes; the context is lost
   FAKE_CUDA_VERSION  of the driver (13000)    FAKE_CUDA_CHIP     compute capability times ten (90)
   FAKE_CUDA_DEVICES  how many (1)             FAKE_CUDA_STATIC   static shared memory of every kernel (0)
   FAKE_CUDA_LACKS    a function it lacks      FAKE_CUDA_PTXAS    assembles PTX images, where it is given
   FAKE_CUDA_MANAGED  0: no managed memory     FAKE_CUDA_CONCURRENT  0: the host may not look meanwhile */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_DEVICE = 101, INVALID_IMAGE = 200,
       INVALID_CONTEXT = 201, NO_BINARY = 209, INVALID_PTX = 218, UNSUPPORTED_PTX = 222, INVALID_HANDLE = 400,
       NOT_FOUND = 500, NOT_READY = 600, ALREADY_REGISTERED = 712, NOT_REGISTERED = 713, NOT_SUPPORTED = 801,
       INVALID_CLUSTER = 912 };
enum { PAGE = 4096, MOST = 1 << 16 };
typedef uintptr_t H;

static int number(const char *name, int otherwise) { const char *v = getenv(name); return v ? atoi(v) : otherwise; }

/* --- handles, memory and streams --- */
typedef enum { STREAM = 1, EVENT, MODULE, FUNCTION } Kind;
typedef struct { Kind kind; int alive, device, timed, recorded, done, dynamic, owner, parameters; char *entries; } Handle;
typedef struct { H start; size_t size; int kind; /* 'd'evice, 'm'anaged, 'h'ost of the driver, 'r'egistered, 'f'reed */ } Memory;
typedef struct Work { int stream, what, event, serial; H target, source; size_t size; unsigned value; struct Work *next; } Work;
static Handle handles[MOST];
static Memory memories[MOST];
static Work *queue;
static int count, memory_count, initialized, current = -1, sticky, launches, free_stream;
static const H BASE = 0x1000;

static int note(const char *name, const char *format, ...) {
  const char *path = getenv("FAKE_CUDA_LOG"), *fail = getenv("FAKE_CUDA_FAIL");
  if (path) {
    FILE *log = fopen(path, "a");
    va_list arguments;
    va_start(arguments, format);
    fprintf(log, "%s ", name);
    vfprintf(log, format, arguments);
    fprintf(log, "\n");
    fclose(log);
    va_end(arguments);
  }
  size_t length = strlen(name);
  if (fail && !strncmp(fail, name, length) && fail[length] == '=') {
    static int calls;
    const char *from = strchr(fail, '@');
    if (!from || ++calls >= atoi(from + 1)) return atoi(fail + length + 1);
  }
  if (!initialized && strcmp(name, "cuInit")) return NOT_INITIALIZED; /* API: cuInit comes before any other */
  return sticky; /* API: after CUDA_ERROR_ILLEGAL_ADDRESS and its kin, every call returns the error */
}
static H handle(Kind kind) {
  int at = kind == STREAM && free_stream ? free_stream : ++count;
  if (kind == STREAM) free_stream = 0;
  memset(&handles[at], 0, sizeof(Handle));
  handles[at].kind = kind, handles[at].alive = 1, handles[at].device = current, handles[at].done = 1;
  return BASE + 0x10 * at;
}
static Handle *find(H value, Kind kind) { /* API: CUDA_ERROR_INVALID_HANDLE for what is no living handle of its kind */
  H at = (value - BASE) / 0x10;
  return value > BASE && at <= (H)count && handles[at].alive && handles[at].kind == kind ? &handles[at] : 0;
}
static int index_of(H value) { return value ? (int)((value - BASE) / 0x10) : 0; }
static Memory *holding(H address) {
  for (int i = 0; i < memory_count; i++)
    if (address - memories[i].start < memories[i].size) return &memories[i];
  return 0;
}
static void hold(H start, size_t size, int kind) { memories[memory_count++] = (Memory){start, size, kind}; }
static int drop(H start, const char *kinds) {
  for (int i = 0; i < memory_count; i++)
    if (memories[i].start == start && memories[i].size && strchr(kinds, memories[i].kind)) {
      memories[i] = memories[--memory_count];
      return 1;
    }
  return 0;
}
#define CONTEXT if (current < 0) return INVALID_CONTEXT /* API: CUDA_ERROR_INVALID_CONTEXT without a current one */
#define BEGIN(...) int code = note(__VA_ARGS__); if (code) return code

/* --- work: done when something waits for it, other streams later --- */
static void enqueue(int what, H stream, H target, H source, size_t size, unsigned value, int event) {
  static int serial;
  Work *work = malloc(sizeof(Work)), **end = &queue;
  *work = (Work){index_of(stream), what, event, ++serial, target, source, size, value, 0};
  while (*end) end = &(*end)->next;
  *end = work;
}
static void drain(int stream, int event);
static void perform(Work *work) {
  if (work->what == 'w') drain(-1, work->event); /* what the event stands for, on another stream */
  else if (work->what == 'e') handles[work->event].done = 1;
  else if (work->what == 'c') memmove((void *)work->target, (void *)work->source, work->size);
  else if (work->what == '4') for (size_t i = 0; i < work->size; i++) ((uint32_t *)work->target)[i] = work->value;
  else if (work->what == '2') for (size_t i = 0; i < work->size; i++) ((uint16_t *)work->target)[i] = work->value;
  else if (work->what == 'k') {
    const char *fault = getenv("FAKE_CUDA_FAULT"), *at = fault ? strchr(fault, '@') : 0;
    if (at && atoi(at + 1) == (int)work->value) {
      sticky = atoi(fault);
      if (sticky == 710) /* seen on an H200 with a driver for CUDA 13.0 */
        fputs("k.mlir:1: f: block: [0,0,0], thread: [5,0,0] Assertion `five is out` failed.\n", stderr);
    }
  }
}
/* Do what is on a stream up to its end, or up to the record of an event (then of any stream). */
static void drain(int stream, int event) {
  int lane = stream, last = 0;
  for (Work *w = queue; w; w = w->next)
    if (event ? w->what == 'e' && w->event == event : w->stream == stream) lane = w->stream, last = w->serial;
  for (;;) {
    Work **at = &queue;
    while (*at && ((*at)->stream != lane || (*at)->serial > last)) at = &(*at)->next;
    if (!*at || sticky) return;
    Work *work = *at;
    *at = work->next;
    perform(work);
    free(work);
  }
}
static void drain_all(void) { /* later streams first */
  while (queue && !sticky) {
    int lane = 0;
    for (Work *w = queue; w; w = w->next) if (w->stream > lane) lane = w->stream;
    drain(lane, 0);
  }
}

/* --- devices and contexts --- */
int cuInit(unsigned flags) { BEGIN("cuInit", "%u", flags); if (flags) return INVALID_VALUE; initialized = 1; return 0; }
int cuDriverGetVersion(int *version) { *version = number("FAKE_CUDA_VERSION", 13000); return 0; }
static int devices(void) { return number("FAKE_CUDA_DEVICES", 1); }
static int is_device(int ordinal) { return ordinal >= 0 && ordinal < devices(); } /* API: cuDeviceGet */
int cuDeviceGet(int *device, int ordinal) { BEGIN("cuDeviceGet", "%d", ordinal); *device = ordinal; return is_device(ordinal) ? 0 : INVALID_DEVICE; }
int cuDeviceGetCount(int *count) { *count = devices(); return initialized ? 0 : NOT_INITIALIZED; }
int cuDeviceGetName(char *name, int length, int device) { snprintf(name, length, "Fake GPU"); return is_device(device) ? 0 : INVALID_DEVICE; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  int chip = number("FAKE_CUDA_CHIP", 90);
  if (!is_device(device)) return INVALID_DEVICE;
  switch (attribute) { /* API: CUdevice_attribute */
  case 1: *value = 1024; return 0;                                /* MAX_THREADS_PER_BLOCK */
  case 16: *value = 8; return 0;                                  /* MULTIPROCESSOR_COUNT */
  case 75: *value = chip / 10; return 0;                          /* COMPUTE_CAPABILITY_MAJOR */
  case 76: *value = chip % 10; return 0;                          /* COMPUTE_CAPABILITY_MINOR */
  case 83: *value = number("FAKE_CUDA_MANAGED", 1); return 0;     /* MANAGED_MEMORY */
  case 89: *value = number("FAKE_CUDA_CONCURRENT", 1); return 0;  /* CONCURRENT_MANAGED_ACCESS */
  default: return INVALID_VALUE;                                  /* API: cuDeviceGetAttribute */
  }
}
int cuDevicePrimaryCtxRetain(H *context, int device) {
  BEGIN("cuDevicePrimaryCtxRetain", "%d", device);
  if (!is_device(device)) return INVALID_DEVICE;
  *context = 0x500 + device;
  return 0;
}
int cuCtxSetCurrent(H context) {
  BEGIN("cuCtxSetCurrent", "%lx", context);
  if (context && !is_device((int)context - 0x500)) return INVALID_CONTEXT;
  current = context ? (int)context - 0x500 : -1;
  return 0;
}
int cuCtxSynchronize(void) { BEGIN("cuCtxSynchronize", ""); CONTEXT; drain_all(); return sticky; }

/* --- streams and events --- */
int cuStreamCreate(H *stream, unsigned flags) {
  CONTEXT;
  *stream = handle(STREAM);
  BEGIN("cuStreamCreate", "%lx %u", *stream, flags);
  return flags > 1 ? INVALID_VALUE : 0; /* API: CU_STREAM_DEFAULT or CU_STREAM_NON_BLOCKING */
}
#define IS_STREAM(s) if ((s) && !find(s, STREAM)) return INVALID_HANDLE
#define IS(value, kind) if (!find(value, kind)) return INVALID_HANDLE
int cuStreamDestroy(H stream) { /* API: returns at once; the work on it still completes */
  BEGIN("cuStreamDestroy", "%lx", stream);
  IS(stream, STREAM);
  drain(index_of(stream), 0);
  find(stream, STREAM)->alive = 0, free_stream = index_of(stream);
  return 0;
}
int cuStreamSynchronize(H stream) { BEGIN("cuStreamSynchronize", "%lx", stream); CONTEXT; IS_STREAM(stream); drain(index_of(stream), 0); return sticky; }
int cuStreamWaitEvent(H stream, H event, unsigned flags) {
  BEGIN("cuStreamWaitEvent", "%lx %lx", stream, event);
  IS_STREAM(stream); IS(event, EVENT);
  enqueue('w', stream, 0, 0, 0, 0, index_of(event));
  return flags > 1 ? INVALID_VALUE : 0;
}
int cuEventCreate(H *event, unsigned flags) {
  CONTEXT;
  *event = handle(EVENT);
  find(*event, EVENT)->timed = !(flags & 2); /* CU_EVENT_DISABLE_TIMING */
  BEGIN("cuEventCreate", "%lx %u", *event, flags);
  return flags > 7 ? INVALID_VALUE : 0;
}
int cuEventDestroy(H event) { BEGIN("cuEventDestroy", "%lx", event); IS(event, EVENT); drain(-1, index_of(event)); find(event, EVENT)->alive = 0; return 0; }
int cuEventRecord(H event, H stream) {
  BEGIN("cuEventRecord", "%lx %lx", event, stream);
  IS(event, EVENT); IS_STREAM(stream);
  /* API: hEvent and hStream must be of the same context */
  if (find(event, EVENT)->device != (stream ? find(stream, STREAM)->device : current)) return INVALID_HANDLE;
  find(event, EVENT)->recorded = 1, find(event, EVENT)->done = 0;
  enqueue('e', stream, 0, 0, 0, 0, index_of(event));
  return 0;
}
int cuEventSynchronize(H event) { BEGIN("cuEventSynchronize", "%lx", event); IS(event, EVENT); drain(-1, index_of(event)); return sticky; }
static int elapsed(float *time, H begin, H end) {
  BEGIN("cuEventElapsedTime", "%lx %lx", begin, end);
  IS(begin, EVENT); IS(end, EVENT);
  Handle *a = find(begin, EVENT), *b = find(end, EVENT);
  if (!a->recorded || !b->recorded || !a->timed || !b->timed || a->device != b->device) return INVALID_HANDLE; /* API */
  if (!a->done || !b->done) return NOT_READY; /* API: not completed */
  *time = 0.5f;
  return 0;
}
int cuEventElapsedTime(float *time, H begin, H end) { return elapsed(time, begin, end); }
int cuEventElapsedTime_v2(float *time, H begin, H end) { return elapsed(time, begin, end); }

/* --- memory --- */
int cuMemAlloc(H *address, size_t size) {
  CONTEXT;
  *address = size && size <= (size_t)1 << 36 ? (H)aligned_alloc(PAGE, (size + PAGE - 1) / PAGE * PAGE) : 0;
  if (*address) memset((void *)*address, 0, size);
  BEGIN("cuMemAlloc", "%lx %zu", *address, size);
  if (!size) return INVALID_VALUE; /* API: bytesize 0 */
  if (!*address) return OUT_OF_MEMORY;
  hold(*address, size, 'd');
  return 0;
}
int cuMemAllocManaged(H *address, size_t size, unsigned flags) {
  CONTEXT;
  *address = size ? (H)aligned_alloc(PAGE, (size + PAGE - 1) / PAGE * PAGE) : 0;
  BEGIN("cuMemAllocManaged", "%lx %zu", *address, size);
  if (!number("FAKE_CUDA_MANAGED", 1)) return NOT_SUPPORTED; /* API: a device without managed memory */
  if (!size || (flags != 1 && flags != 2)) return INVALID_VALUE; /* API */
  memset((void *)*address, 0, size);
  hold(*address, size, 'm');
  return 0;
}
int cuMemAllocHost(void **address, size_t size) {
  CONTEXT;
  if (!size) return INVALID_VALUE; /* API */
  *address = calloc(1, size);
  hold((H)*address, size, 'h');
  return note("cuMemAllocHost", "%p %zu", *address, size);
}
int cuMemFree(H address) {
  BEGIN("cuMemFree", "%lx", address);
  drain_all(); /* sync: cuMemFree waits for the device */
  Memory *memory = holding(address);
  if (!memory || memory->start != address || !strchr("dm", memory->kind)) return INVALID_VALUE; /* API: cuMemAlloc's */
  if (memory_count > MOST / 2) drop(address, "dm"), free((void *)address);
  else memory->kind = 'f', madvise((void *)address, memory->size, MADV_DONTNEED); /* Its address is not used again. */
  return sticky;
}
static int outside(H address, size_t size) { /* API: CUDA_ERROR_INVALID_VALUE for freed memory and over the end */
  Memory *memory = holding(address);
  return memory && (memory->kind == 'f' || address + size > memory->start + memory->size);
}
static int is_pageable(H address) { return !holding(address); }
int cuMemcpyAsync(H target, H source, size_t size, H stream) {
  BEGIN("cuMemcpyAsync", "%lx %lx %zu %lx", target, source, size, stream);
  CONTEXT; IS_STREAM(stream);
  if (!size) return 0;
  if (!target || !source || outside(target, size) || outside(source, size)) return INVALID_VALUE;
  enqueue('c', stream, target, source, size, 0, 0);
  if (is_pageable(target) || is_pageable(source)) drain(index_of(stream), 0); /* sync: pageable memory is staged */
  return sticky;
}
static int fill(int width, H target, unsigned value, size_t size, H stream) {
  CONTEXT; IS_STREAM(stream);
  /* API: the destination is the device's, and aligned to the width */
  if (!holding(target) || outside(target, width * size) || target % width) return INVALID_VALUE;
  enqueue('0' + width, stream, target, 0, size, value, 0);
  return 0;
}
int cuMemsetD32Async(H target, unsigned value, size_t size, H stream) { BEGIN("cuMemsetD32Async", "%lx %u %zu %lx", target, value, size, stream); return fill(4, target, value, size, stream); }
int cuMemsetD16Async(H target, unsigned short value, size_t size, H stream) { BEGIN("cuMemsetD16Async", "%lx %u %zu %lx", target, value, size, stream); return fill(2, target, value, size, stream); }
int cuMemHostRegister(H address, size_t size, unsigned flags) {
  BEGIN("cuMemHostRegister", "%lx %zu", address, size);
  CONTEXT;
  if (!address || !size || flags > 15) return INVALID_VALUE; /* API: CU_MEMHOSTREGISTER_* are 1, 2, 4, 8 */
  H first = address / PAGE, last = (address + size - 1) / PAGE;
  for (int i = 0; i < memory_count; i++) {
    Memory *m = &memories[i];
    if (first > (m->start + m->size - 1) / PAGE || last < m->start / PAGE) continue;
    if (m->kind == 'r') return ALREADY_REGISTERED; /* API: whole pages are locked, once */
    if (address - m->start < m->size) return INVALID_VALUE; /* API: memory that CUDA allocated */
  }
  hold(address, size, 'r');
  return 0;
}
int cuMemHostUnregister(H address) { BEGIN("cuMemHostUnregister", "%lx", address); return drop(address, "r") ? 0 : NOT_REGISTERED; } /* API */

/* --- modules and kernels --- */
static int newest_ptx(void) { /* PTX: the ISA that came with a driver's CUDA release */
  static const int table[][2] = {{13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84},
                                 {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80}, {11080, 78}, {0, 75}};
  int at = 0;
  while (table[at][0] > number("FAKE_CUDA_VERSION", 13000)) at++;
  return table[at][1];
}
static int assembles(const char *image, int chip, char *log, size_t size) {
  const char *ptxas = getenv("FAKE_CUDA_PTXAS");
  if (!ptxas) return 1;
  char name[] = "/tmp/fake_cuda_XXXXXX", command[4096];
  FILE *file = fdopen(mkstemp(name), "w");
  fputs(image, file), fclose(file);
  const char *suffix = strstr(image, ".target sm_");
  suffix += strlen(".target sm_");
  while (*suffix >= '0' && *suffix <= '9') suffix++;
  snprintf(command, sizeof command, "%s -arch sm_%d%s -o /dev/null %s 2>&1", ptxas, chip, *suffix == 'a' ? "a" : "", name);
  FILE *said = popen(command, "r");
  size_t length = log && size ? fread(log, 1, size - 1, said) : 0;
  if (log && size) log[length] = 0;
  int status = pclose(said);
  remove(name);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
int cuModuleLoadDataEx(H *module, const char *image, unsigned options, const int *names, void **values) {
  CONTEXT;
  if (!image) return INVALID_VALUE; /* API */
  *module = handle(MODULE);
  const char *version = strstr(image, ".version "), *target = strstr(image, ".target sm_");
  int code = note("cuModuleLoadDataEx", "%lx %s", *module, version ? "ptx" : "other"), chip = number("FAKE_CUDA_CHIP", 90);
  size_t size = 0;
  char *log = 0;
  for (unsigned i = 0; i < options; i++) {
    if (names[i] == 6) size = (size_t)values[i]; /* CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES */
    if (names[i] == 5) log = values[i];          /* CU_JIT_ERROR_LOG_BUFFER */
  }
  if (code) {
    if (log && size) snprintf(log, size, "ptxas fatal : nothing assembles here");
  } else if (!version || !target) {
    code = memcmp(image, "\177ELF", 4) ? INVALID_IMAGE : 0; /* API: no PTX, cubin or fatbin */
  } else {
    int major = 0, minor = 0, wanted = atoi(target + 11);
    char *end;
    strtol(target + 11, &end, 10);
    sscanf(version, ".version %d.%d", &major, &minor);
    if (major * 10 + minor > newest_ptx()) code = UNSUPPORTED_PTX; /* API: CUDA_ERROR_UNSUPPORTED_PTX_VERSION */
    else if (wanted > chip || (*end == 'a' && wanted != chip)) code = NO_BINARY; /* API: no image for the device */
    else if (!assembles(image, chip, log, size)) code = INVALID_PTX;
  }
  if (code) find(*module, MODULE)->alive = 0;
  else find(*module, MODULE)->entries = version ? strdup(image) : 0;
  return code;
}
int cuModuleLoadData(H *module, const char *image) { return cuModuleLoadDataEx(module, image, 0, 0, 0); }
int cuModuleUnload(H module) {
  BEGIN("cuModuleUnload", "%lx", module);
  IS(module, MODULE);
  find(module, MODULE)->alive = 0;
  for (int i = 1; i <= count; i++) if (handles[i].kind == FUNCTION && handles[i].owner == index_of(module)) handles[i].alive = 0;
  return 0;
}
int cuModuleGetFunction(H *function, H module, const char *name) {
  *function = handle(FUNCTION);
  BEGIN("cuModuleGetFunction", "%lx %lx %s", *function, module, name);
  Handle *owner = find(module, MODULE);
  char entry[512];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  if (!owner) return INVALID_HANDLE;
  if (owner->entries && !strstr(owner->entries, entry)) return find(*function, FUNCTION)->alive = 0, NOT_FOUND; /* API */
  Handle *made = find(*function, FUNCTION);
  if (owner->entries) {
    const char *at = strstr(owner->entries, entry), *end = strchr(at, ')');
    while ((at = strstr(at, ".param ")) && at < end) made->parameters++, at++;
  }
  made->owner = index_of(module), made->device = owner->device, made->dynamic = 48 * 1024 - number("FAKE_CUDA_STATIC", 0);
  return 0;
}
enum { OPT_IN = 227 * 1024 }; /* MAX_SHARED_MEMORY_PER_BLOCK_OPTIN of sm_90 */
int cuFuncSetAttribute(H function, int attribute, int value) {
  BEGIN("cuFuncSetAttribute", "%lx %d %d", function, attribute, value);
  IS(function, FUNCTION);
  if (attribute != 8 || value < 0 || value + number("FAKE_CUDA_STATIC", 0) > OPT_IN) return INVALID_VALUE; /* API */
  find(function, FUNCTION)->dynamic = value;
  return 0;
}
int cuFuncGetAttribute(int *value, int attribute, H function) {
  if (sticky) return sticky;
  IS(function, FUNCTION);
  if (attribute != 1 && attribute != 8) return INVALID_VALUE;
  *value = attribute == 1 ? number("FAKE_CUDA_STATIC", 0) : find(function, FUNCTION)->dynamic;
  return 0;
}
static int start(H function, const unsigned *c, unsigned shared, H stream, void **parameters, void **extra) {
  CONTEXT; IS(function, FUNCTION); IS_STREAM(stream);
  Handle *kernel = find(function, FUNCTION);
  if (parameters && extra) return INVALID_VALUE; /* API: cuLaunchKernel, one of the two */
  if (!parameters && !extra && kernel->parameters) return INVALID_VALUE; /* API: one pointer per parameter */
  if (stream && find(stream, STREAM)->device != kernel->device) return INVALID_HANDLE; /* API: of one context */
  if (!stream && current != kernel->device) return INVALID_HANDLE;
  for (int i = 0; i < 6; i++) if (!c[i]) return INVALID_VALUE; /* API: cuLaunchKernel, and the guide's table of limits */
  if (c[0] > 2147483647u || c[1] > 65535 || c[2] > 65535 || c[3] > 1024 || c[4] > 1024 || c[5] > 64) return INVALID_VALUE;
  if ((uint64_t)c[3] * c[4] * c[5] > 1024) return INVALID_VALUE;
  if ((int)shared > kernel->dynamic) return INVALID_VALUE; /* API: more than MAX_DYNAMIC_SHARED_SIZE_BYTES */
  enqueue('k', stream, 0, 0, 0, ++launches, 0);
  return 0;
}
int cuLaunchKernel(H function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, H stream, void **parameters, void **extra) {
  Handle *kernel = find(function, FUNCTION);
  H second = parameters && kernel && kernel->parameters > 1 ? *(H *)parameters[1] : 0;
  BEGIN("cuLaunchKernel", "%lx %u %u %u %u %u %u %u %lx %lx", function, gx, gy, gz, bx, by, bz, shared, stream, second);
  return start(function, (unsigned[]){gx, gy, gz, bx, by, bz}, shared, stream, parameters, extra);
}
typedef struct { int id, pad; unsigned value[16]; } Attribute;
typedef struct { unsigned sizes[6], shared; H stream; const Attribute *attributes; unsigned count; } Config;
int cuLaunchKernelEx(const Config *config, H function, void **parameters, void **extra) {
  const unsigned *c = config->sizes;
  BEGIN("cuLaunchKernelEx", "%lx %u %u %u %u %u %u", function, c[0], c[1], c[2], c[3], c[4], c[5]);
  if (number("FAKE_CUDA_CHIP", 90) < 90 && config->count) return NOT_SUPPORTED; /* guide: clusters are of 9.0 and later */
  for (unsigned i = 0; i < config->count; i++) {
    const unsigned *of = config->attributes[i].value;
    if (config->attributes[i].id != 4) continue; /* CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION */
    for (int axis = 0; axis < 3; axis++) if (!of[axis] || c[axis] % of[axis]) return INVALID_VALUE; /* guide: a multiple */
    if (of[0] * of[1] * of[2] > 8) return INVALID_CLUSTER; /* guide: 8 blocks, unless the kernel asks for more */
  }
  return start(function, c, config->shared, config->stream, parameters, extra);
}

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
  void *self = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  const char *lacks = getenv("FAKE_CUDA_LACKS");
  int is_missing = (lacks && !strcmp(lacks, symbol)) || version > number("FAKE_CUDA_VERSION", 13000);
  *function = is_missing ? 0 : dlsym(self, symbol);
  if (status) *status = *function ? 0 : 1;
  return *function ? 0 : NOT_FOUND;
}
int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, 0);
}
