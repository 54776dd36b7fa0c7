import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosBot, ChaosHouse } from './chaos-house.ts'
import type { ChaosFault } from './chaos-plan.ts'

const TERMINATE_ALL = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`

/** Does to the house what a fault is. Resolves once the fault is over. */
export async function carryOut(
  fault: ChaosFault,
  { bots, server, pool }: Pick<ChaosHouse, 'bots' | 'server' | 'pool'>,
): Promise<void> {
  switch (fault.kind) {
    case 'freeze': {
      const { process } = victimOf(fault)
      process.freeze()
      await delay(fault.ms)
      return process.thaw()
    }
    case 'kill': {
      const bot = victimOf(fault)
      await bot.process.kill()
      await delay(fault.ms)
      return bot.restart()
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
      await server.kill()
      await delay(fault.ms)
      return server.start()
    case 'terminate':
      return void (await pool.query(TERMINATE_ALL))
  }

  function victimOf({ victim }: { victim: number }): ChaosBot {
    const bot = bots[victim]
    if (bot === undefined) throw new RangeError(`Cannot find process ${victim} of the bot`)
    return bot
  }
}
