import type { DueRows, Worker } from '../platform/jobs/due-rows.ts'
import { createDigest, type DigestDeps } from './admin/digest/digest.ts'
import { createMoneyWatch, type MoneyWatchDeps } from './alerts/watch-money.ts'
import { addUpFinishedDates } from './spend/charges/finished-dates.ts'

/** Between two looks at the balance and at what users spend, and at whether a day is over. */
const MONEY_INTERVAL_MS = 5 * 60_000
/** Between two looks at the hour: admins may set another at any time. */
const DIGEST_INTERVAL_MS = 60_000

/** What is left under way when the process stops is due at once, in another one or at the next start. */
const STOP_MS = 5_000

/** What the bot does now and then: each has a row of `bot.routine`. */
type RoutineName = 'money' | 'digest'

export interface RoutinesDeps extends MoneyWatchDeps, DigestDeps {
  prisma: MoneyWatchDeps['prisma'] & DigestDeps['prisma']
  settings: MoneyWatchDeps['settings']
  dueRows: DueRows
}

/** Does what is to be done now and then, each by one of the processes at a time. */
export function createRoutines(deps: RoutinesDeps) {
  const moneyWatch = createMoneyWatch(deps)
  const digest = createDigest(deps)
  let worker: Worker | undefined
  return { start, stop }

  function start(): void {
    worker = deps.dueRows.work<{ name: RoutineName }>({
      table: { name: 'bot.routine', key: 'id', columns: { name: 'name' } },
      concurrency: 2,
      visit: ({ name }, signal) => visit(name, signal),
    })
  }

  async function stop(): Promise<void> {
    await worker?.stop(STOP_MS)
  }

  async function visit(name: RoutineName, signal: AbortSignal): Promise<number> {
    switch (name) {
      case 'money':
        await addUpFinishedDates(deps.prisma, deps.calendar)
        await moneyWatch.look()
        return MONEY_INTERVAL_MS
      case 'digest':
        await digest.sendIfDue(signal)
        return DIGEST_INTERVAL_MS
    }
  }
}
