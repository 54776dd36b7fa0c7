import type { DueRows, Worker } from '../platform/jobs/due-rows.ts'
import type { Digest } from './admin/digest/digest.ts'
import type { MoneyWatch } from './alerts/watch-money.ts'
import type { createBotRetention } from './retention.ts'
import type { Calendar } from './spend/calendar.ts'
import { addUpFinishedDates } from './spend/charges/finished-dates.ts'

const MONEY_INTERVAL_MS = 5 * 60_000
/** Between two looks at the hour: admins may set another at any time. */
const DIGEST_INTERVAL_MS = 60_000

/** How long `stop()` waits for a visit; one that takes longer is due at once, in another process or at the next start. */
const STOP_MS = 5_000

/** The names of what the bot does now and then: each has a row of `bot.routine`. */
type RoutineName = 'money' | 'digest'

export interface RoutinesDeps {
  prisma: Parameters<typeof addUpFinishedDates>[0]
  dueRows: DueRows
  calendar: Pick<Calendar, 'today'>
  moneyWatch: MoneyWatch
  digest: Digest
  retention: ReturnType<typeof createBotRetention>
}

/** Does what is to be done now and then, each by one of the processes at a time. */
export function createRoutines({
  prisma,
  dueRows,
  calendar,
  moneyWatch,
  digest,
  retention,
}: RoutinesDeps) {
  let worker: Worker | undefined
  return { start, stop }

  function start(): void {
    worker = dueRows.work<{ name: RoutineName }>({
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
        await addUpFinishedDates(prisma, calendar)
        await moneyWatch.look()
        // No routine of its own: the version before, beside this one, would take its row and never again be due.
        await retention.deleteOld(signal)
        return MONEY_INTERVAL_MS
      case 'digest':
        await digest.sendIfDue(signal)
        return DIGEST_INTERVAL_MS
    }
  }
}
