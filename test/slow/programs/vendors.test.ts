import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { calcPrice } from '@pydantic/genai-prices'
import { expect, onTestFinished, test } from 'vitest'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { fundedAccount } from '../../service/ledger/ledger-fixture.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { openRouterCost, type Turn, VENDORS, type Vendor } from './vendors.ts'

const USD_RUB = 100
const TURNS = 10

test.each(VENDORS.map((vendor) => [vendor.name, vendor] as const))(
  'ten turns with a key of %s cost what its bill says, and too long a chat has a code',
  async (_, vendor) => {
    const { complete, readCosts } = await openService(vendor)
    const turns = planTurns()
    const messages: { role: string; content: string }[] = []
    const answers: string[] = []

    for (const turn of turns) {
      messages.push({ role: 'user', content: `Say: ${turn.words}` })
      const { status, text } = await complete(messages, turn)
      expect(status, text).toBe(200)
      answers.push(contentOf(text))
      messages.push({ role: 'assistant', content: contentOf(text) })
    }
    const tooLong = await complete(messages, 'too long')

    expect(answers).toEqual(turns.map(({ words }) => words))
    expect(await readCosts()).toEqual(turns.map((turn) => billOf(vendor, turn)))
    expect(tooLong.status).toBe(502)
    expect(JSON.parse(tooLong.text)).toMatchObject({ code: 'context_length_exceeded' })
  },
)

function planTurns(): Turn[] {
  return Array.from({ length: TURNS }, (_, index) => ({
    uncached: 137 + index,
    cached: index * 1_111,
    thinking: 64 * (index + 1),
    text: 11 + index,
    words: `Answer ${index + 1} has words.`,
    thought: `Let me think about ${index + 1}. `,
  }))
}

/** Computes a turn's bill in micro-roubles from the vendor's public prices. */
function billOf({ pricedAs, model, name }: Vendor, turn: Turn): number {
  // The public prices are floats: half a micro-rouble must stay half.
  return Math.round(Number((usdOf() * USD_RUB * 1e6).toFixed(6)))

  function usdOf(): number {
    const tokens = {
      input_tokens: turn.uncached + turn.cached,
      output_tokens: turn.thinking + turn.text,
    }
    if (name === 'OpenRouter') return openRouterCost(turn)
    if (pricedAs === undefined) return (tokens.input_tokens * 1 + tokens.output_tokens * 2) / 1e6
    const usage = isCached() ? { ...tokens, cache_read_tokens: turn.cached } : tokens
    const price = calcPrice(usage, model, { providerId: pricedAs })
    if (price === null) throw new Error(`Cannot bill: no public price of ${model}`)
    return price.total_price
  }

  function isCached(): boolean {
    return name !== 'Mistral'
  }
}

async function openService(vendor: Vendor) {
  const dataDir = await makeFolder()
  const upstream = await startVendor(vendor)
  const DATABASE_URL = await createTestDatabase()
  const kopeck = await startKopeck(
    {
      DATABASE_URL,
      DATA_DIR: dataDir,
      OPENAI_BASE_URL: vendor.baseUrl,
      OPENAI_MODELS: vendor.model,
      ...(vendor.key && { OPENAI_API_KEY: vendor.key }),
      USD_RUB: String(USD_RUB),
      UPSTREAM_PROXY: upstream.proxy,
      ...vendor.env,
    },
    ['service'],
  )
  const { pool, close } = openTestDatabase({ url: DATABASE_URL })
  onTestFinished(async () => {
    await close()
    await kopeck.stop()
  })
  const apiKey = await createApiKey(pool, await fundedAccount(pool, 1_000_000_000n))
  return { complete, readCosts }

  async function complete(messages: object[], next: Turn | 'too long') {
    upstream.answersNext(next)
    const response = await fetch(`${kopeck.address}/api/v1/chats/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: vendor.model, messages, stream: next !== 'too long' }),
    })
    return { status: response.status, text: await response.text() }
  }

  async function readCosts(): Promise<number[]> {
    const { rows } = await pool.query<{ cost: string }>(
      `SELECT cost_micro_rub::text AS cost FROM service.request WHERE end_state = 'settled' ORDER BY created_at`,
    )
    return rows.map(({ cost }) => Number(cost))
  }
}

/** The vendor's API, and a proxy that leads every host to it. */
async function startVendor(vendor: Vendor) {
  let next: Turn | 'too long' = 'too long'
  const root = new URL(vendor.baseUrl).pathname.replace(/\/$/, '')
  const server = createServer(async (incoming, response) => {
    const body = await readBody(incoming)
    const answer = (status: number, json: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    if (incoming.headers.authorization !== `Bearer ${vendor.key}`) {
      return answer(401, { error: { message: 'Incorrect API key provided', code: 401 } })
    }
    if (incoming.url === `${root}/models`) return answer(200, vendor.models)
    if (incoming.url !== `${root}/chat/completions`) return answer(404, {})
    const refusal = vendor.refuses?.(JSON.parse(body))
    if (refusal !== undefined) return answer(refusal.status, refusal.body)
    if (next === 'too long') return answer(vendor.tooLong.status, vendor.tooLong.body)
    return response.writeHead(200, { 'content-type': 'text/event-stream' }).end(vendor.stream(next))
  })
  server.on('connect', (_, near) => {
    const far = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n')
      near.pipe(far).pipe(near)
    })
    far.on('error', () => near.destroy())
    near.on('error', () => far.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    proxy: `http://127.0.0.1:${port}`,
    answersNext(answer: typeof next) {
      next = answer
    },
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of incoming.setEncoding('utf8')) body += piece
  return body
}

/** Joins the text of a stream's chunks. */
function contentOf(events: string): string {
  return [...events.matchAll(/^data: (\{.*)$/gm)]
    .map(([, json = '']) => JSON.parse(json).choices?.[0]?.delta?.content ?? '')
    .join('')
}
