import { createRandom, type Random } from './random.ts'

/** A fault of the house, and how long it lasts. A victim is one of the processes. */
export type ChaosFault =
  /** Stops with all its connections, as a paused machine does. */
  | { kind: 'freeze'; victim: number; ms: number }
  /** Ends without a word and is started again. */
  | { kind: 'kill'; victim: number; ms: number }
  /** Has another time than the database. */
  | { kind: 'clock'; victim: number; ms: number }
  /** Its connections to the database are reset, and no new one is made. */
  | { kind: 'cut'; victim: number; ms: number }
  /** Nothing comes through to the database and back. */
  | { kind: 'silence'; victim: number; ms: number }
  /** PostgreSQL ends without a word and is started again. */
  | { kind: 'crash'; ms: number }
  /** PostgreSQL stops with all its connections, and goes on. */
  | { kind: 'pause'; ms: number }
  /** Every session of the database is ended. */
  | { kind: 'terminate'; ms: number }

/** One fault, so long after everybody asked something. */
export interface ChaosRound {
  afterMs: number
  fault: ChaosFault
}

const AFTER_MS_MAX = 3_000
const AWAY_MS = { min: 1_000, max: 40_000 }
const CRASHED_MS_MAX = 20_000
const KILLED_MS_MAX = 10_000

/** Takes half a minute and shows the three that hurt most: longer than a lease, all at once, for good. */
export const SHORT_ROUNDS: readonly ChaosRound[] = [
  { afterMs: 1_000, fault: { kind: 'freeze', victim: 0, ms: 8_500 } },
  { afterMs: 1_500, fault: { kind: 'crash', ms: 1_000 } },
  { afterMs: 2_000, fault: { kind: 'kill', victim: 1, ms: 0 } },
]

/** Plans rounds at random: the same for the same seed. */
export function planRounds({ seed, count }: { seed: string; count: number }): ChaosRound[] {
  const random = createRandom(`${seed} chaos`)
  return Array.from({ length: count }, () => ({
    afterMs: random.integer(0, AFTER_MS_MAX),
    fault: planFault(random, { victims: 2 }),
  }))
}

/**
 * Plans a fault of one of the first processes, or of PostgreSQL.
 *
 * @param awayMsMax The longest time that a process stands still or is cut off.
 */
export function planFault(
  random: Random,
  { victims, awayMsMax = AWAY_MS.max }: { victims: number; awayMsMax?: number },
): ChaosFault {
  const victim = random.integer(0, victims - 1)
  const away = { victim, ms: random.integer(AWAY_MS.min, awayMsMax) }
  const kind = random.pick([
    'freeze',
    'kill',
    'clock',
    'cut',
    'silence',
    'crash',
    'terminate',
  ] as const)
  switch (kind) {
    case 'freeze':
    case 'clock':
    case 'cut':
    case 'silence':
      return { kind, ...away }
    case 'kill':
      return { kind, victim, ms: random.integer(0, KILLED_MS_MAX) }
    case 'crash':
      return { kind, ms: random.integer(0, CRASHED_MS_MAX) }
    case 'terminate':
      return { kind, ms: 0 }
  }
}
