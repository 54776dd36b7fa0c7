import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { findFreePort } from '../platform/http/free-port.ts'
import { startKopeck } from '../support/kopeck.ts'
import type { Faults } from './service.ts'

const FAULTS: Faults = {
  refused: 'refused',
  unavailable: 'unavailable',
  broken: 'broken',
  silent: 'silent',
  longer: 'longer',
  failedPrompt: 'A kopeck that nobody can draw',
  awayPath: '/sounds/soundgen-generate',
}
/** Time to read the balance between the first delta and the end. */
const STREAM_MS = 600
/** Time to poll an open task. */
const PICTURE_MS = 1_000
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Starts our service once for the run, on a database of its own, with providers that fail on purpose. */
export default async function setup(project: TestProject) {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-conformance-'))
  const upstream = await startUpstream()
  const port = Number(await findFreePort())
  const configPath = join(dataDir, 'service.json')
  await writeFile(configPath, JSON.stringify(toConfig(upstream.baseUrl)))
  const databaseUrl = await createDatabase(project.getProvidedContext().templateUrl)
  const kopeck = await startKopeck(
    {
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      SERVICE_CONFIG: configPath,
      CALLBACK_ALLOW: `127.0.0.1:${port}`,
    },
    ['service'],
  )
  project.provide('service', {
    baseUrl: `${kopeck.address}/api/v1`,
    databaseUrl,
    faults: FAULTS,
    callback: { url: `http://127.0.0.1:${port}/hook`, host: '127.0.0.1', port },
  })
  return async () => {
    await kopeck.stop()
    await upstream.close()
    await rm(dataDir, { recursive: true })
  }
}

function toConfig(baseUrl: string) {
  const model = (name: string) => ({
    id: name,
    family: 'A',
    context_tokens: 1_000_000,
    prompt_rub_per_1m: '150',
    completion_rub_per_1m: '600',
    default_max_tokens: 1024,
    provider: { type: 'openai', base_url: `${baseUrl}/${name}`, model: name },
  })
  const { refused, unavailable, broken, silent, longer } = FAULTS
  const failing = [refused, unavailable, broken, silent, longer]
  return {
    chat: { models: [model('steady'), ...failing.map(model)] },
    generation: {
      'videos/vidgen-generate': {
        prices_rub: { 'vidgen-720p-5s': '4', 'vidgen-720p-10s': '8', 'vidgen-1080p-5s': '7' },
        provider: { type: 'demo' },
      },
      'images/imagegen-generate': {
        prices_rub: { imagegen: '5' },
        provider: { type: 'openai', base_url: `${baseUrl}/steady`, model: 'brush' },
      },
      'sounds/soundgen-generate': {
        prices_rub: { soundgen: '3' },
        creation_seconds: 1,
        provider: { type: 'openai', base_url: `${baseUrl}/unavailable`, model: 'bell' },
      },
    },
  }
}

async function createDatabase(templateUrl: string): Promise<string> {
  const url = new URL(templateUrl)
  const template = url.pathname.slice(1)
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: new URL('/postgres', url).href })
  await client.connect()
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  } finally {
    await client.end()
  }
  return new URL(`/${name}`, url).href
}

/** A provider of OpenAI's shape. The first part of the path decides how it fails. */
async function startUpstream() {
  const server = createServer(async (request, response) => {
    const [, kind = '', endpoint] = request.url?.split('/') ?? []
    const body = (await json(request)) as { prompt?: string; stream?: boolean; max_tokens?: number }
    if (kind === FAULTS.unavailable) return sendJson(response, 503, { error: { message: 'away' } })
    if (kind === FAULTS.refused) return sendJson(response, 400, { error: { message: 'no' } })
    if (kind === FAULTS.silent) return void response.destroy()
    if (endpoint === 'chat') return await chat(response, kind, body)
    if (body.prompt === FAULTS.failedPrompt) {
      return sendJson(response, 400, { error: { message: 'no' } })
    }
    await delay(PICTURE_MS)
    sendJson(response, 200, { data: [{ b64_json: PNG }] })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function chat(
  response: ServerResponse,
  kind: string,
  body: { stream?: boolean; max_tokens?: number; messages?: { content: string }[] },
): Promise<void> {
  const characters = (body.messages ?? []).reduce((sum, { content }) => sum + content.length, 0)
  const promptTokens = 8 + Math.ceil(characters / 4)
  const completionTokens = kind === FAULTS.longer ? 300 : 3
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
  if (body.stream !== true) {
    const message = { role: 'assistant', content: 'Hello.' }
    return sendJson(response, 200, {
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    })
  }
  const write = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`)
  const delta = (content: string) =>
    write({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  delta('Hel')
  await delay(STREAM_MS)
  if (kind === FAULTS.broken) return void response.destroy()
  delta('lo.')
  write({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  write({ choices: [], usage })
  response.end('data: [DONE]\n\n')
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
