//===- MemoryPool.cpp - what programs get of a device's memory ------------===//

#include "partita/Machine/MemoryPool.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

#include <algorithm>
#include <cmath>

namespace partita::machine {

static bool isGpu(llvm::StringRef platform) { return platform == "cuda" || platform == "rocm"; }

bool hasGpuPool(const Machine &machine) { return isGpu(machine.platform); }

MemoryPool getDefaultPool(llvm::StringRef platform) {
  if (isGpu(platform))
    // 95% of the pool, of which estimates may be 6% short (docs/gpu.md): .95 / 1.06.
    return {{750'000, "jax-pool"}, {896'000, "xla-slop"}};
  return {{900'000, "convention"}, {wholePpm, "convention"}};
}

static int64_t takeShare(int64_t bytes, int64_t ppm) {
  return static_cast<int64_t>(static_cast<__int128>(bytes) * ppm / wholePpm);
}

int64_t getDefaultLimit(const Device &device, std::optional<int64_t> poolPpm) {
  int64_t pool = takeShare(device.memoryBytes.value, poolPpm.value_or(device.pool.sharePpm.value));
  return takeShare(pool, device.pool.plannedPpm.value);
}

std::optional<int64_t> findPoolPercent(const Machine &machine, int64_t peakBytes) {
  const Device &device = machine.device;
  if (!hasGpuPool(machine) || peakBytes <= getDefaultLimit(device))
    return std::nullopt;
  for (int64_t percent = 1; percent <= maxPoolPercent; ++percent)
    if (peakBytes <= getDefaultLimit(device, percent * wholePpm / 100))
      return percent;
  return std::nullopt;
}

std::string printPool(int64_t percent) { return llvm::formatv("{0}=.{1,0+2}", poolVariables[0], percent).str(); }

Result<int64_t> parsePoolFraction(llvm::StringRef variable, llvm::StringRef text) {
  double fraction = 0;
  if (text.trim().getAsDouble(fraction) || !std::isfinite(fraction) || fraction <= 0)
    return Error::usage((variable + "='" + text + "' is not a share of the memory").str())
        .withRemedy("write it as JAX reads it, .92 for 92%, or unset it");
  return std::max<int64_t>(1, std::llround(std::min(fraction, 1.0) * wholePpm));
}

Result<std::optional<int64_t>> readPool() {
  std::optional<int64_t> pool;
  for (llvm::StringRef variable : poolVariables) {
    std::optional<std::string> text = llvm::sys::Process::GetEnv(variable);
    if (!text || text->empty())
      continue;
    if (pool)
      return Error::usage((poolVariables[0] + " and " + poolVariables[1] + " are both set").str())
          .withRemedy("unset one of them; JAX refuses both, too");
    Result<int64_t> fraction = parsePoolFraction(variable, *text);
    if (!fraction)
      return fraction.error();
    pool = *fraction;
  }
  return pool;
}

} // namespace partita::machine
