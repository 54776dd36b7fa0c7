import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosHouse, ChaosProcess } from './chaos-house.ts'
import type { ChaosFault } from './chaos-plan.ts'

const TERMINATE_ALL = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`

/** A fault that was carried out, by this machine's clock, which is PostgreSQL's too. */
export interface PastFault {
  fault: ChaosFault
  beganAt: Date
  endedAt: Date
}

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
