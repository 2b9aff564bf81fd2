//===- Options.h - everything a user can set ------------------------------===//
//
// Composed of the rooms' own structs; each field is declared once, with its
// default, unit, range and help.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_OPTIONS_H
#define PARTITA_DRIVER_OPTIONS_H

#include "partita/Program/Import/Import.h"
#include "partita/Support/Limits.h"

namespace partita {

struct Options {
  std::string output;
  bool locations = false;
  bool timing = false;
  bool help = false;
  std::string stopAfter;
  ImportOptions import;
  Limits limits;

  void visitOptions(OptionVisitor &visitor) {
    visitor.text({"output", "path", "Where to write (also -o); standard output if not given"}, output);
    visitor.choice({"stop-after", "stage", "Prints that stage's value and stops"}, stopAfter, {"import"});
    visitor.toggle({"locations", "", "Prints source locations with the program"}, locations);
    visitor.toggle({"timing", "", "Prints each stage's time to standard error, a JSON object a line"}, timing);
    visitor.toggle({"help", "", "Prints this help"}, help);
    import.visitOptions(visitor);
    limits.visitOptions(visitor);
  }
};

} // namespace partita

#endif
