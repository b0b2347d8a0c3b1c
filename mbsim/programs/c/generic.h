/* What the files of this folder take from elsewhere where they are compiled once for all units: the C library's declarations, so that no
   header of a system is in it. */

#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)
#define isfinite(x) __builtin_isfinite(x)
#define isnan(x) __builtin_isnan(x)
#define INFINITY __builtin_inf()
#define NAN __builtin_nan("")
#define INT64_MAX 0x7fffffffffffffff
#define bool _Bool
#define true 1
#define false 0
#define COUNT_OF(table) ((size_t)count_of_##table)

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t, intptr_t;
typedef unsigned long long uint64_t;
typedef __SIZE_TYPE__ size_t;

double fabs(double), fmax(double, double), fmin(double, double), floor(double), sqrt(double), pow(double, double), cos(double), sin(double);
double atan2(double, double);
void *memcpy(void *, const void *, size_t), *memset(void *, int, size_t), *malloc(size_t), *calloc(size_t, size_t);
void free(void *);
int memcmp(const void *, const void *, size_t), strcmp(const char *, const char *), snprintf(char *, size_t, const char *, ...);
size_t strlen(const char *);
char *strcpy(char *, const char *);
