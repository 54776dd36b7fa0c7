import type { BenchPart } from '../part.ts'
import { body } from './body.ts'
import { delivery } from './delivery.ts'
import { endurance } from './endurance.ts'
import { grown } from './grown/grown.ts'
import { history } from './history.ts'
import { manyUsers } from './many-users.ts'
import { oneUser } from './one-user.ts'
import { orders } from './orders.ts'
import { pairs } from './pairs.ts'
import { plain } from './plain.ts'
import { processes } from './processes/processes.ts'
import { reservations } from './reservations.ts'
import { silence } from './silence.ts'
import { start } from './start.ts'
import { stream } from './stream.ts'

/** All parts by their names, in the order in which they are measured and published. */
export const PARTS: Readonly<Record<string, BenchPart>> = {
  plain,
  stream,
  pairs,
  silence,
  body,
  endurance,
  'one-user': oneUser,
  'many-users': manyUsers,
  history,
  orders,
  start,
  delivery,
  reservations,
  // What a grown database leaves to be done in the background comes last.
  processes,
  grown,
}
