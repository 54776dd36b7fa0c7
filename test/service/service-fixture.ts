import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { onTestFinished } from 'vitest'
import type { DueRows } from '../../src/platform/database/due-rows.ts'
import { type Instance, registerInstance } from '../../src/platform/database/instance/instance.ts'
import { createLog } from '../../src/platform/log.ts'
import { createHttpServer } from '../../src/process/http-server.ts'
import type { ChatModelConfig } from '../../src/service/config/chat-config.ts'
import {
  builtInServiceConfig,
  type ServiceConfig,
} from '../../src/service/config/service-config.ts'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../src/service/ledger/api-keys.ts'
import { createService, type Service, type ServiceTrouble } from '../../src/service/service.ts'
import { openTestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'

const IDLE: DueRows = { work: () => ({ stop: async () => {} }) }

export interface TestService extends AsyncDisposable {
  service: Service
  instance: Instance
  pool: Pool
  url: string
  origin: string
  call(path: string, init?: RequestInit): Promise<Response>
  chat(body: unknown, init?: RequestInit): Promise<Response>
  balance(): Promise<bigint>
  accountId: number
  apiKey: string
}

export interface TestServiceOptions {
  config?: ServiceConfig
  creditMicroRub?: bigint
  /** Another way to the same database, for all but the process's own life. */
  detour?: (url: string) => Promise<string>
  isWhollyDetoured?: boolean
  beside?: TestService
  mediaDir?: string
  corsOrigins?: ReadonlySet<string>
  onTrouble?: (trouble: ServiceTrouble) => void
  log?: Logger
}

/** The whole service on a port and a database of its own, with one account that has a key. */
export async function startTestService({
  config = builtInServiceConfig(),
  creditMicroRub = 1_000_000_000n,
  detour = async (url) => url,
  isWhollyDetoured = false,
  beside,
  mediaDir = join(tmpdir(), `kopeck-test-media-${randomUUID()}`),
  corsOrigins = new Set(),
  onTrouble = () => {},
  log = createLog('silent'),
}: TestServiceOptions = {}): Promise<TestService> {
  const url = beside?.url ?? (await createTestDatabase())
  const way = await detour(url)
  const database = openTestDatabase({ url: way, onIdleError: () => {} })
  const instance = await registerInstance({
    url: isWhollyDetoured ? way : url,
    onError: () => {},
    onSilence: database.suspend,
    onAnswer: database.resume,
  })
  const app = createHttpServer({ log })
  const service = createService({
    database,
    instance,
    dueRows: IDLE,
    // Like the sweep of a process: a first call that fails is no error here.
    sweep: {
      add: (takeOver) =>
        takeOver().then(
          () => {},
          () => {},
        ),
    },
    config,
    mediaDir,
    publicRoot: () => 'http://localhost',
    callbackAllow: new Set(),
    resultAllow: new Set(),
    corsOrigins,
    onTrouble,
    log,
  })
  await app.register(service.plugin)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const { accountId, apiKey } = beside ?? (await addAccount(database.pool, creditMicroRub))

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${origin}/api/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${apiKey}`, ...init.headers },
    })
  return {
    service,
    instance,
    pool: database.pool,
    url,
    origin,
    accountId,
    apiKey,
    call,
    chat: (body, init = {}) =>
      call('/chats/completions', {
        method: 'POST',
        body: JSON.stringify(body),
        ...init,
        headers: { 'content-type': 'application/json', ...init.headers },
      }),
    async balance() {
      const { rows } = await database.pool.query(
        'SELECT balance_micro_rub FROM service.account WHERE id = $1',
        [accountId],
      )
      return BigInt(rows[0].balance_micro_rub)
    },
    async [Symbol.asyncDispose]() {
      await service.stop(0)
      app.server.closeAllConnections()
      await app.close()
      await instance.release()
      await database.close()
      await rm(mediaDir, { recursive: true, force: true })
    },
  }
}

async function addAccount(pool: Pool, creditMicroRub: bigint) {
  const { id: accountId } = await createAccount(pool, { name: 'test', creditMicroRub })
  return { accountId, apiKey: await createApiKey(pool, accountId) }
}

/** Ends servers and services with the test that called it, the last one first. */
export function untilTestEnds(...servers: AsyncDisposable[]): void {
  for (const server of servers) onTestFinished(() => server[Symbol.asyncDispose]())
}

/** One model, `alpha`, answered by an OpenAI-like server: 150 RUB and 600 RUB per 1M tokens. */
export function upstreamConfig(
  baseUrl: string,
  model: Partial<ChatModelConfig> = {},
): ServiceConfig {
  return {
    chat: {
      models: [
        {
          id: 'alpha',
          family: 'A',
          context_tokens: 1_000_000,
          prompt_rub_per_1m: '150',
          completion_rub_per_1m: '600',
          default_max_tokens: 1000,
          ...(model.upstreams === undefined && {
            provider: { type: 'openai', base_url: baseUrl, model: 'upstream' },
          }),
          ...model,
        },
      ],
    },
    generation: {},
    keys: new Map(),
  }
}

/** The only hold there is. */
export async function theHold(pool: Pool) {
  const { rows } = await pool.query(
    `SELECT id AS request_id, COALESCE(end_state::text, 'held') AS state, end_reason AS reason, output_at, held_micro_rub::text AS amount,
            cost_micro_rub::text AS cost FROM service.request`,
  )
  if (rows.length !== 1) throw new Error(`Expected one hold, found ${rows.length}`)
  return rows[0]
}

/** Reads a stream piece by piece. */
export function readText(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) throw new Error('The response has no body')
  return {
    next: async () => (await reader.read()).value,
    async rest() {
      let text = ''
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return text
        text += value
      }
    },
  }
}
