import { expect, test } from 'vitest'
import { readTaskFigures } from '../../src/service/ledger/tasks.ts'
import { createMetrics } from '../../src/service/metrics.ts'
import {
  DONE,
  delta,
  finish,
  sends,
  sendsAndResets,
  startOpenAiServer,
  usage,
} from './providers/openai-server.ts'
import { startTestService, untilTestEnds, upstreamConfig } from './service-fixture.ts'

const BODY = { model: 'alpha', messages: [{ role: 'user', content: 'hi' }], max_tokens: 10 }
const USAGE = usage(2000, 1000)

async function start(...responders: Parameters<typeof startOpenAiServer>) {
  const upstream = await startOpenAiServer(...responders)
  const kopeck = await startTestService({ config: upstreamConfig(upstream.baseUrl) })
  untilTestEnds(upstream, kopeck)
  return { kopeck, figures: async () => parse(await kopeck.service.readMetrics()) }
}

test('the sum of the roubles charged is what left the balance, settled and kept alike', async () => {
  const { kopeck, figures } = await start(
    sends(delta('a'), finish(), USAGE, DONE),
    sendsAndResets(delta('half of')),
  )
  const before = await kopeck.balance()

  await (await kopeck.chat({ ...BODY, stream: true })).text()
  await (await kopeck.chat({ ...BODY, stream: true })).text()

  const charged = async (end: string) =>
    (await figures())[`kopeck_chat_charged_roubles_total{end="${end}"}`] ?? 0
  await expect.poll(async () => await charged('captured')).toBeGreaterThan(0)
  const leftMicroRub = Number(before - (await kopeck.balance()))
  expect((await charged('settled')) + (await charged('captured'))).toBeCloseTo(
    leftMicroRub / 1e6,
    6,
  )
})

test('tasks are counted by their state, with their prices', async () => {
  const { kopeck } = await start()
  await kopeck.pool.query(
    `INSERT INTO service.task
       (account_id, endpoint, params, label, price_micro_rub, status, ended_at, files, error_code, error_message)
     SELECT $1, 'videos/vidgen-generate', '{}', 'x', 40000000, status::service.task_status, now(),
       CASE status WHEN 'success' THEN ARRAY['video.mp4'] END,
       CASE status WHEN 'fail' THEN 500 END, CASE status WHEN 'fail' THEN 'Failed' END
     FROM (VALUES ('success'), ('success'), ('fail')) AS task (status)`,
    [kopeck.accountId],
  )

  const figures = await readTaskFigures(kopeck.pool)

  expect(figures).toEqual([
    { status: 'waiting', tasks: 0, priceMicroRub: 0n },
    { status: 'queuing', tasks: 0, priceMicroRub: 0n },
    { status: 'generating', tasks: 0, priceMicroRub: 0n },
    { status: 'success', tasks: 2, priceMicroRub: 80_000_000n },
    { status: 'fail', tasks: 1, priceMicroRub: 40_000_000n },
  ])
})

test('a database that does not answer hides no other figure', async () => {
  const metrics = createMetrics({
    readTaskFigures: () => Promise.reject(new Error('away')),
    readLastCheck: () => Promise.reject(new Error('away')),
    readDiskBytes: async () => undefined,
    listRests: () => [],
  })
  metrics.callbackAttempted('delivered')
  metrics.callbackAttempted('refused')
  metrics.callbackAttempted('refused')

  const figures = parse(await metrics.text())

  expect(figures).toMatchObject({
    'kopeck_callback_attempts_total{outcome="delivered"}': 1,
    'kopeck_callback_attempts_total{outcome="refused"}': 2,
  })
  expect(Object.keys(figures).filter((name) => /^kopeck_(tasks|ledger)/.test(name))).toEqual([])
})

function parse(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => [line.replace(/ \S+$/, ''), Number(line.split(' ').at(-1))]),
  )
}
