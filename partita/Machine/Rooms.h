//===- Rooms.h - the namespaces that Machine uses -------------------------===//

#ifndef PARTITA_MACHINE_ROOMS_H
#define PARTITA_MACHINE_ROOMS_H

namespace partita::machine {} // namespace partita::machine

#endif
