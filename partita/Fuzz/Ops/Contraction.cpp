//===- Contraction.cpp - dots and convolutions ----------------------------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/ProgramWriter.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

namespace {

/// Which dims of one operand are batch, contracted and free.
struct DotRoles {
  Shape batch, contracted, free;
};

} // namespace

static Shape gather(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
}

/// Roles for the dims of an operand that exists: most have one contracted dim.
static DotRoles drawRoles(ProgramWriter &writer, int64_t rank) {
  DotRoles roles;
  Shape order = writer.drawOrder(rank);
  int64_t contracted = writer.random.pick({0, 1, 1, 1, 1, 1, 2}), batch = writer.random.pick({0, 0, 1, 1, 2});
  for (int64_t dim : order) {
    if (static_cast<int64_t>(roles.contracted.size()) < contracted)
      roles.contracted.push_back(dim);
    else if (static_cast<int64_t>(roles.batch.size()) < batch)
      roles.batch.push_back(dim);
    else
      roles.free.push_back(dim);
  }
  llvm::sort(roles.free);
  return roles;
}

/// The other operand's shape, its dims in random order.
static Shape drawPartner(ProgramWriter &writer, ArrayRef<int64_t> lhs, const DotRoles &roles, DotRoles &partner) {
  Shape sizes = gather(lhs, roles.batch);
  sizes.append(gather(lhs, roles.contracted));
  sizes.append(writer.drawShape(0, 2, 24));
  Shape order =
      writer.random.chance(60) ? llvm::to_vector(llvm::seq<int64_t>(sizes.size())) : writer.drawOrder(sizes.size());
  Shape shape(sizes.size());
  for (auto [index, dim] : llvm::enumerate(order)) {
    shape[dim] = sizes[index];
    if (index < roles.batch.size())
      partner.batch.push_back(dim);
    else if (index < roles.batch.size() + roles.contracted.size())
      partner.contracted.push_back(dim);
    else
      partner.free.push_back(dim);
  }
  llvm::sort(partner.free);
  return shape;
}

/// Dots may accumulate in a wider type.
static Type drawResultElement(ProgramWriter &writer, Type element) {
  if (element.isBF16() && writer.random.chance(40))
    return writer.builder.getF32Type();
  if (element.isInteger(8) && element.isSignlessInteger() && writer.random.chance(50))
    return writer.getI32();
  return element;
}

void writeDotGeneral(ProgramWriter &writer) {
  Value lhs = writer.draw(Elements::Arithmetic, 0, 4);
  ArrayRef<int64_t> shape = typeOf(lhs).getShape();
  DotRoles left = drawRoles(writer, shape.size()), right;
  Shape other = drawPartner(writer, shape, left, right);
  if (ShapedType::getNumElements(other) > 2 * ProgramWriter::maxElements)
    return;
  Value rhs = writer.obtain(writer.getType(other, elementOf(lhs)));
  if (other == shape && writer.random.chance(20))
    rhs = lhs;
  Shape result = gather(shape, left.batch);
  result.append(gather(shape, left.free));
  result.append(gather(other, right.free));
  if (ShapedType::getNumElements(result) > ProgramWriter::maxResultElements || result.size() > 6)
    return;
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(writer.builder.getContext(), left.batch, right.batch,
                                                         left.contracted, right.contracted);
  writer.bound(writer.emitOne("stablehlo.dot_general", {lhs, rhs},
                              writer.getType(result, drawResultElement(writer, elementOf(lhs))),
                              writer.attribute("dot_dimension_numbers", numbers)));
}

void writeDot(ProgramWriter &writer) {
  Value lhs = writer.draw(Elements::Arithmetic, 1, 2);
  Shape shape(typeOf(lhs).getShape()), other = {shape.back()};
  if (writer.random.chance(70))
    other.push_back(writer.drawDim());
  Value rhs = writer.obtain(writer.getType(other, elementOf(lhs)));
  Shape result(ArrayRef(shape).drop_back());
  result.append(other.begin() + 1, other.end());
  writer.bound(writer.emitOne("stablehlo.dot", {lhs, rhs}, writer.getType(result, elementOf(lhs))));
}

/// Rows in groups of sizes known at run time.
void writeRaggedDot(ProgramWriter &writer) {
  Value lhs = writer.draw(Elements::Ordered, 2, 2);
  int64_t rows = typeOf(lhs).getDimSize(0), contracted = typeOf(lhs).getDimSize(1);
  int64_t groups = writer.random.pick({1, 2, 3, 4}), columns = writer.drawDim();
  Value rhs = writer.obtain(writer.getType({groups, contracted, columns}, elementOf(lhs)));
  Value sizes = writer.obtain(writer.getType({groups}, writer.getI32()));
  auto numbers = chlo::RaggedDotDimensionNumbersAttr::get(writer.builder.getContext(), {}, {}, {1}, {1}, {0}, {0});
  writer.bound(writer.emitOne("chlo.ragged_dot", {lhs, rhs, sizes}, writer.getType({rows, columns}, elementOf(lhs)),
                              writer.attribute("ragged_dot_dimension_numbers", numbers)));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

struct ConvWindow {
  Shape sizes, kernels, strides, dilations, baseDilations, low, high, results;
};

/// The positions of batch, feature and spatial dims.
struct ConvLayout {
  int64_t first, second;
  Shape spatial;

  Shape place(int64_t firstSize, int64_t secondSize, ArrayRef<int64_t> sizes) const {
    Shape shape(sizes.size() + 2);
    shape[first] = firstSize;
    shape[second] = secondSize;
    for (auto [dim, size] : llvm::zip_equal(spatial, sizes))
      shape[dim] = size;
    return shape;
  }
};

} // namespace

static ConvWindow drawConvWindow(ProgramWriter &writer, int64_t rank) {
  ConvWindow window;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isPlain = writer.random.chance(30);
    // Long dims have windows that pieces exchange edges for.
    int64_t size = rank == 1 ? writer.random.pick({4, 8, 12, 16, 24}) : writer.random.pick({3, 4, 6, 8});
    int64_t kernel = isPlain ? 1 : writer.random.pick({1, 2, 3});
    int64_t stride = isPlain ? 1 : writer.random.pick({1, 1, 2}), dilation = writer.random.pick({1, 1, 2});
    int64_t base = isPlain ? 1 : writer.random.pick({1, 1, 1, 2});
    int64_t low = isPlain ? 0 : writer.random.between(0, 2), high = isPlain ? 0 : writer.random.between(0, 2);
    int64_t total = (size - 1) * base + 1 + low + high, span = (kernel - 1) * dilation + 1;
    window.sizes.push_back(size);
    window.kernels.push_back(kernel);
    window.strides.push_back(stride);
    window.dilations.push_back(dilation);
    window.baseDilations.push_back(base);
    window.low.push_back(low);
    window.high.push_back(high);
    window.results.push_back(total < span ? 0 : (total - span) / stride + 1);
  }
  return window;
}

static ConvLayout drawLayout(ProgramWriter &writer, int64_t rank) {
  Shape order = writer.random.chance(50) ? llvm::to_vector(llvm::seq<int64_t>(rank + 2)) : writer.drawOrder(rank + 2);
  return {order[0], order[1], Shape(ArrayRef(order).drop_front(2))};
}

void writeConvolution(ProgramWriter &writer) {
  int64_t rank = writer.random.pick({0, 1, 1, 2}), featureGroups = writer.random.pick({1, 1, 1, 2, 4});
  int64_t batchGroups = featureGroups == 1 ? writer.random.pick({1, 1, 1, 2}) : 1;
  int64_t inputs = writer.random.pick({1, 2, 4}), batch = batchGroups * writer.random.pick({1, 2, 4});
  int64_t outputs = featureGroups * batchGroups * writer.random.pick({1, 2, 4});
  Type element = writer.drawElement(Elements::Ordered);
  ConvWindow window = drawConvWindow(writer, rank);
  ConvLayout lhs = drawLayout(writer, rank), rhs = drawLayout(writer, rank), to = drawLayout(writer, rank);
  Value image = writer.obtain(writer.getType(lhs.place(batch, inputs * featureGroups, window.sizes), element));
  Value kernel = writer.obtain(writer.getType(rhs.place(inputs, outputs, window.kernels), element));
  auto numbers =
      stablehlo::ConvDimensionNumbersAttr::get(writer.builder.getContext(), lhs.first, lhs.second, lhs.spatial,
                                               rhs.first, rhs.second, rhs.spatial, to.first, to.second, to.spatial);
  RankedTensorType type = writer.getType(to.place(batch / batchGroups, outputs, window.results), element);
  writer.bound(writer.emitOne(
      "stablehlo.convolution", {image, kernel}, type,
      {writer.attribute("window_strides", window.strides), writer.pairs("padding", window.low, window.high),
       writer.attribute("lhs_dilation", window.baseDilations), writer.attribute("rhs_dilation", window.dilations),
       writer.attribute("dimension_numbers", numbers), writer.integer("feature_group_count", featureGroups),
       writer.integer("batch_group_count", batchGroups)}));
}

} // namespace partita::fuzz
