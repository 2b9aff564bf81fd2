//===- partita.cpp - the command-line tool --------------------------------===//

#include "partita/Driver/Commands.h"

int main(int argc, char **argv) { return partita::driver::runCommandLine({argv + 1, argv + argc}); }
