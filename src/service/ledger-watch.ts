import type { Pool } from 'pg'
import type { DueRows, Worker } from '../platform/jobs/due-rows.ts'
import { checkLedger, keepCheck } from './ledger/reports/check-ledger.ts'

const INTERVAL_MS = 60 * 60_000
/** A check of a very long ledger comes more rarely: it may take a hundredth of the time. */
const PAUSE_FACTOR = 100

/** A check that is under way when the process stops is due at once, in another one or at the next start. */
const STOP_MS = 1_000

export interface LedgerWatchDeps {
  pool: Pick<Pool, 'connect'>
  dueRows: DueRows
  log: { error(fields: object, message: string): void }
}

/** Checks the ledger once an hour, in one of the processes, and keeps the result. */
export function createLedgerWatch({ pool, dueRows, log }: LedgerWatchDeps) {
  let worker: Worker | undefined
  return { start, stop }

  function start(): void {
    worker = dueRows.work({
      table: { name: 'service.ledger_check', key: 'id' },
      concurrency: 1,
      visit: async (_row, signal) => Math.max(INTERVAL_MS, (await check(signal)) * PAUSE_FACTOR),
    })
  }

  async function stop(): Promise<void> {
    await worker?.stop(STOP_MS)
  }

  /** Checks once. @returns The milliseconds it took. */
  async function check(signal: AbortSignal): Promise<number> {
    const startedMs = performance.now()
    const client = await pool.connect()
    // Where a connection breaks its statement fails, too; without this listener the event would end the process.
    const onError = () => {}
    client.on('error', onError)
    // Nothing else ends a statement that takes its time.
    const cut = () => void client.end()
    signal.addEventListener('abort', cut, { once: true })
    try {
      const found = await checkLedger(client)
      await keepCheck(client, found)
      const { faultCount, faults } = found
      const accounts = [...new Set(faults.map(({ accountId }) => accountId))]
      if (faultCount > 0) log.error({ faults: faultCount, accounts }, 'the ledger has faults')
    } finally {
      signal.removeEventListener('abort', cut)
      client.off('error', onError)
      client.release(signal.aborted)
    }
    return performance.now() - startedMs
  }
}
