/* A libcuda.so.1 for tests: memory is the host's, kernels are not run, every call is written to a log.

   FAKE_CUDA_LOG   file that gets one line per call
   FAKE_CUDA_STATIC  bytes of static shared memory that every kernel has
   FAKE_CUDA_FAIL  NAME=CODE: that function returns CODE; NAME=CODE@N: from the Nth call on */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  return 0;
}

static uintptr_t next_handle = 0x1000, free_stream;
static uintptr_t handle(void) { return next_handle += 0x10; }
typedef uintptr_t H;

int cuInit(unsigned flags) { return note("cuInit", "%u", flags); }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return note("cuDeviceGet", "%d", ordinal); }
int cuDeviceGetCount(int *count) {
  const char *given = getenv("FAKE_CUDA_DEVICES");
  *count = given ? atoi(given) : 1;
  return 0;
}
int cuDeviceGetName(char *name, int length, int device) { snprintf(name, length, "Fake GPU"); return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? 9 : attribute == 16 ? 8 : 0; /* compute capability 9.0, multiprocessors */
  return 0;
}
int cuDevicePrimaryCtxRetain(H *context, int device) { *context = 0x500; return note("cuDevicePrimaryCtxRetain", "%d", device); }
int cuCtxSetCurrent(H context) { return note("cuCtxSetCurrent", "%lx", context); }
int cuCtxSynchronize(void) { return note("cuCtxSynchronize", ""); }
int cuStreamCreate(H *stream, unsigned flags) { *stream = free_stream ? free_stream : handle(); free_stream = 0; return note("cuStreamCreate", "%lx %u", *stream, flags); }
int cuStreamDestroy(H stream) { free_stream = stream; return note("cuStreamDestroy", "%lx", stream); }
int cuStreamSynchronize(H stream) { return note("cuStreamSynchronize", "%lx", stream); }
int cuStreamWaitEvent(H stream, H event, unsigned flags) { return note("cuStreamWaitEvent", "%lx %lx", stream, event); }
int cuEventCreate(H *event, unsigned flags) { *event = handle(); return note("cuEventCreate", "%lx %u", *event, flags); }
int cuEventDestroy(H event) { return note("cuEventDestroy", "%lx", event); }
int cuEventRecord(H event, H stream) { return note("cuEventRecord", "%lx %lx", event, stream); }
int cuEventSynchronize(H event) { return note("cuEventSynchronize", "%lx", event); }
int cuEventElapsedTime(float *time, H begin, H end) { *time = 0.5f; return note("cuEventElapsedTime", "%lx %lx", begin, end); }
int cuMemAlloc(H *address, size_t size) {
  *address = size > ((size_t)1 << 36) ? 0 : (H)calloc(1, size);
  int code = note("cuMemAlloc", "%lx %zu", *address, size);
  return *address ? code : 2;
}
int cuMemAllocManaged(H *address, size_t size, unsigned flags) { *address = (H)calloc(1, size); return note("cuMemAllocManaged", "%lx %zu", *address, size); }
int cuMemAllocHost(void **address, size_t size) { *address = calloc(1, size); return note("cuMemAllocHost", "%p %zu", *address, size); }
int cuMemFree(H address) { int code = note("cuMemFree", "%lx", address); free((void *)address); return code; }
int cuMemcpyAsync(H target, H source, size_t size, H stream) {
  int code = note("cuMemcpyAsync", "%lx %lx %zu %lx", target, source, size, stream);
  if (!code) memcpy((void *)target, (void *)source, size);
  return code;
}
int cuMemsetD32Async(H target, unsigned value, size_t count, H stream) {
  for (size_t i = 0; i < count; i++) ((uint32_t *)target)[i] = value;
  return note("cuMemsetD32Async", "%lx %u %zu %lx", target, value, count, stream);
}
int cuMemsetD16Async(H target, unsigned short value, size_t count, H stream) {
  for (size_t i = 0; i < count; i++) ((uint16_t *)target)[i] = value;
  return note("cuMemsetD16Async", "%lx %u %zu %lx", target, value, count, stream);
}
int cuModuleLoadData(H *module, const char *image) { *module = handle(); return note("cuModuleLoadData", "%lx %s", *module, strstr(image, ".version") ? "ptx" : "other"); }
int cuModuleLoadDataEx(H *module, const char *image, unsigned count, const int *options, void **values) {
  *module = handle();
  int code = note("cuModuleLoadDataEx", "%lx %s", *module, strstr(image, ".version") ? "ptx" : "other");
  size_t size = 0;
  for (unsigned i = 0; i < count; i++)
    if (options[i] == 6) size = (size_t)values[i]; /* CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES */
  for (unsigned i = 0; code && i < count; i++)
    if (options[i] == 5) snprintf(values[i], size, "ptxas fatal : nothing assembles here"); /* ..._BUFFER */
  return code;
}
int cuModuleUnload(H module) { return note("cuModuleUnload", "%lx", module); }
int cuModuleGetFunction(H *function, H module, const char *name) { *function = handle(); return note("cuModuleGetFunction", "%lx %lx %s", *function, module, name); }
int cuFuncSetAttribute(H function, int attribute, int value) { return note("cuFuncSetAttribute", "%lx %d %d", function, attribute, value); }
int cuFuncGetAttribute(int *value, int attribute, H function) {
  const char *given = getenv("FAKE_CUDA_STATIC");
  *value = given && attribute == 1 ? atoi(given) : 0; /* CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES */
  return 0;
}
int cuLaunchKernel(H function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, H stream, void **parameters, void **extra) {
  return note("cuLaunchKernel", "%lx %u %u %u %u %u %u %u %lx %lx", function, gx, gy, gz, bx, by, bz, shared, stream, parameters ? *(H *)parameters[1] : 0);
}
int cuLaunchKernelEx(void *config, H function, void **parameters, void **extra) {
  unsigned *c = config;
  return note("cuLaunchKernelEx", "%lx %u %u %u %u %u %u", function, c[0], c[1], c[2], c[3], c[4], c[5]);
}
int cuMemHostRegister(H address, size_t size, unsigned flags) { return note("cuMemHostRegister", "%lx %zu", address, size); }
int cuMemHostUnregister(H address) { return note("cuMemHostUnregister", "%lx", address); }

/* FAKE_CUDA_LACKS: a function that this driver is too old to have. */
int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
  void *self = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  const char *lacks = getenv("FAKE_CUDA_LACKS");
  *function = lacks && !strcmp(lacks, symbol) ? 0 : dlsym(self, symbol);
  if (status) *status = *function ? 0 : 1;
  return *function ? 0 : 500;
}
int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, 0);
}
