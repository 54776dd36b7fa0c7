import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import {
  BODY,
  CREDIT,
  createGate,
  disposables,
  endAll,
  startDetoured,
} from '../../service/outage-setup.ts'
import {
  DONE,
  delta,
  finish,
  sends,
  sendsAndHangs,
  usage,
} from '../../service/providers/openai-server.ts'
import { theHold } from '../../service/service-fixture.ts'

const USAGE = usage(10, 2)
/** Millionths of a rouble: 10 tokens at 150 and 2 at 600 RUB per 1M. */
const COST = 2_700n
const COST_RUB = 0.0027

afterEach(endAll)

test('a stream that ends while the database is away ends with its cost, and is settled at that once it can be', async () => {
  const { open, opened } = createGate()
  const { kopeck, line } = await startDetoured(async (response, asked) => {
    await sendsAndHangs(delta('first'))(response, asked)
    await opened
    response.end(`${finish()}${USAGE}${DONE}`)
  })
  const response = await kopeck.chat(BODY)
  line.cut()
  open()

  const text = await response.text()
  const beside = new pg.Pool({ connectionString: kopeck.url, max: 1 })
  const before = await theHold(beside)
  await beside.end()
  line.mend()
  await kopeck.service.stop(20_000)

  expect(text).toContain(`"cost_rub":${COST_RUB}`)
  expect(before.state).toBe('held')
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', reason: 'usage' })
  expect(await kopeck.balance()).toBe(CREDIT - COST)
})

test('a streamed answer that comes while the database says nothing is whole, and costs what it cost', async () => {
  const { ask, isAsked, open, opened } = createGate()
  const { kopeck, line } = await startDetoured(
    async (response, asked) => {
      ask()
      await opened
      await sends(delta('first'), finish(), USAGE, DONE)(response, asked)
    },
    { isWhollyDetoured: true },
  )
  const answer = kopeck.chat({ ...BODY, stream: true })
  await isAsked
  line.hold()
  open()
  // It gives the connection up.
  await expect.poll(() => kopeck.instance.session.connection()).toBeUndefined()
  line.mend()

  const response = await answer
  const text = await response.text()
  await kopeck.service.stop(20_000)

  expect(response.status).toBe(200)
  expect(text).toContain('first')
  expect(text).toContain(`"cost_rub":${COST_RUB}`)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', reason: 'usage' })
  expect(await kopeck.balance()).toBe(CREDIT - COST)
})

test('a chat that may have been held while the database says nothing is refused, and costs nothing', async () => {
  const { kopeck, line, upstream } = await startDetoured(sends(''), { isWhollyDetoured: true })
  // Its key is known from here on.
  await kopeck.call('/balance')
  line.hold()

  const { status } = await kopeck.chat(BODY)
  line.mend()
  await kopeck.service.stop(20_000)

  expect([status, upstream.requestCount()]).toEqual([503, 0])
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released', reason: 'withdrawn' })
  expect(await kopeck.balance()).toBe(CREDIT)
})

test('what is asked of a database that is known to say nothing is refused at once', async () => {
  const { kopeck, line } = await startDetoured(sends(''), { isWhollyDetoured: true })
  line.hold()
  await kopeck.call('/balance')

  // Without the knowledge of the first each of them would wait for its connection until the test is over.
  const responses = []
  for (let index = 0; index < 20; index++) responses.push(await kopeck.call('/balance'))

  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]))
  line.mend()
  await expect.poll(async () => (await kopeck.call('/balance')).status).toBe(200)
})

/** A chat whose process cannot know whether it is stored that the first output goes out, and which is stopping. */
async function startUnsure() {
  const { ask, isAsked, open, opened } = createGate()
  const { kopeck, line } = await startDetoured(async (response, asked) => {
    ask()
    await opened
    await sendsAndHangs(delta('first'))(response, asked)
  })
  const beside = new pg.Pool({ connectionString: kopeck.url, max: 1 })
  disposables.push({ [Symbol.asyncDispose]: () => beside.end() })
  const answer = kopeck.chat(BODY).catch((error: Error) => error)
  await isAsked
  line.swallowAnswers()
  open()
  await expect.poll(async () => (await theHold(beside)).output_at).not.toBeNull()
  line.cut()
  const stopped = kopeck.service.stop(0).then(() => 'stopped')
  return { kopeck, line, answer, stopped }
}

test('a chat that might be kept as delivered is refused once it is stored that it is not', async () => {
  const { kopeck, line, answer, stopped } = await startUnsure()

  expect(await Promise.race([answer, stopped])).toBe('stopped')
  line.mend()

  expect(await answer).toMatchObject({ status: 503 })
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released', reason: 'failed' })
  expect(await kopeck.balance()).toBe(CREDIT)
})
