import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { formatRub, fromWireRub } from '../../../../src/contract/money.ts'
import { createAccount } from '../../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../../src/service/ledger/api-keys.ts'
import { carryOut } from '../chaos-faults.ts'
import { openChaosHouse } from '../chaos-house.ts'
import type { ChaosFault } from '../chaos-plan.ts'
import { findMoneyFaults } from '../find-money-faults.ts'
import { IS_LONG, REPEAT, SEED } from '../length.ts'
import { createRandom } from '../random.ts'
import { writeServiceConfig } from '../spend/service-config.ts'
import { openUpstream } from '../unsteady-upstream.ts'
import { type Bill, createBillingModel } from './billing-model.ts'
import { createClients } from './clients.ts'

const SERVICE = 2
const SECONDS: Readonly<Record<'crash' | 'pause' | 'silence' | 'cut', number[]>> = {
  crash: [1, 3, 10, 30],
  pause: [2.5, 4.5, 5, 20],
  silence: [5, 12, 15],
  cut: [3, 15],
}
const FAULTS: readonly ChaosFault[] = IS_LONG
  ? [
      ...SECONDS.crash.map((s): ChaosFault => ({ kind: 'crash', ms: s * 1_000 })),
      ...SECONDS.pause.map((s): ChaosFault => ({ kind: 'pause', ms: s * 1_000 })),
      ...SECONDS.silence.map(
        (s): ChaosFault => ({ kind: 'silence', victim: SERVICE, ms: s * 1_000 }),
      ),
      ...SECONDS.cut.map((s): ChaosFault => ({ kind: 'cut', victim: SERVICE, ms: s * 1_000 })),
    ]
  : [
      { kind: 'pause', ms: 4_500 },
      { kind: 'silence', victim: SERVICE, ms: 12_000 },
    ]
const USERS = Array.from({ length: 12 }, (_, index) => 7_000 + index)
const CLIENTS = 12
const BEFORE_MS = 700
const CLIENT_PAUSE_MS = 60
const ROUND_TIMEOUT_MS = 120_000

const AT_REST = `
  SELECT (SELECT count(*)::int FROM bot.update WHERE handled_at IS NULL) AS updates,
    (SELECT count(*)::int FROM bot.turn WHERE ended_at IS NULL OR lease_owner IS NOT NULL) AS turns,
    (SELECT count(*)::int FROM service.request WHERE ended_at IS NULL) AS holds`

// Promise: The database is away while an answer begins or ends
test(`${FAULTS.length} times the database is away while answers of users and clients begin and end: everybody pays what the model billed for what came, and nobody pays for a refusal`, {
  timeout: 60_000 + FAULTS.length * ROUND_TIMEOUT_MS,
}, async ({ onTestFailed, onTestFinished }) => {
  onTestFailed(() => console.error(REPEAT))
  const model = createBillingModel(createRandom(`${SEED} bills`))
  const upstream = await openUpstream(model.respond)
  onTestFinished(() => upstream.close())
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-outages-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const env = await writeServiceConfig(folder, upstream.origin)
  const house = await openChaosHouse({ crashes: true, env })
  const { telegram, pool } = house
  const { id: accountId } = await createAccount(pool, {
    name: 'clients',
    creditMicroRub: 1_000_000_000n,
  })
  const apiKey = await createApiKey(pool, accountId)
  const address = house.processes[SERVICE]?.process.address ?? ''

  for (const [round, fault] of FAULTS.entries()) {
    const name = `round ${round + 1}, ${JSON.stringify(fault)}`
    const firstBill = model.bills.length
    const paidBefore = await readPaid(pool)
    const spentBefore = await readSpent(pool, 'clients')
    const botBefore = await readSpent(pool, 'bot')
    const clients = createClients(`${address}/api/v1`, apiKey)
    for (const user of USERS) telegram.say(user, `user ${user} ${round}`)
    for (let index = 0; index < CLIENTS / 2; index++)
      clients.ask(`client ${round}`, index % 2 === 0)
    await delay(BEFORE_MS)
    const [waits] = await Promise.all([
      measureWaits(),
      carryOut(fault, house),
      askOn(clients, round),
    ])
    const rest = { timeout: ROUND_TIMEOUT_MS / 2, interval: 200, message: name }
    await expect.poll(look, rest).toEqual({ updates: 0, turns: 0, holds: 0 })
    const answers = await Promise.all(clients.answers)

    const read = answers.reduce(
      (all, { costRub }) => all + (costRub === null ? 0n : fromWireRub(costRub)),
      0n,
    )
    // An end that the client has read may be stored seconds later, in place of a guess.
    const spentSince = async () => (await readSpent(pool, 'clients')) - spentBefore
    const paidSince = async () => (await readSpent(pool, 'bot')) - botBefore
    const paid = (await readPaid(pool)) - paidBefore
    const billed = sum(model.bills.slice(firstBill).filter(({ asked }) => asked.startsWith('user')))
    await expect.poll(spentSince, rest).toBe(read)
    await expect.poll(paidSince, rest).toBe(paid)
    const refused = answers.filter(({ status }) => status !== 200).length
    const unpriced = answers.filter(
      ({ status, costRub }) => status === 200 && costRub === null,
    ).length
    process.stdout.write(
      `${name}: users pay ${formatRub(paid)} RUB of ${formatRub(billed)} billed; clients pay and read ${formatRub(read)} RUB, ${refused} refused, ${unpriced} broken; longest wait ${Math.round(Math.max(0, ...waits))} ms of ${waits.length}\n`,
    )
    // What the model billed for an answer that nobody got is ours.
    expect(paid <= billed, name).toBe(true)
    expect(unpriced, name).toBe(0)
    expect(await findMoneyFaults(pool), name).toEqual([])
    // A process that lost its lease replaces itself.
    await expect.poll(status, rest).toBe(200)

    async function measureWaits(): Promise<number[]> {
      const waits: number[] = []
      const untilMs = performance.now() + fault.ms
      while (performance.now() < untilMs) {
        const { status } = await fetch(`${address}/healthz`)
        if (status === 503) waits.push((await clients.readBalance()).waitMs)
        await delay(100)
      }
      return waits
    }
  }

  expect(await house.stop()).toEqual([0, 0, 0])

  async function status(): Promise<number> {
    return await fetch(`${address}/healthz`).then(
      (response) => response.status,
      () => 0,
    )
  }

  async function look() {
    const read = pool.query<Record<string, number>>(AT_REST)
    return (await read.catch(() => ({ rows: [] }))).rows[0]
  }
})

async function askOn(clients: ReturnType<typeof createClients>, round: number): Promise<void> {
  for (let index = 0; index < CLIENTS / 2; index++) {
    clients.ask(`client ${round}`, index % 2 === 0)
    await delay(CLIENT_PAUSE_MS)
  }
}

function sum(bills: readonly Bill[]): bigint {
  return bills.reduce((all, { microRub }) => all + microRub, 0n)
}

async function readPaid(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ paid: string }>(
    'SELECT coalesce(sum(amount_micro_rub), 0)::text AS paid FROM bot.charge',
  )
  return BigInt(rows[0]?.paid ?? 0)
}

async function readSpent(pool: Pool, account: string): Promise<bigint> {
  const { rows } = await pool.query<{ spent: string }>(
    `SELECT coalesce(-sum(amount_micro_rub), 0)::text AS spent FROM service.movement
     WHERE account_id = (SELECT id FROM service.account WHERE name = $1) AND key_id IS NOT NULL`,
    [account],
  )
  return BigInt(rows[0]?.spent ?? 0)
}
