import type { TroubleLog } from '../../fold-repeats.ts'
import { INSTANCE_CHANNEL } from './instance.ts'
import type { Notifications } from './session.ts'

/** A process may lease rows after it has lost its lease, and before it notices. */
const SWEEP_INTERVAL_MS = 60_000
const RETRY_MS = 1_000

/** Takes over what processes that have ended had leased. Safe to repeat; several may run at once. */
export type TakeOver = () => Promise<unknown>

export type Sweep = ReturnType<typeof startSweep>

export function startSweep(notifications: Notifications, log: Pick<TroubleLog, 'error'>) {
  const takeOvers = new Set<TakeOver>()
  const failed = new Set<TakeOver>()
  let sweeping: Promise<unknown> = Promise.resolve()
  const sweepAll = () => sweep(takeOvers)
  notifications.listen(INSTANCE_CHANNEL, { onNotification: sweepAll, onGap: sweepAll })
  const timers = [
    setInterval(sweepAll, SWEEP_INTERVAL_MS),
    setInterval(() => sweep(failed), RETRY_MS),
  ]
  return { add, stop }

  /** Calls `takeOver` now, when another process has ended, and once a minute. Resolves after the first call. */
  async function add(takeOver: TakeOver): Promise<void> {
    takeOvers.add(takeOver)
    await run(takeOver)
  }

  async function stop(): Promise<void> {
    takeOvers.clear()
    failed.clear()
    for (const timer of timers) clearInterval(timer)
    await sweeping
  }

  /** A take-over that hangs holds up no other. */
  function sweep(some: ReadonlySet<TakeOver>): void {
    sweeping = Promise.all([sweeping, ...Array.from(some, run)])
  }

  async function run(takeOver: TakeOver): Promise<void> {
    try {
      await takeOver()
      failed.delete(takeOver)
    } catch (error) {
      failed.add(takeOver)
      log.error({ err: error }, 'leases of ended processes not taken over, tried again')
    }
  }
}
