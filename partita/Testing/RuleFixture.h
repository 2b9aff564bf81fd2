//===- RuleFixture.h - the rule of one op and its local programs ----------===//
//
// `getRule({"4x6xf32"}, "stablehlo.abs %0 : tensor<4x6xf32>")` parses the op in
// a function whose arguments are %0, %1, ..., and returns its rule as text. It
// also emits the local op for each split of one or two factors and checks that it
// is valid and has the types of the pieces; not that it computes the right thing.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TESTING_RULEFIXTURE_H
#define PARTITA_TESTING_RULEFIXTURE_H

#include "partita/Dialect/AllDialects.h"
#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/Rules.h"
#include "partita/Testing/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace partita::fixtures {

class RuleFixture : public testing::Test {
protected:
  RuleFixture() : context(makeRegistry()) { context.loadAllAvailableDialects(); }

  /// The op, in a function of a module that lives as long as the test; null if it does not parse.
  mlir::Operation *parse(llvm::ArrayRef<std::string> arguments, const std::string &op) {
    std::string text = "func.func @main(";
    for (auto [index, type] : llvm::enumerate(arguments))
      text += (index ? ", %" : "%") + std::to_string(index) + ": tensor<" + type + ">";
    text += ") {\n" + op + "\nreturn\n}\n";
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    if (!modules.back())
      return nullptr;
    auto function = *modules.back()->getOps<mlir::func::FuncOp>().begin();
    return &function.getBody().front().front();
  }

  /// The rule, and after two slashes the reasons why dims stay whole.
  std::string getRule(llvm::ArrayRef<std::string> arguments, const std::string &text) {
    mlir::Operation *op = parse(arguments, nameResult(text));
    if (!op)
      return "does not parse";
    Result<OpRule> rule = computeRule(op, {});
    if (!rule || rule->isUnknown)
      return "no rule";
    EXPECT_EQ(rule->whole.empty(), llvm::all_of(rule->rule.factors, [](const Factor &f) { return f.isSplittable(); }));
    checkLocalForms(op, rule->rule);
    return printRule(rule->rule);
  }

  /// Emits the local op for `parts` of each factor, in a function over pieces and indices; null if it is not valid.
  mlir::func::FuncOp emit(mlir::Operation *op, const Rule &rule, llvm::ArrayRef<int64_t> parts) {
    mlir::OpBuilder builder(&context);
    mlir::Location loc = op->getLoc();
    modules.push_back(mlir::ModuleOp::create(loc));
    builder.setInsertionPointToEnd(modules.back()->getBody());
    auto function = mlir::func::FuncOp::create(builder, loc, "local", builder.getFunctionType({}, {}));
    mlir::Block *block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    llvm::SmallVector<Split> splits;
    for (auto [factor, count] : llvm::enumerate(parts))
      if (count > 1)
        splits.push_back(
            {uint8_t(factor), count, block->addArgument(mlir::RankedTensorType::get({}, builder.getI64Type()), loc)});
    if (!isValidSplit(rule, splits))
      return nullptr;
    llvm::SmallVector<mlir::Value> operands;
    for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), rule.operands))
      operands.push_back(block->addArgument(getPieceType(operand.getType(), factors, splits), loc));
    llvm::SmallVector<mlir::Value> results = emitLocal(builder, op, rule, operands, splits);
    setExchanges(*block, splits);
    EXPECT_EQ(results.size(), op->getNumResults());
    for (auto [result, piece, factors] : llvm::zip_equal(op->getResults(), results, rule.results))
      EXPECT_TRUE(piece.getType() == getPieceType(result.getType(), factors, splits));
    mlir::func::ReturnOp::create(builder, loc, results);
    function.setType(builder.getFunctionType(block->getArgumentTypes(), mlir::TypeRange(mlir::ValueRange(results))));
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*modules.back()))) << printRule(rule);
    return function;
  }

  /// Gives what devices exchange their devices: one for each part.
  static void setExchanges(mlir::Block &block, llvm::ArrayRef<Split> splits) {
    for (mlir::Operation &made : block)
      for (const Split &split : splits)
        if (findExchange(&made) == split.factor) {
          std::vector<int64_t> group;
          for (int64_t index = 0; index < split.parts; ++index)
            group.push_back(index);
          setDevices(&made, {group});
          break;
        }
  }

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  static std::string nameResult(const std::string &text) { return text.front() == '%' ? text : "%result = " + text; }

  static mlir::Type getPieceType(mlir::Type type, const ValueFactors &factors, llvm::ArrayRef<Split> splits) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return tensor ? tensor.clone(computeLocalShape(tensor.getShape(), factors, splits)) : type;
  }

  static int64_t getSmallestDivisor(int64_t size) {
    int64_t divisor = 2;
    while (size % divisor != 0)
      ++divisor;
    return divisor;
  }

  /// Every factor alone and every pair, each split into as few and into as many parts as possible.
  void checkLocalForms(mlir::Operation *op, const Rule &rule) {
    size_t numFactors = rule.factors.size();
    auto choices = [&](size_t f) {
      int64_t size = rule.factors[f].size;
      return rule.factors[f].isSplittable() ? llvm::SmallVector<int64_t>{getSmallestDivisor(size), size}
                                            : llvm::SmallVector<int64_t>{1};
    };
    emit(op, rule, llvm::SmallVector<int64_t>(numFactors, 1));
    for (size_t a = 0; a < numFactors; ++a)
      for (size_t b = a; b < numFactors; ++b)
        for (int64_t partsOfA : choices(a))
          for (int64_t partsOfB : choices(b)) {
            llvm::SmallVector<int64_t> parts(numFactors, 1);
            parts[b] = partsOfB;
            parts[a] = partsOfA;
            emit(op, rule, parts);
          }
  }

  mlir::MLIRContext context;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
};

} // namespace partita::fixtures

#endif
