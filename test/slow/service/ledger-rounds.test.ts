import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { fromWireRub } from '../../../src/contract/money.ts'
import { ledgerFaults } from '../../service/ledger/ledger-fixture.ts'
import { letMinutesFly } from '../../service/let-time-pass.ts'
import {
  calls,
  DONE,
  delta,
  finish,
  type Responder,
  refuses,
  sends,
  sendsAndHangs,
  sendsAndResets,
  startOpenAiServer,
  TOOL_NAME,
  thinks,
} from '../../service/providers/openai-server.ts'
import {
  startTestService,
  type TestService,
  upstreamConfig,
} from '../../service/service-fixture.ts'
import { endsOf, heldOf } from './ledger-rounds-ends.ts'
import {
  CONTEXT_TOKENS,
  callsTool,
  PRICES,
  planRounds,
  type Round,
  TOOLS,
} from './ledger-rounds-plan.ts'

/** LEDGER_ROUNDS=2000 for a long look; each round is one chat. */
const ROUNDS = Number(process.env.LEDGER_ROUNDS ?? 150)
const SEED = process.env.LEDGER_SEED ?? 'kopeck'
const CREDIT = 1_000_000_000_000n

interface Seen {
  isAsked: boolean
  text: string
}

test(
  'after random rounds of usage lies and of clients leaving at every byte, every charge is one that the rules allow',
  async () => {
    const rounds = planRounds({ seed: SEED, count: ROUNDS })
    const { kopeck, play } = await startRounds(rounds)
    const seen: Seen[] = []

    for (const round of rounds) seen.push(await play(round))
    await kopeck.service.stop(20_000)

    const holds = await readHolds(kopeck)
    const known = new Set(rounds.map((round) => String(heldOf(round))))
    expect([...holds.keys()].filter((amount) => !known.has(amount))).toEqual([])
    for (const [index, round] of rounds.entries()) {
      const { isAsked, text } = seen[index] ?? { isAsked: false, text: '' }
      const hold = holds.get(String(heldOf(round)))
      const about = `round ${index}: ${JSON.stringify(round)}`
      const end = hold === undefined ? 'none' : `${hold.state} ${hold.cost}`
      expect(endsOf(round, isAsked), about).toContain(end)
      const reported = /"cost_rub":([\d.e-]+),/.exec(text)?.[1]
      if (reported !== undefined)
        expect(`settled ${fromWireRub(Number(reported))}`, about).toBe(end)
    }
    const ends = [...holds.values()]
    expect(new Set(ends.map(({ state }) => state))).toEqual(
      new Set(['settled', 'released', 'captured']),
    )
    const charged = ends.reduce((sum, { cost }) => sum + BigInt(cost), 0n)
    expect(await kopeck.balance()).toBe(CREDIT - charged)
    expect(await ledgerFaults(kopeck.pool)).toEqual([])
  },
  60_000 + ROUNDS * 500,
)

async function startRounds(rounds: readonly Round[]) {
  const reached = new Map(rounds.map((round) => [round, Promise.withResolvers<void>()]))
  const left = new Map(rounds.map((round) => [round, Promise.withResolvers<void>()]))
  const upstream = await startOpenAiServer(async (response, asked) => {
    const { max_tokens } = asked.body as { max_tokens: number }
    const round = rounds.find(({ maxTokens }) => maxTokens === max_tokens)
    if (round === undefined) throw new Error('Cannot answer: the round was not planned')
    reached.get(round)?.resolve()
    if (round.provider === 'answers late') await left.get(round)?.promise
    return await toResponder(round)(response, asked)
  })
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  const config = upstreamConfig(upstream.baseUrl, {
    context_tokens: CONTEXT_TOKENS,
    prompt_rub_per_1m: String(PRICES.prompt),
    cached_prompt_rub_per_1m: String(PRICES.cachedPrompt),
    completion_rub_per_1m: String(PRICES.completion),
  })
  const kopeck = await startTestService({
    config,
    creditMicroRub: CREDIT,
  })
  onTestFinished(() => kopeck[Symbol.asyncDispose]())
  await letMinutesFly(kopeck.pool)
  return { kopeck, play }

  async function play(round: Round): Promise<Seen> {
    const { leaving } = round
    const request = toRequest(round, kopeck)
    const bytes = leaving.when === 'asking' ? request.subarray(0, leaving.bytes) : request
    const socket = connect(Number(new URL(kopeck.origin).port), '127.0.0.1')
    let text = ''
    socket.on('data', (piece) => {
      text += piece.toString('latin1')
      if (leaving.when !== 'reading') return
      const hasWords = round.provider === 'hangs' && countDeltas(text) === round.words.length
      if (text.length >= leaving.bytes || hasWords) socket.destroy()
    })
    // A service that has no more to say may close while the request is on its way.
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    await written(socket, bytes)
    if (leaving.when === 'asking') socket.destroy()
    if (leaving.when === 'before the first token') {
      await reached.get(round)?.promise
      socket.destroy()
    }
    await closed
    left.get(round)?.resolve()
    return { isAsked: bytes.length === request.length, text }
  }
}

function toResponder({ words, thoughts, callFrom, provider, usage }: Round): Responder {
  const deltas = words.map((word, index) => {
    if (index < thoughts) return thinks(word)
    if (index < callFrom) return delta(word)
    const first = index === callFrom ? { id: 'c', type: 'function' } : {}
    const name = index === callFrom ? { name: TOOL_NAME } : {}
    return calls({ index: 0, ...first, function: { ...name, arguments: word } })
  })
  const reported = usage === null ? [] : [`data: {"choices":[],"usage":${usage}}\n\n`]
  switch (provider) {
    case 'answers':
    case 'answers late':
      return sends(...deltas, finish(), ...reported, DONE)
    case 'resets':
      return sendsAndResets(...deltas)
    case 'refuses':
      return refuses(400, '{}')
    case 'hangs':
      return sendsAndHangs(...deltas)
    case 'is silent':
      return sendsAndHangs()
  }
}

function toRequest(round: Round, { apiKey }: TestService): Buffer {
  const { prompt, maxTokens, stream } = round
  const body = JSON.stringify({
    model: 'alpha',
    messages: [{ role: 'user', content: prompt }],
    max_tokens: maxTokens,
    stream,
    ...(callsTool(round) && { tools: TOOLS }),
  })
  const head = [
    `POST /api/v1/${callsTool(round) ? 'chat' : 'chats'}/completions HTTP/1.1`,
    'host: localhost',
    'connection: close',
    `authorization: Bearer ${apiKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

async function written(socket: Socket, bytes: Buffer): Promise<void> {
  await once(socket, 'connect')
  await new Promise<void>((done) => void socket.write(bytes, () => done()))
}

function countDeltas(text: string): number {
  return text.split('"finish_reason":null').length - 1
}

async function readHolds({ pool }: TestService) {
  const { rows } = await pool.query<{ amount: string; state: string; cost: string }>(
    `SELECT held_micro_rub::text AS amount, end_state AS state, cost_micro_rub::text AS cost FROM service.request`,
  )
  const holds = new Map(rows.map((hold) => [hold.amount, hold]))
  expect(holds.size).toBe(rows.length)
  return holds
}
