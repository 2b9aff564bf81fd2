//===- LoopFormat.cpp - parses and prints part.loop -----------------------===//

#include "partita/Dialect/Part/LoopFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partita::part {

ParseResult parseAxis(OpAsmParser &parser, sdy::AxisRefAttr &axis) {
  axis = dyn_cast_or_null<sdy::AxisRefAttr>(sdy::AxisRefAttr::parse(parser, Type()));
  return success(axis != nullptr);
}

void printAxis(OpAsmPrinter &printer, Operation *, sdy::AxisRefAttr axis) { printer.printStrippedAttrOrType(axis); }

/// The attribute behind the keyword, without the dialect's name.
static ParseResult parseAction(OpAsmParser &parser, Attribute &action) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return parser.emitError(loc, "expected tile, sum or any");
  if (keyword == TileAttr::getMnemonic())
    action = TileAttr::parse(parser, Type());
  else if (keyword == SumAttr::getMnemonic())
    action = SumAttr::parse(parser, Type());
  else if (keyword == AnyAttr::getMnemonic())
    action = AnyAttr::get(parser.getContext());
  else
    return parser.emitError(loc, "expected tile, sum or any, not '") << keyword << "'";
  return success(action != nullptr);
}

ParseResult parseActions(OpAsmParser &parser, ArrayAttr &actions) {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     [&] { return parseAction(parser, list.emplace_back()); }))
    return failure();
  actions = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printAction(OpAsmPrinter &printer, Attribute action) {
  if (auto tile = dyn_cast<TileAttr>(action)) {
    printer << TileAttr::getMnemonic();
    tile.print(printer);
  } else if (auto sum = dyn_cast<SumAttr>(action)) {
    printer << SumAttr::getMnemonic();
    sum.print(printer);
  } else {
    printer << AnyAttr::getMnemonic();
  }
}

void printActions(OpAsmPrinter &printer, Operation *, ArrayAttr actions) {
  printer << '[';
  llvm::interleaveComma(actions, printer, [&](Attribute action) { printAction(printer, action); });
  printer << ']';
}

ParseResult parseLoopBody(OpAsmParser &parser, Region &body) {
  OpAsmParser::Argument position;
  position.type = RankedTensorType::get({}, parser.getBuilder().getI64Type());
  if (parser.parseLParen() || parser.parseArgument(position) || parser.parseRParen())
    return failure();
  return parser.parseRegion(body, position);
}

void printLoopBody(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << '(';
  printer.printRegionArgument(body.getArgument(0), /*argAttrs=*/{}, /*omitType=*/true);
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

} // namespace partita::part
