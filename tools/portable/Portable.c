/* Portable.c - what the tool needs and an older GLIBC lacks

   The headers and LLVM's archives ask for symbols of GLIBC 2.35 and 2.36. Defined here, in the tool itself, they are
   not asked of the system. */

#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <unistd.h>

/* GLIBC 2.36. LLVM seeds hashes and names of temporary files with it. */
uint32_t arc4random(void) {
  uint32_t value = 0;
  unsigned char *at = (unsigned char *)&value;
  for (size_t left = sizeof value; left > 0;) {
    ssize_t got = getrandom(at, left, 0);
    if (got <= 0)
      return value ^ (uint32_t)getpid();
    at += got;
    left -= (size_t)got;
  }
  return value;
}

#ifdef __x86_64__
/* GLIBC 2.35 gave these a second version, without errno; the first computes the same. */
double hypotOfOld(double x, double y);
float hypotfOfOld(float x, float y);
__asm__(".symver hypotOfOld, hypot@GLIBC_2.2.5");
__asm__(".symver hypotfOfOld, hypotf@GLIBC_2.2.5");

double hypot(double x, double y) { return hypotOfOld(x, y); }
float hypotf(float x, float y) { return hypotfOfOld(x, y); }
#endif
