//===- RandomProgram.cpp - generates a random well-typed program ----------===//

#include "partita/Fuzz/RandomProgram.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/ProgramWriter.h"
#include "partita/Fuzz/RandomSharding.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

static constexpr Family families[] = {
    {"unary", 8, true, true, writeUnary},
    {"binary", 10, true, true, writeBinary},
    {"chlo unary", 7, false, false, writeChloUnary},
    {"chlo broadcast", 6, true, true, writeChloBroadcast},
    {"compare", 2, true, true, writeCompare},
    {"select", 3, true, true, writeSelect},
    {"clamp", 2, true, true, writeClamp},
    {"convert", 3, true, true, writeConvert},
    {"bitcast", 2, false, true, writeBitcast},
    {"complex", 4, false, false, writeComplex},
    {"broadcast", 4, true, true, writeBroadcast},
    {"iota", 2, true, true, writeIota},
    {"transpose", 4, true, true, writeTranspose},
    {"reverse", 2, true, true, writeReverse},
    {"reshape", 7, true, true, writeReshape},
    {"concatenate", 3, true, true, writeConcatenate},
    {"slice", 3, true, true, writeSlice},
    {"pad", 3, true, true, writePad},
    {"moved rows", 26, true, true, writeMovedRows},
    {"dynamic slice", 4, true, true, writeDynamicSlice},
    {"dynamic update slice", 4, true, true, writeDynamicUpdateSlice},
    {"dot_general", 8, true, true, writeDotGeneral},
    {"dot", 2, true, true, writeDot},
    {"ragged dot", 1, true, false, writeRaggedDot},
    {"convolution", 10, true, true, writeConvolution},
    {"gather", 5, true, true, writeGather},
    {"scatter", 5, true, true, writeScatter},
    {"reduce", 7, true, true, writeReduce},
    {"reduce window", 9, true, true, writeReduceWindow},
    {"running sum", 6, true, true, writeRunningSum},
    {"select and scatter", 5, true, false, writeSelectAndScatter},
    {"sort", 4, true, true, writeSort},
    {"top_k", 4, true, true, writeTopK},
    {"map", 1, true, true, writeMap},
    {"fft", 1, false, false, writeFft},
    {"cholesky", 1, false, false, writeCholesky},
    {"triangular solve", 1, false, false, writeTriangularSolve},
    {"batch norm", 2, false, false, writeBatchNorm},
    {"random bits", 1, true, false, writeRandomBits},
    {"while", 3, true, true, writeWhile},
    {"scan", 3, true, true, writeScan},
    {"layers", 3, true, true, writeLayers},
    {"accumulation", 3, true, true, writeAccumulation},
    {"case", 2, true, true, writeCase},
    {"if", 2, true, true, writeIf},
    {"barrier", 2, true, true, writeBarrier},
    {"constraint", 3, true, true, writeConstraint},
    {"custom call", 1, true, false, writeCustomCall},
    {"einsum", 1, true, true, writeEinsum},
    {"unary einsum", 1, true, true, writeUnaryEinsum},
    {"torch_index_select", 1, true, false, writeTorchIndexSelect},
    {"reduce_precision", 1, false, true, writeReducePrecision},
    {"chlo scan", 1, true, false, writeChloScan},
    {"constant_like", 2, true, false, writeConstantLike},
    {"broadcast_select", 2, true, false, writeBroadcastSelect},
    {"dimension size", 2, true, false, writeDimensionSize},
    {"other dialects", 3, true, false, writeOtherDialects},
    {"linear", 5, true, true, writeLinear},
    {"softmax", 2, false, false, writeSoftmax},
    {"normalisation", 2, false, false, writeNormalization},
    {"gradient", 4, true, true, writeGradient},
    {"fused", 3, true, true, writeFused},
    {"sums", 8, true, true, writeSums},
    {"lookup", 3, true, true, writeLookup},
};

llvm::ArrayRef<Family> getFamilies() { return families; }

namespace {

/// The results of @main, and which of them are the next state of an argument.
struct Returned {
  Values values;
  /// Pairs of argument and position in `values`.
  SmallVector<std::pair<unsigned, unsigned>> states;
};

} // namespace

/// The last values, some others, an argument now and then, one of them twice.
static Returned drawReturned(ProgramWriter &writer, Block &block) {
  Returned returned;
  ArrayRef<Value> visible = writer.getVisible();
  Values computed;
  for (Value value : visible)
    if (!isa<BlockArgument>(value))
      computed.push_back(value);
  for (Value value : llvm::reverse(computed))
    if (returned.values.empty() || (returned.values.size() < 6 && writer.random.chance(45)))
      returned.values.push_back(value);
  if (returned.values.empty() || writer.random.chance(6))
    returned.values.push_back(writer.random.pick<Value>(visible));
  if (writer.random.chance(5))
    returned.values.push_back(returned.values.front());
  SmallVector<bool> isTaken(block.getNumArguments());
  for (auto [position, value] : llvm::enumerate(returned.values))
    for (BlockArgument argument : block.getArguments())
      if (argument.getType() == value.getType() && !isTaken[argument.getArgNumber()] && writer.random.chance(30)) {
        isTaken[argument.getArgNumber()] = true;
        returned.states.push_back({argument.getArgNumber(), position});
        break;
      }
  return returned;
}

/// Names a state's argument `state.p0` and its result `result.p0`, so that they are tied. Other results have names that
/// match no argument.
static void nameStates(func::FuncOp main, const Returned &returned) {
  Builder builder(main.getContext());
  Block &block = main.getBody().front();
  for (unsigned index = 0; index < returned.values.size(); ++index)
    main.setResultAttr(index, "jax.result_info", builder.getStringAttr("out.y" + std::to_string(index)));
  for (auto [index, state] : llvm::enumerate(returned.states)) {
    std::string name = ".p" + std::to_string(index);
    block.getArgument(state.first).setLoc(NameLoc::get(builder.getStringAttr("state" + name)));
    main.setResultAttr(state.second, "jax.result_info", builder.getStringAttr("result" + name));
  }
}

/// Shardings of arguments and results, as a user writes them.
static void shardBoundary(ProgramWriter &writer, func::FuncOp main) {
  auto draw = [&](Type type) {
    return drawSharding(writer.random, writer.getOptions().mesh, cast<RankedTensorType>(type).getShape(),
                        main.getContext());
  };
  for (unsigned index = 0; index < main.getNumArguments(); ++index)
    if (writer.random.chance(15))
      main.setArgAttr(index, "sdy.sharding", draw(main.getArgumentTypes()[index]));
  for (unsigned index = 0; index < main.getNumResults(); ++index)
    if (writer.random.chance(10))
      main.setResultAttr(index, "sdy.sharding", draw(main.getResultTypes()[index]));
}

/// Donates the buffers of some arguments, to a result of their type or to any result.
static void donateArguments(ProgramWriter &writer, func::FuncOp main) {
  Builder &builder = writer.builder;
  llvm::BitVector isAliased(main.getNumResults());
  for (unsigned index = 0; index < main.getNumArguments(); ++index) {
    unsigned result = writer.random.below(main.getNumResults());
    if (!writer.random.chance(20))
      continue;
    if (main.getArgumentTypes()[index] == main.getResultTypes()[result] && !isAliased[result]) {
      main.setArgAttr(index, "tf.aliasing_output", builder.getI32IntegerAttr(result));
      isAliased.set(result);
    } else {
      main.setArgAttr(index, "jax.buffer_donor", builder.getBoolAttr(true));
    }
  }
}

static void finish(ProgramWriter &writer, func::FuncOp main) {
  Block &block = main.getBody().front();
  if (writer.getVisible().empty())
    writer.addArgument(writer.getType({4, 4}, writer.builder.getF32Type()));
  Returned returned = drawReturned(writer, block);
  func::ReturnOp::create(writer.builder, writer.loc, returned.values);
  main.setType(writer.builder.getFunctionType(block.getArgumentTypes(), ValueRange(returned.values).getTypes()));
  nameStates(main, returned);
  donateArguments(writer, main);
  if (writer.getOptions().constraints)
    shardBoundary(writer, main);
}

static void addMesh(OpBuilder &builder, Location loc, const Mesh &mesh) {
  SmallVector<sdy::MeshAxisAttr> axes;
  for (const MeshAxis &axis : mesh.axes)
    axes.push_back(sdy::MeshAxisAttr::get(builder.getContext(), axis.name, axis.size));
  sdy::MeshOp::create(builder, loc, "mesh", sdy::MeshAttr::get(builder.getContext(), axes, {}));
}

Result<OwningOpRef<ModuleOp>> makeRandomProgram(uint64_t seed, const ProgramOptions &options, MLIRContext &context) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  if (options.constraints)
    addMesh(builder, loc, options.mesh);
  auto main = func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, {}));
  main.setPublic();
  main.addEntryBlock();
  ProgramWriter writer(seed, options, main);
  int64_t target = writer.random.between(options.fewestOps, options.mostOps);
  // There are many elementwise ops, each of them rare. So most programs have some in a row, which padding reaches.
  int64_t before = writer.random.chance(60) ? writer.random.below(target) : target;
  auto writeUntil = [&](int64_t numOps) {
    for (int64_t tries = 0; writer.getNumOps() < numOps && tries < 4 * numOps; ++tries)
      writer.writeOps(1);
  };
  writeUntil(before);
  if (options.gradients)
    writeGradientLoops(writer);
  if (before < target) {
    int64_t numOps = writer.getNumOps();
    writeFunctions(writer);
    target += writer.getNumOps() - numOps;
  }
  writeUntil(target);
  finish(writer, main);
  std::string reason;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (reason.empty())
      reason = diagnostic.str();
    return success();
  });
  if (failed(mlir::verify(*module)))
    return Error::internal("a generated program does not verify: " + reason);
  return std::move(module);
}

} // namespace partita::fuzz
