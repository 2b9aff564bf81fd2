//===- Sharding.cpp - how one tensor is divided among the devices ---------===//

#include "partita/Propagate/Sharding.h"

#include "llvm/ADT/StringExtras.h"

namespace partita::propagate {

int Sharding::findAxis(AxisId axis) const {
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (llvm::is_contained(dims[dim], axis))
      return static_cast<int>(dim);
  return -1;
}

llvm::SmallVector<int64_t> getLocalShape(const Axes &axes, llvm::ArrayRef<int64_t> shape, const Sharding &sharding) {
  llvm::SmallVector<int64_t> local(shape);
  for (size_t dim = 0; dim < local.size(); ++dim)
    for (AxisId axis : sharding.dims[dim]) {
      assert(local[dim] % axes[axis].size == 0 && "a dim that does not divide");
      local[dim] /= axes[axis].size;
    }
  return local;
}

std::string printSharding(const Axes &axes, const Sharding &sharding) {
  std::string text = "[";
  for (const DimAxes &dim : sharding.dims) {
    text += text.size() > 1 ? ", {" : "{";
    text += llvm::join(getNames(axes, dim), ", ") + "}";
  }
  return text + "]";
}

std::string printPartialSharding(const Axes &axes, const PartialSharding &sharding) {
  std::string text = printSharding(axes, sharding.sharding);
  if (!sharding.partial.empty())
    text +=
        (" partial(" + getName(sharding.combiner) + ") {" + llvm::join(getNames(axes, sharding.partial), ", ") + "}")
            .str();
  return text;
}

} // namespace partita::propagate
