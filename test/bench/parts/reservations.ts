import { join } from 'node:path'
import pg from 'pg'
import type { Checkout } from '../checkout.ts'
import type {
  ReservationsFigures,
  ReservationsOf,
  ReservationsTask,
} from '../contenders/ledgers/reservations-task.ts'
import { plainNode, startProgram } from '../measuring/program.ts'
import type { BenchContext } from '../part.ts'
import { type Row, type Table, toRow } from '../report/table.ts'

const LOOP = plainNode(join(import.meta.dirname, '../contenders/ledgers/reservations-loop.ts'))

const USERS = 1_000
const SLICES = 25
const SLICE_MS = 100
/** As many as come at once where nobody waits for a processor, and as many as two processes ask at once at most. */
const AT_ONCE = [1, 4, 16]

/** The column of ours where no limit is set for everybody: all else is alike. */
const WITHOUT = 'without it'
const LIMIT_MICRO_RUB = 1_000_000_000_000n

type Run = Record<number, ReservationsFigures>

/** Reservations of turns by many users, under a limit for everybody together and without one. */
export async function reservations(context: BenchContext): Promise<Table[]> {
  const { checkouts, rounds, signal, progress } = context
  const runs = new Map<string, Run[]>()
  for (let round = 1; round <= rounds; round += 1) {
    signal.throwIfAborted()
    progress(`round ${round} of ${rounds}`)
    for (const [name, run] of await measure(checkouts, context)) {
      runs.set(name, [...(runs.get(name) ?? []), run])
    }
  }
  return [
    {
      title: 'Reservations of turns',
      says: `A closed loop reserves ₽2 for turns of ${USERS.toLocaleString('en')} users with limits of their own, and releases it, which is not measured; as Prisma's callers see it, on the cores of the machine. Ours: with a limit for everybody together, of which there is enough. Contenders change every ${SLICE_MS} ms.`,
      columns: [...runs.keys()],
      rows: AT_ONCE.flatMap((atOnce) => toRows(runs, atOnce)),
    },
  ]
}

async function measure(
  checkouts: readonly Checkout[],
  { database, cores, signal }: BenchContext,
): Promise<Map<string, Run>> {
  const ends: (() => Promise<unknown>)[] = []
  try {
    const contenders: ReservationsOf[] = []
    for (const checkout of checkouts) {
      const names = checkout.name === 'Kopeck' ? [WITHOUT, checkout.name] : [checkout.name]
      for (const name of names) {
        const databaseUrl = await database.create(checkout)
        await setLimits(databaseUrl, { isForAll: name === 'Kopeck' })
        contenders.push({ name, checkout, databaseUrl })
      }
    }
    const runs = new Map<string, Run>(contenders.map(({ name }) => [name, {}]))
    for (const atOnce of AT_ONCE) {
      const task: ReservationsTask = {
        contenders,
        atOnce,
        userIds: Array.from({ length: USERS }, (_, index) => index + 1),
        slices: SLICES,
        sliceMs: SLICE_MS,
      }
      const env = { TASK: JSON.stringify(task) }
      const loop = await startProgram({ program: LOOP, env, core: cores.around, signal })
      ends.push(loop.stop)
      const read = JSON.parse(loop.readyLine) as { figures: Record<string, ReservationsFigures> }
      for (const [name, figures] of Object.entries(read.figures)) {
        const run = runs.get(name)
        if (run !== undefined) run[atOnce] = figures
      }
    }
    return runs
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function setLimits(url: string, { isForAll }: { isForAll: boolean }): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(
      `INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by)
       SELECT id, 'day', $1, 1 FROM generate_series(1, $2::int) AS id`,
      [LIMIT_MICRO_RUB, USERS],
    )
    if (!isForAll) return
    await client.query(
      `INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by)
       VALUES (-2, 'month', $1, 1)`,
      [LIMIT_MICRO_RUB],
    )
    await client.query('UPDATE bot.shared_room SET micro_rub = 0')
  } finally {
    await client.end()
  }
}

function toRows(runs: ReadonlyMap<string, readonly Run[]>, atOnce: number): Row[] {
  const figures = (run: Run) => run[atOnce]
  return [
    toRow(runs, {
      name: `${atOnce} at once: median`,
      unit: 'ms',
      digits: 2,
      pick: (run) => figures(run)?.medianMs,
    }),
    toRow(runs, {
      name: `${atOnce} at once: 99 %`,
      unit: 'ms',
      digits: 2,
      goals: [{ is: 'at most', value: 1.05, times: WITHOUT }],
      pick: (run) => figures(run)?.p99Ms,
    }),
    toRow(runs, {
      name: `${atOnce} at once: taken`,
      unit: '',
      pick: (run) => figures(run)?.count,
    }),
  ]
}
