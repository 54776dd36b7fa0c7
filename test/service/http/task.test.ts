import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createFakeProvider,
  type GenerationSetup,
  openGenerationSetup,
} from '../generation/generation-setup.ts'
import { letTimePass } from '../let-time-pass.ts'

let setup: GenerationSetup
let service: Awaited<ReturnType<GenerationSetup['addProcess']>>
let accountId: number
const provider = createFakeProvider()

beforeAll(async () => {
  setup = await openGenerationSetup()
  service = await setup.addProcess(provider)
  await service.generation.start()
  accountId = await setup.addAccount()
})

afterAll(() => setup.close())

test('GET /task/:task_id shows why a task failed', async () => {
  const { body: created } = await service.create(accountId)
  provider.check.mockResolvedValueOnce({ status: 'fail', code: 451, message: 'not\0 this\ud800' })
  await service.visit(created.task_id)

  const answer = await service.read(accountId, created.task_id)

  expect(answer.body).toEqual({
    status: 'fail',
    result_urls: null,
    error: { code: 451, message: 'not this\ufffd' },
  })
})

// Promise: The clock of the database is set back by hours
test('GET /task/:task_id answers a poll after the database clock was set back by two hours', async () => {
  const { body: created } = await service.create(accountId)
  await service.read(accountId, created.task_id)
  const poll = () =>
    service.app.inject({
      url: `/api/v1/task/${created.task_id}`,
      headers: { authorization: `Bearer ${accountId}` },
    })

  await letTimePass(setup.database.pool, -2 * 3_600_000)
  const answers = [await poll(), await poll()]

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 429])
  expect(answers[1]?.headers['retry-after']).toBe('3')
})

test.each(['2147483647', '2147483648', 'x'])('GET /task/%s is 404', async (id) => {
  const answer = await service.read(accountId, id)

  expect(answer).toEqual({ status: 404, body: { detail: expect.any(String) } })
})
