//===- MemoryPool.h - what programs get of a device's memory --------------===//
//
// A runtime hands programs a pool, a share of the device's memory, and its
// compiler plans with a share of that pool. Peaks are estimates, which may be too
// low, so a plan fits if its estimate leaves room for that:
//
//   default limit = memory * pool * planned
//
// On GPUs JAX's pool is 75% of the memory, unless the environment says
// otherwise, and XLA plans with 95% of it; what may be planned is 1.06 times less.
// A plan may need a larger pool: `findPoolPercent` says which.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_MEMORYPOOL_H
#define PARTITA_MACHINE_MEMORYPOOL_H

#include "partita/Machine/Machine.h"
#include "partita/Machine/Rooms.h"
#include "partita/Support/Error.h"

namespace partita::machine {

/// The variables that set JAX's pool on GPUs. The first is the name that older versions know, too; JAX refuses both.
inline constexpr llvm::StringLiteral poolVariables[] = {"XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_CLIENT_MEM_FRACTION"};

/// The largest pool that is advised, in percent: the driver, libraries and the buffers of collectives need the rest.
inline constexpr int64_t maxPoolPercent = 97;

/// Whether the runtime's pool is one that the environment sets.
bool hasGpuPool(const Machine &machine);

/// The pool of a platform, by JAX's name; that of an unknown platform if the name is empty.
MemoryPool getDefaultPool(llvm::StringRef platform);

/// What a step may use unless a limit is given. `poolPpm` takes the place of the device's own pool.
int64_t getDefaultLimit(const Device &device, std::optional<int64_t> poolPpm = std::nullopt);

/// The smallest pool in which so many bytes fit, in percent, if it is larger than the device's own and at most
/// `maxPoolPercent`. Nothing where the environment sets no pool.
std::optional<int64_t> findPoolPercent(const Machine &machine, int64_t peakBytes);

/// `XLA_PYTHON_CLIENT_MEM_FRACTION=.92`, for the pool of 92 percent.
std::string printPool(int64_t percent);

/// `.92` as JAX reads it, in millionths. More than 1 is allowed (unified memory), and counts as 1: a device has no
/// more.
Result<int64_t> parsePoolFraction(llvm::StringRef variable, llvm::StringRef text);

/// The pool that the environment sets, in millionths of the memory. JAX refuses both variables together, and so does
/// this: nobody can say what a program would get.
Result<std::optional<int64_t>> readPool();

} // namespace partita::machine

#endif
