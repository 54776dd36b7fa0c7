import type pg from 'pg'
import { expect, test } from 'vitest'
import { adjustBalance } from '../../../src/service/ledger/accounts.ts'
import { findApiKey } from '../../../src/service/ledger/api-keys.ts'
import { checkLedger } from '../../../src/service/ledger/check.ts'
import { RequestRefusedError } from '../../../src/service/ledger/errors.ts'
import { createRequestId } from '../../../src/service/ledger/holds.ts'
import { Ledger } from '../../../src/service/ledger/ledger.ts'
import { inTransaction, type Pool } from '../../../src/service/ledger/sql.ts'
import { chargeTask, failTask } from '../../../src/service/ledger/tasks.ts'
import { useLedgerPools } from '../../support/ledger-pools.ts'
import {
  addKey,
  balanceOf,
  createRandom,
  fundedAccount,
  keyIdOf,
  toCharge,
  toRequest,
} from './ledger-fixture.ts'

const DEAD = 0
const CREDIT = 3000n
const SPEND_LIMIT = 1200n
const CHATS_MAX = 12

type Random = (below: number) => number

/** One call of the ledger. Requests and tasks are named by their number. */
type Step =
  | { do: 'hold'; request: number; key: number; amount: bigint; name?: string }
  | { do: 'mark' | 'release' | 'capture'; request: number }
  | { do: 'settle'; request: number; cost: bigint }
  | { do: 'charge'; task: number; key: number; amount: bigint }
  | { do: 'fail'; task: number }
  | { do: 'credit'; amount: bigint }
  | { do: 'take over' }

interface ModelRequest {
  key: number
  held: bigint
  cost: bigint
  end: 'open' | 'settled' | 'released' | 'captured'
  hasOutput: boolean
  isGuess: boolean
  name: string | undefined
}

/** The rules of the ledger in plain arithmetic: one account, a key without and a key with a spend limit. */
class Model {
  balance = CREDIT
  counted = 0
  spent = [0n, 0n]
  requests = new Map<number, ModelRequest>()
  tasks = new Map<number, { key: number; price: bigint; isFailed: boolean }>()

  copy(): Model {
    return Object.assign(new Model(), structuredClone({ ...this }))
  }

  /** Does a step. @returns What its caller reads. */
  do(step: Step): string {
    switch (step.do) {
      case 'hold': {
        const first = [...this.requests.values()].find(
          ({ name, end }) => name !== undefined && name === step.name && end !== 'released',
        )
        if (first !== undefined) return first.end === 'settled' ? 'repeated' : 'request_under_way'
        const refusal = this.#count() ?? this.#refuse(step.key, step.amount)
        if (refusal !== undefined) return refusal
        this.#move(step.key, step.amount)
        this.requests.set(step.request, {
          key: step.key,
          held: step.amount,
          cost: step.amount,
          end: 'open',
          hasOutput: false,
          isGuess: false,
          name: step.name,
        })
        return 'done'
      }
      case 'mark': {
        const request = this.requests.get(step.request)
        if (request?.end !== 'open') return 'refused'
        request.hasOutput = true
        return 'done'
      }
      case 'settle':
        return this.#end(step.request, 'settled', step.cost)
      case 'release':
        return this.#end(step.request, 'released', 0n)
      case 'capture':
        return this.#end(step.request, 'captured', this.requests.get(step.request)?.held ?? 0n)
      case 'charge': {
        if (this.tasks.has(step.task)) return 'done'
        const refusal = this.#refuse(step.key, step.amount)
        if (refusal !== undefined) return refusal
        this.#move(step.key, step.amount)
        this.tasks.set(step.task, { key: step.key, price: step.amount, isFailed: false })
        return 'done'
      }
      case 'fail': {
        const task = this.tasks.get(step.task)
        if (task === undefined || task.isFailed) return 'refused'
        task.isFailed = true
        this.#move(task.key, -task.price)
        return 'done'
      }
      case 'credit':
        this.balance += step.amount
        return 'done'
      case 'take over':
        for (const [number, { end, hasOutput, held }] of this.requests) {
          if (end !== 'open') continue
          this.#end(number, hasOutput ? 'captured' : 'released', hasOutput ? held : 0n)
          const request = this.requests.get(number)
          if (request !== undefined) request.isGuess = true
        }
        return 'done'
    }
  }

  #count(): string | undefined {
    if (this.counted >= CHATS_MAX) return 'rate_limit_reached'
    this.counted += 1
    return undefined
  }

  #refuse(key: number, amount: bigint): string | undefined {
    if (this.balance < amount) return 'balance_too_low'
    const isLimited = key === 1 && (this.spent[1] ?? 0n) + amount > SPEND_LIMIT
    return isLimited ? 'spend_limit_reached' : undefined
  }

  #move(key: number, amount: bigint): void {
    this.balance -= amount
    this.spent[key] = (this.spent[key] ?? 0n) + amount
  }

  #end(number: number, end: 'settled' | 'released' | 'captured', cost: bigint): string {
    const request = this.requests.get(number)
    if (request === undefined) return 'refused'
    const isLateCapture = request.end === 'released' && end === 'captured'
    if (request.end !== 'open' && (!request.isGuess || isLateCapture)) {
      return request.end === end ? 'done' : 'refused'
    }
    this.#move(request.key, cost - request.cost)
    Object.assign(request, { end, cost, isGuess: false })
    return 'done'
  }
}

/** The same steps on the real ledger, with one account of its own. */
class World {
  readonly pool: Pool
  readonly accountId: number
  readonly keys: string[]
  readonly ids = new Map<number, string>()
  readonly taskIds = new Map<number, number>()
  readonly #ledgers = new Map<Pool, Ledger>()

  constructor(pool: Pool, accountId: number, keys: string[]) {
    this.pool = pool
    this.accountId = accountId
    this.keys = keys
  }

  static async open(pool: pg.Pool): Promise<World> {
    const accountId = await fundedAccount(pool, CREDIT)
    const limited = await addKey(pool, accountId, { spendLimitMicroRub: SPEND_LIMIT })
    return new World(pool, accountId, [keyIdOf(accountId), limited])
  }

  async do(step: Step, pool: Pool): Promise<string> {
    try {
      return await this.#do(step, pool)
    } catch (error) {
      if (error instanceof RequestRefusedError) return error.reason.code
      throw error
    }
  }

  async #do(step: Step, pool: Pool): Promise<string> {
    const ledger = this.#ledgers.get(pool) ?? new Ledger(pool as pg.Pool)
    this.#ledgers.set(pool, ledger)
    const { accountId } = this
    switch (step.do) {
      case 'hold': {
        const requestId = this.ids.get(step.request) ?? createRequestId()
        this.ids.set(step.request, requestId)
        const held = await ledger.hold(
          toRequest({
            accountId,
            requestId,
            keyId: this.keys[step.key] ?? '',
            amountMicroRub: step.amount,
            limit: { kind: 'chat', requestsMax: CHATS_MAX },
            leaseOwner: DEAD,
            repeatable: step.name ? { idempotencyKey: step.name, requestHash: '' } : undefined,
          }),
        )
        return held.answer === undefined ? 'done' : 'repeated'
      }
      case 'mark': {
        const requestId = this.ids.get(step.request) ?? createRequestId()
        const isOpen = await ledger.markOutput({ accountId, requestId, upstream: undefined })
        return isOpen ? 'done' : 'refused'
      }
      case 'settle':
      case 'release':
      case 'capture': {
        const isStored = await ledger.end({
          accountId,
          requestId: this.ids.get(step.request) ?? createRequestId(),
          ...ENDS[step.do],
          ...(step.do === 'settle' && { costMicroRub: step.cost, answer: {} }),
        })
        return isStored ? 'done' : 'refused'
      }
      case 'charge': {
        const charge = toCharge({
          accountId,
          keyId: this.keys[step.key] ?? '',
          amountMicroRub: step.amount,
          reference: `task ${step.task}`,
        })
        const taskId = await chargeTask(pool, charge)
        this.taskIds.set(step.task, taskId)
        await this.pool.query('UPDATE service.task SET lease_owner = 7 WHERE id = $1', [taskId])
        return 'done'
      }
      case 'fail': {
        const task = { taskId: this.taskIds.get(step.task) ?? 0, leaseOwner: 7 }
        const failure = { code: 502, message: 'no' }
        const isFailed = await inTransaction(pool, (sql) => failTask(sql, task, failure))
        return isFailed ? 'done' : 'refused'
      }
      case 'credit':
        await adjustBalance(pool, { accountId, amountMicroRub: step.amount })
        return 'done'
      case 'take over':
        await ledger.takeOver()
        return 'done'
    }
  }

  async read() {
    const spent = await Promise.all(
      this.keys.map(async (key) => (await findApiKey(this.pool, key))?.spentMicroRub),
    )
    return { balance: await balanceOf(this.pool as pg.Pool, this.accountId), spent }
  }
}

const ENDS = {
  settle: { state: 'settled', reason: 'usage' },
  release: { state: 'released', reason: 'failed' },
  capture: { state: 'captured', reason: 'broken' },
} as const

function randomSteps(random: Random, count: number): Step[] {
  let [requests, tasks] = [0, 0]
  return Array.from({ length: count }, (): Step => {
    const [key, amount] = [random(2), BigInt(random(700))]
    const request = random(Math.max(1, requests))
    switch (random(12)) {
      case 0:
        return { do: 'credit', amount: amount + 1n }
      case 1:
        return { do: 'mark', request }
      case 2:
      case 3:
        return { do: 'settle', request, cost: amount }
      case 4:
        return { do: 'release', request }
      case 5:
        return { do: 'capture', request }
      case 6:
        return { do: 'charge', task: tasks++, key, amount }
      case 7:
        return { do: 'fail', task: random(Math.max(1, tasks)) }
      case 8:
        return { do: 'take over' }
      default: {
        const name = random(4) === 0 ? `order ${random(3)}` : undefined
        return { do: 'hold', request: requests++, key, amount, ...(name && { name }) }
      }
    }
  })
}

let pools: [pg.Pool, pg.Pool]
useLedgerPools(({ pool, other }) => {
  pools = [pool, other]
})

async function expectAsModel(world: World, model: Model): Promise<void> {
  expect(await world.read()).toEqual({ balance: model.balance, spent: model.spent })
  expect(await checkLedger(pools[0])).toEqual([])
}

test.each([1, 7, 42, 1905, 2026])(
  'two processes of the ledger do what plain arithmetic says, in random order (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    for (let round = 0; round < 5; round += 1) {
      const world = await World.open(pools[0])
      const model = new Model()
      for (const [index, step] of randomSteps(random, 40).entries()) {
        const pool = pools[random(2)] as pg.Pool
        const outcome = await world.do(step, pool)
        expect({ index, step, outcome }).toEqual({ index, step, outcome: model.do(step) })
      }
      await expectAsModel(world, model)
    }
  },
)

/** The way of a process to the database that dies at one statement: before it is sent, or before its answer comes. */
function mortalPool(pool: pg.Pool, diesAt: number, moment: 'before' | 'after') {
  let statements = 0
  let isDead = false
  const run = async <T>(send: () => Promise<T>): Promise<T> => {
    const isLast = ++statements === diesAt
    if (isDead || (isLast && moment === 'before')) isDead = true
    else {
      const result = await send()
      if (!isLast) return result
      isDead = true
    }
    throw new Error('Connection terminated unexpectedly')
  }
  const connect = async () => {
    const client = await pool.connect()
    const query = (text: string, values?: unknown[]) => run(() => client.query(text, values))
    // A connection of a dead process takes its transaction with it.
    const release = (error?: Error | boolean) => client.release(isDead || error)
    return { query, release, on: () => {}, off: () => {} }
  }
  const query = (text: string, values?: unknown[]) => run(() => pool.query(text, values))
  return { pool: { query, connect } as unknown as Pool, hasDied: () => isDead }
}

test.each([
  [3, 'before'],
  [11, 'after'],
] as const)(
  'a process that is killed at any statement leaves its last step done or not done (seed %i, %s)',
  async (seed, moment) => {
    const steps = randomSteps(createRandom(seed), 9)
    for (let diesAt = 1; ; diesAt += 1) {
      const world = await World.open(pools[0])
      const victim = mortalPool(pools[0], diesAt, moment)
      let model = new Model()
      let before = model.copy()
      for (const step of steps) {
        before = model.copy()
        model.do(step)
        const outcome = await world.do(step, victim.pool).catch(() => 'killed')
        if (outcome === 'killed') break
      }
      if (!victim.hasDied()) break

      for (const each of [before, model]) each.do({ do: 'take over' })
      await world.do({ do: 'take over' }, pools[1])
      const found = await world.read()
      if (found.balance !== model.balance) model = before
      await expectAsModel(world, model)
    }
  },
)

test.each([5, 99])(
  'racing steps of two processes move what they report, and never more than there is (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    for (let round = 0; round < 4; round += 1) {
      const worlds = await Promise.all([1, 2, 3].map(() => World.open(pools[0])))
      const lanes = worlds.flatMap((world) =>
        [0, 1, 2, 3].map((lane) => ({ world, steps: randomSteps(random, 12), lane })),
      )
      await Promise.all(
        lanes.map(async ({ world, steps, lane }) => {
          for (const step of steps) {
            if (step.do === 'settle') step.cost = 0n
            const own = numbered(step, lane)
            await world.do(own, pools[lane % 2] as pg.Pool)
          }
        }),
      )
      await worlds[0]?.do({ do: 'take over' }, pools[0])
      expect(await checkLedger(pools[0])).toEqual([])
      const { rows } = await pools[0].query(
        `SELECT count(*)::int AS open FROM service.request WHERE ended_at IS NULL`,
      )
      expect(rows).toEqual([{ open: 0 }])
      for (const world of worlds) expect((await world.read()).balance).toBeGreaterThanOrEqual(0n)
    }
  },
)

/** Steps of several sequences name requests and tasks of their own. */
function numbered(step: Step, lane: number): Step {
  const base = lane * 1000
  if ('request' in step) return { ...step, request: base + step.request }
  return 'task' in step ? { ...step, task: base + step.task } : step
}
