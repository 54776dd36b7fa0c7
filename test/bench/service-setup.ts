import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { Agent, request } from 'undici'
import { CHAT_LIMIT } from '../../src/service/http/rate-limit.ts'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../src/service/ledger/api-keys.ts'
import { type Contender, kopeck, plainNode, startContender } from './contender.ts'
import type { AnswerShape } from './local-service.ts'
import type { BenchContext } from './part.ts'

const BARE_GATEWAY = join(import.meta.dirname, 'bare-gateway.ts')
const UPSTREAM = join(import.meta.dirname, 'bench-upstream.ts')

const HISTORY = [{ role: 'system', content: 'You are a careful assistant.' }]

export const GATEWAYS = ['bare', 'kopeck'] as const
export type GatewayName = (typeof GATEWAYS)[number]

/** A gateway between a model and this process, which asks. */
export interface ServiceStage {
  gateway: Contender
  /** Asks for one completion, each in the name of the next account that still may. */
  ask(shape: AnswerShape, options: AskOptions): Promise<Asked>
  close(): Promise<void>
}

export interface AskOptions {
  stream: boolean
  /** What was said before. */
  history?: readonly { role: string; content: string }[]
  /** Told when the first bytes of the body are there. */
  onFirstBytes?: () => void
  signal?: AbortSignal
}

export interface Asked {
  /** From the request to the first bytes of the body. */
  firstBytesMs: number
  body: string
}

/**
 * Starts a model and a gateway, each in a process of its own.
 *
 * @param requests How many will be asked for at most. The limit of 30 a minute is in force, so our
 * service gets as many accounts as that takes.
 */
export async function openServiceStage(
  name: GatewayName,
  { database, signal }: BenchContext,
  { requests }: { requests: number },
): Promise<ServiceStage> {
  const ends: (() => Promise<unknown>)[] = []
  try {
    const upstream = await startContender({ program: plainNode(UPSTREAM), env: {}, signal })
    ends.push(() => upstream.stop())
    const { gateway, url, keys } =
      name === 'bare'
        ? await startBare(upstream.address)
        : await startKopeck(upstream.address, Math.ceil(requests / CHAT_LIMIT.requestsMax))
    ends.push(() => gateway.stop())
    const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
    ends.push(() => dispatcher.destroy())
    let asked = 0
    return { gateway, ask, close }

    async function ask(
      shape: AnswerShape,
      { stream, history = HISTORY, onFirstBytes, signal: leave }: AskOptions,
    ): Promise<Asked> {
      const key = keys[asked++ % keys.length] ?? ''
      const startedAt = performance.now()
      const { statusCode, body } = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({
          model: 'bench-model',
          messages: [...history, { role: 'user', content: JSON.stringify(shape) }],
          stream,
        }),
        dispatcher,
        signal: leave ?? signal,
      })
      const pieces: Buffer[] = []
      let firstBytesMs = Number.NaN
      for await (const piece of body) {
        if (pieces.push(piece) > 1) continue
        firstBytesMs = performance.now() - startedAt
        onFirstBytes?.()
      }
      const text = Buffer.concat(pieces).toString()
      if (statusCode !== 200) throw new Error(`${name} answered ${statusCode}: ${text}`)
      return { firstBytesMs, body: text }
    }
  } catch (error) {
    await close()
    throw error
  }

  async function startBare(upstream: string) {
    const env = { UPSTREAM_URL: upstream }
    const gateway = await startContender({ program: plainNode(BARE_GATEWAY), env, signal })
    return { gateway, url: gateway.address, keys: ['bench-key'] }
  }

  async function startKopeck(upstream: string, accounts: number) {
    const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
    ends.push(() => rm(dataDir, { recursive: true, force: true }))
    const config = join(dataDir, 'service.json')
    await writeFile(config, JSON.stringify(toServiceConfig(upstream)))
    const url = await database.create()
    const gateway = await startContender({
      program: kopeck('service'),
      signal,
      env: { DATABASE_URL: url, DATA_DIR: dataDir, SERVICE_CONFIG: config, PORT: '0' },
    })
    const keys = await createAccounts(url, accounts)
    return { gateway, url: `${gateway.address}/api/v1/chats/completions`, keys }
  }

  async function close(): Promise<void> {
    for (const end of ends.splice(0).reverse()) await end()
  }
}

export const PLAIN_CONCURRENCY = 64

/** Asks for whole answers, several at once. @throws {Error} If one is not whole. */
export async function askManyPlain(
  setup: ServiceStage,
  { count, shape }: { count: number; shape: AnswerShape },
): Promise<void> {
  let left = count
  const askOn = async () => {
    while (left-- > 0) {
      const { body } = await setup.ask(shape, { stream: false })
      if (body.split('kopeck').length - 1 !== shape.deltas) throw new Error(`Not whole: ${body}`)
    }
  }
  await Promise.all(Array.from({ length: PLAIN_CONCURRENCY }, askOn))
}

function toServiceConfig(upstream: string): object {
  const model = {
    id: 'bench-model',
    family: 'A',
    context_tokens: 1_000_000,
    prompt_rub_per_1m: '150',
    completion_rub_per_1m: '600',
    provider: { type: 'openai', base_url: `${upstream}/v1`, model: 'bench' },
  }
  return { chat: { models: [model] } }
}

/** @returns Their keys. */
async function createAccounts(url: string, count: number): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  try {
    const keys: string[] = []
    for (let index = 0; index < count; index += 1) {
      const name = `bench ${index}`
      const { id } = await createAccount(pool, { name, creditMicroRub: 1_000_000_000n })
      keys.push(await createApiKey(pool, id))
    }
    return keys
  } finally {
    await pool.end()
  }
}
