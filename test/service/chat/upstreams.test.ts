import { expect, test } from 'vitest'
import { createLog } from '../../../src/platform/log.ts'
import type { ChatUpstreamConfig } from '../../../src/service/config/chat-config.ts'
import type { ProviderFailure } from '../../../src/service/providers/failure.ts'
import type { ServiceTrouble } from '../../../src/service/service.ts'
import { findClosedAddress } from '../../platform/http/tcp-server.ts'
import {
  DONE,
  delta,
  event,
  finish,
  type Responder,
  refuses,
  sends,
  sendsAndHangs,
  sendsAndResets,
  startOpenAiServer,
  usage,
} from '../providers/openai-server.ts'
import {
  readText,
  startTestService,
  theHold,
  untilTestEnds,
  upstreamConfig,
} from '../service-fixture.ts'
import { CHAT, COST, CREDIT, gated, STREAM } from './chat-fixture.ts'

const KEY = 'sk-operator-0123456789'
const ROLE = event({ choices: [{ index: 0, delta: { role: 'assistant' } }] })
const ANSWERS = sends(ROLE, delta('Доб'), delta('рый день'), finish(), usage(12, 5), DONE)
const MESSAGE = `{"error":{"message":"No: ${CHAT.messages[0]?.content}, key ${KEY}"}}`

const SHORT = { first_event_seconds: 0.2, silence_seconds: 0.2 }

const FAILURES: [
  string,
  Responder | 'refuses connections',
  Partial<ProviderFailure> & { level?: number },
][] = [
  [
    'takes our key no more',
    refuses(401, MESSAGE),
    { kind: 'unauthorized', status: 401, level: 50 },
  ],
  ['refuses connections', 'refuses connections', { kind: 'unreachable' }],
  ['falls silent before a token', sendsAndHangs(ROLE), { kind: 'timed_out' }],
]

test.each(
  FAILURES.flatMap(([name, ...scene]) =>
    [true, false].map((stream) => [name, stream, ...scene] as const),
  ),
)(
  'of two upstreams the first %s: no client sees it (stream: %s), and it is held, charged and asked once',
  async (_, stream, responder, line) => {
    const { kopeck, first, second, linesOf, counted, troubles } = await startTwo(responder, {
      isSilent: line.kind === 'timed_out',
    })

    const answer = await kopeck.chat({ ...CHAT, stream })
    const body = await answer.text()

    expect(answer.status).toBe(200)
    expect(stream ? readContent(body) : JSON.parse(body).content).toBe('Добрый день')
    expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: String(COST) })
    expect(await kopeck.balance()).toBe(CREDIT - COST)
    expect((await kopeck.pool.query('SELECT upstream FROM service.request')).rows).toEqual([
      { upstream: 'second' },
    ])
    await expect
      .poll(() => linesOf('request ended'))
      .toMatchObject([
        { model: 'alpha', upstream: 'second', status: 200, accountId: kopeck.accountId },
      ])
    const lines = linesOf('upstream failed, another try follows')
    expect(lines).toMatchObject([
      { level: 40, model: 'alpha', upstream: 'first', accountId: kopeck.accountId, ...line },
    ])
    // The operator alone learns of a wrong key.
    expect(troubles).toMatchObject(
      line.status === 401 ? [{ upstream: 'first', failure: { status: 401 } }] : [],
    )
    expect(JSON.stringify(lines)).not.toMatch(/Привет|sk-operator|\n {4}at/)
    expect(JSON.stringify(lines[0]).length).toBeLessThan(700)
    expect(await counted()).toEqual([
      'kopeck_chat_answers_total{model="alpha",upstream="second"} 1',
      `kopeck_provider_failures_total{model="alpha",upstream="first",kind="${lines[0]?.kind}"} 1`,
    ])

    await (await kopeck.chat({ ...CHAT, stream })).text()

    expect([first?.requestCount() ?? 1, second.requestCount()]).toEqual([1, 2])
  },
)

test('the upstream that fails last decides: 503, what is held goes back, and when to come again', async () => {
  const busy: Responder = (response) => {
    response.writeHead(429, { 'retry-after': '7' })
    response.end(MESSAGE)
  }
  const { kopeck, linesOf } = await startTwo(refuses(500, MESSAGE), { second: busy })

  const answer = await kopeck.chat(CHAT)

  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('7')
  expect(await answer.json()).toEqual({ detail: 'The model is not available now.' })
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released' })
  expect(await kopeck.balance()).toBe(CREDIT)
  expect(linesOf('upstream failed, the request is refused')).toMatchObject([
    { level: 50, upstream: 'second', kind: 'rate_limited', said: 'No: [hidden], key [hidden]' },
  ])
  expect(linesOf('request failed')).toEqual([])
})

test.each([
  ['a wrong key', 401, 'invalid_api_key', 'unauthorized'],
  ['no such model', 404, 'model_not_found', 'refused'],
])(
  'a model that every upstream refuses for %s is misconfigured: the client and the operator learn it',
  async (_, status, code, kind) => {
    const refusing = refuses(status, JSON.stringify({ error: { code, message: 'No' } }))
    const { kopeck, troubles } = await startTwo(refusing, { second: refusing })

    const answer = await kopeck.chat(STREAM)

    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('60')
    expect(await answer.json()).toEqual({
      detail: 'The model is not set up right: the operator of the service can mend it.',
      code: 'model_misconfigured',
    })
    expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released' })
    expect(await kopeck.balance()).toBe(CREDIT)
    const failure = { kind, status, explanation: `${code}: No` }
    expect(troubles).toMatchObject([
      { model: 'alpha', upstream: 'first', failure },
      { model: 'alpha', upstream: 'second', failure },
    ])
  },
)

test('a request that the first upstream blames on the client goes to no other: 502', async () => {
  const { kopeck, second, linesOf, counted } = await startTwo(refuses(400, MESSAGE))

  const answer = await kopeck.chat(CHAT)

  expect(answer.status).toBe(502)
  expect(await answer.json()).toEqual({
    detail: 'The model refused the request: No: [hidden], key [hidden]',
  })
  expect(second.requestCount()).toBe(0)
  expect(await kopeck.balance()).toBe(CREDIT)
  expect(linesOf('upstream refused the request')).toMatchObject([{ level: 40, status: 400 }])
  expect(await counted()).toEqual([
    'kopeck_provider_failures_total{model="alpha",upstream="first",kind="refused"} 1',
  ])
})

test('a plain answer that breaks off in the middle is asked for at the next: held and charged once', async () => {
  const { kopeck, second, linesOf } = await startTwo(sendsAndResets(delta('Доб')))

  const answer = await kopeck.chat(CHAT)

  expect(await answer.json()).toMatchObject({ content: 'Добрый день' })
  expect(second.requestCount()).toBe(1)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: String(COST) })
  expect(linesOf('upstream failed, another try follows')).toMatchObject([
    { level: 40, upstream: 'first', kind: 'reset' },
  ])
})

test.each([
  ['fails', refuses(500, '{}')],
  ['breaks off', sendsAndResets(delta('half of'))],
])(
  'a plain request whose upstream %s when its client has left costs nothing, and asks no other',
  async (_, response) => {
    const { responder, asked, open } = gated(response)
    const { kopeck, second } = await startTwo(responder)
    const leaving = new AbortController()

    const answer = kopeck.chat(CHAT, { signal: leaving.signal }).catch(() => {})
    await asked
    leaving.abort()
    await answer
    await expect.poll(() => kopeck.service.readMetrics()).toContain('status="499"')
    open()

    await kopeck.service.stop(20_000)
    expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released' })
    expect(await kopeck.balance()).toBe(CREDIT)
    expect(second.requestCount()).toBe(0)
  },
)

test('a stream that its client leaves is no failure of its upstream', async () => {
  const { kopeck, counted } = await startTwo(sendsAndHangs(delta('Доб')))
  const leaving = new AbortController()

  const answer = await kopeck.chat(STREAM, { signal: leaving.signal })
  await readText(answer).next()
  leaving.abort()

  await expect.poll(async () => (await theHold(kopeck.pool)).state).toBe('captured')
  expect(await counted()).toEqual(['kopeck_chat_answers_total{model="alpha",upstream="first"} 1'])
})

async function startTwo(
  responder: Responder | 'refuses connections',
  { second: answers = ANSWERS, isSilent = false }: { second?: Responder; isSilent?: boolean } = {},
) {
  const first = responder === 'refuses connections' ? undefined : await startOpenAiServer(responder)
  const second = await startOpenAiServer(answers)
  const firstUrl = first?.baseUrl ?? `http://${await findClosedAddress()}/v1`
  const lines: string[] = []
  const troubles: ServiceTrouble[] = []
  const sold = upstreamConfig('', {
    upstreams: [
      { ...toUpstream('first', firstUrl), ...(isSilent && { timeouts: SHORT }) },
      toUpstream('second', second.baseUrl),
    ],
  })
  const config = { ...sold, keys: new Map([['KEY', KEY]]) }
  const kopeck = await startTestService({
    config,
    log: createLog('info', { write: (line) => void lines.push(line) }),
    onTrouble: (trouble) => void troubles.push(trouble),
  })
  for (const part of [first, second, kopeck]) if (part !== undefined) untilTestEnds(part)
  return { kopeck, config, first, second, linesOf, counted, troubles }

  function linesOf(message: string) {
    return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message)
  }

  async function counted(): Promise<string[]> {
    const text = await kopeck.service.readMetrics()
    return text
      .split('\n')
      .filter((line) => /^kopeck_(chat_answers|provider_failures)_total\{/.test(line))
  }
}

function toUpstream(name: string, base_url: string): ChatUpstreamConfig {
  return { type: 'openai', name, base_url, api_key_env: 'KEY', model: 'upstream' }
}

function readContent(events: string): string {
  const chunks = events.match(/^data: \{.*$/gm) ?? []
  return chunks.map((line) => JSON.parse(line.slice(6)).choices[0].delta.content ?? '').join('')
}
