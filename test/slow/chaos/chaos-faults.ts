import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosHouse, ChaosProcess } from './chaos-house.ts'
import type { Random } from './random.ts'

const TERMINATE_ALL = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`

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

const AWAY_MS = { min: 1_000, max: 25_000 }
const CRASHED_MS_MAX = 20_000
const KILLED_MS_MAX = 10_000

/** Does to the house what a fault is. Resolves once the fault is over. */
export async function carryOut(
  fault: ChaosFault,
  { processes, server, pool }: Pick<ChaosHouse, 'processes' | 'server' | 'pool'>,
): Promise<void> {
  switch (fault.kind) {
    case 'freeze': {
      const { process } = victimOf(fault)
      process.freeze()
      await delay(fault.ms)
      return process.thaw()
    }
    case 'kill': {
      const killed = victimOf(fault)
      await killed.process.kill()
      await delay(fault.ms)
      return killed.restart()
    }
    case 'clock': {
      const { process } = victimOf(fault)
      process.shiftClock()
      await delay(fault.ms)
      return process.shiftClock()
    }
    case 'cut': {
      const { proxy } = victimOf(fault)
      proxy.cut()
      await delay(fault.ms)
      return proxy.mend()
    }
    case 'silence': {
      const { proxy } = victimOf(fault)
      proxy.hold()
      await delay(fault.ms)
      return proxy.mend()
    }
    case 'crash':
      if (server === undefined) throw new TypeError('Cannot crash a server that others use')
      await server.kill()
      await delay(fault.ms)
      return server.start()
    case 'pause':
      if (server === undefined) throw new TypeError('Cannot pause a server that others use')
      await server.freeze()
      await delay(fault.ms)
      return server.thaw()
    case 'terminate':
      return void (await pool.query(TERMINATE_ALL))
  }

  function victimOf({ victim }: { victim: number }): ChaosProcess {
    const found = processes[victim]
    if (found === undefined) throw new RangeError(`Cannot find process ${victim}`)
    return found
  }
}

/** Plans a fault of one of the first processes, or of PostgreSQL. */
export function planFault(random: Random, victims: number): ChaosFault {
  const victim = random.integer(0, victims - 1)
  const away = { victim, ms: random.integer(AWAY_MS.min, AWAY_MS.max) }
  const kind = random.pick([
    'freeze',
    'kill',
    'clock',
    'cut',
    'silence',
    'crash',
    'pause',
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
    case 'pause':
      return { kind, ms: away.ms }
    case 'terminate':
      return { kind, ms: 0 }
  }
}
