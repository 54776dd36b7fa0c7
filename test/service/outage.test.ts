import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { BODY, CREDIT, createGate, endAll, startDetoured } from './outage-setup.ts'
import { DONE, delta, finish, sends } from './providers/openai-server.ts'
import { theHold } from './service-fixture.ts'

const CREATION = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: 'a cat', aspect_ratio: '1280:720' }),
}

afterEach(endAll)

test('a balance service that is away is 503 everywhere, and back when it is back', async () => {
  const { kopeck, line } = await startDetoured(sends(delta('a'), finish(), DONE))
  line.cut()

  const responses = [
    await kopeck.call('/balance'),
    await kopeck.chat(BODY),
    await kopeck.call('/videos/vidgen-generate', CREATION),
  ]

  line.mend()
  for (const response of responses) {
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({
      detail: 'The balance service is not available now.',
    })
  }
  const balance = await kopeck.call('/balance')
  expect(balance.status).toBe(200)
  expect(await balance.json()).toEqual({ balance_rub: 1000 })
})

test('a database that takes no connections is 503 before any provider is asked, and says when to come again', async () => {
  const { kopeck, upstream } = await startDetoured(sends(delta('a'), finish(), DONE))
  await kopeck.chat(BODY)
  const name = new URL(kopeck.url).pathname.slice(1)
  const admin = new pg.Client({ connectionString: new URL('/postgres', kopeck.url).href })
  await admin.connect()
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  // The instance of the process goes, too.
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    name,
  ])

  const responses = [
    await kopeck.call('/balance'),
    await kopeck.chat(BODY),
    await kopeck.chat(BODY),
    await kopeck.call('/videos/vidgen-generate', CREATION),
  ]

  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  await admin.end()
  expect(responses.map(({ status }) => status)).toEqual([503, 503, 503, 503])
  expect(responses.map(({ headers }) => headers.get('retry-after'))).toEqual(['2', '2', '2', '2'])
  expect(upstream.requestCount()).toBe(1)
  expect((await kopeck.call('/balance')).status).toBe(200)
})

test('a service that lost its lease answers 503, and says when to come again', async () => {
  const { kopeck, upstream } = await startDetoured(sends(delta('a'), finish(), DONE))
  await kopeck.pool.query('DELETE FROM public.instance')
  await expect.poll(async () => (await kopeck.chat(BODY)).status, { timeout: 10_000 }).not.toBe(200)
  const asked = upstream.requestCount()

  const responses = [
    await kopeck.chat(BODY),
    await kopeck.call('/chat/completions', { ...CREATION, body: JSON.stringify(BODY) }),
  ]

  expect(responses.map(({ status }) => status)).toEqual([503, 503])
  expect(responses.map(({ headers }) => headers.get('retry-after'))).toEqual(['2', '2'])
  expect(await responses[0]?.json()).toEqual({ detail: 'The service begins again.' })
  expect(await responses[1]?.json()).toMatchObject({ error: { type: 'server_error' } })
  expect(upstream.requestCount()).toBe(asked)
})

test('a mistake of ours is 500, and distinguished from an outage', async () => {
  const { kopeck } = await startDetoured(sends(''))
  await kopeck.pool.query('ALTER TABLE service.api_key RENAME TO api_key_away')

  const response = await kopeck.call('/balance')

  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ detail: 'The service made a mistake. It is logged.' })
})

test('an estimate that cannot be given back yet is given back once that can be written', async () => {
  const { ask, isAsked, open, opened } = createGate()
  const { kopeck, line } = await startDetoured(async (response) => {
    ask()
    await opened
    response.writeHead(500).end()
  })
  const answer = kopeck.chat(BODY)
  await isAsked
  line.cut()
  open()

  const { status } = await answer
  line.mend()
  await kopeck.service.stop(20_000)

  expect(status).toBe(503)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released' })
  expect(await kopeck.balance()).toBe(CREDIT)
})
