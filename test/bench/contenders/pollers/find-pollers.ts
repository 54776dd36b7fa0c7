import { join } from 'node:path'
import pg from 'pg'
import { createPlayground } from '../../../../src/playground/playground.ts'
import type { Checkout } from '../../checkout.ts'
import { plainNode, type RunningProgram, startProgram } from '../../measuring/program.ts'
import type { BenchContext } from '../../part.ts'
import { startKopeckBot } from '../bots/start-bot.ts'
import { type OrderCounts, readScannedRows, seedOrders } from './seed-orders.ts'

const BARE_POLLER = plainNode(join(import.meta.dirname, 'bare-poller.ts'))

/** Something that polls. */
export interface Poller {
  name: 'bare' | Checkout['name']
  usesDatabase: boolean
  /** Prepares what it needs; `start` is what is timed. */
  prepare(serviceUrl: string): Promise<{
    start(): Promise<RunningProgram>
    readScanned(): Promise<number | undefined>
    close(): Promise<void>
  }>
}

/** The plainest poller, and ours on databases with so many orders. */
export function findPollers(context: BenchContext, counts: OrderCounts): Poller[] {
  const seeded = new Map<string, Promise<string>>()
  const seedOf = (checkout: Checkout) => {
    const url = seeded.get(checkout.root) ?? createSeeded(checkout, counts, context)
    seeded.set(checkout.root, url)
    return url
  }
  const all = [
    barePoller(counts, context),
    ...context.checkouts.map((each) => kopeckPoller(each, () => seedOf(each), context)),
  ]
  return all.filter(({ name }) => context.only?.has(name) ?? true)
}

function barePoller({ orders }: OrderCounts, { cores, signal }: BenchContext): Poller {
  return {
    name: 'bare',
    usesDatabase: false,
    prepare: async (serviceUrl) => ({
      start: () => {
        const env = { SERVICE_URL: serviceUrl, TASKS: `${orders}` }
        return startProgram({ program: BARE_POLLER, env, core: cores.measured, signal })
      },
      readScanned: async () => undefined,
      close: async () => {},
    }),
  }
}

function kopeckPoller(
  checkout: Checkout,
  seedOf: () => Promise<string>,
  context: BenchContext,
): Poller {
  return {
    name: checkout.name,
    usesDatabase: true,
    async prepare(baseUrl) {
      const databaseUrl = await context.database.copy(await seedOf())
      const client = new pg.Client({ connectionString: databaseUrl })
      await client.connect()
      await client.query('UPDATE bot."order" SET due_at = now() WHERE due_at IS NOT NULL')
      const before = await readScannedRows(client)
      const playground = createPlayground({ flood: 'off' })
      const { apiRoot } = await playground.listen()
      const telegram = { token: playground.token, apiRoot }
      const surroundings = { telegram, service: { baseUrl }, checkout, databaseUrl }
      return {
        start: () => startKopeckBot(surroundings, context),
        readScanned: async () => (await readScannedRows(client)) - before,
        close: async () => {
          await client.end()
          await playground.close()
        },
      }
    },
  }
}

async function createSeeded(
  checkout: Checkout,
  counts: OrderCounts,
  { database, progress }: BenchContext,
): Promise<string> {
  progress(`seed ${checkout.name}`)
  const url = await database.create(checkout)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await seedOrders(client, counts)
  } finally {
    await client.end()
  }
  return url
}
