import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ProviderError } from '../../../src/service/providers/provider.ts'
import {
  BODY,
  createFakeProvider,
  DEADLINE_MS,
  DONE,
  type GenerationSetup,
  GONE,
  openGenerationSetup,
  PRICE_MICRO_RUB,
} from './generation-setup.ts'

let setup: GenerationSetup
let provider: ReturnType<typeof createFakeProvider>
let service: Awaited<ReturnType<GenerationSetup['addProcess']>>
let accountId: number
let taskId: number

beforeEach(async () => {
  setup = await openGenerationSetup()
  provider = createFakeProvider()
  service = await setup.addProcess(provider)
  await service.generation.start()
  accountId = await setup.addAccount(PRICE_MICRO_RUB)
  taskId = (await service.create(accountId)).body.task_id
})

afterEach(() => setup.close())

const visit = () => service.visit(taskId)

async function expectRefundedOnce(error: { code: number; message?: string }) {
  const task = await setup.task(taskId)
  expect(task).toMatchObject({ status: 'fail', errorCode: error.code, leaseOwner: null })
  if (error.message !== undefined) expect(task.errorMessage).toBe(error.message)
  expect(await setup.refunds(taskId)).toBe(1)
  expect(await setup.balance(accountId)).toBe(PRICE_MICRO_RUB)
}

test('visit() starts the work once and looks at it until it is done', async () => {
  const again = [await visit(), await visit()]
  provider.check.mockResolvedValueOnce(DONE)
  again.push(await visit(), await visit())

  expect(again).toEqual([expect.any(Number), expect.any(Number), undefined, undefined])
  expect(provider.start.mock.calls.map(([params]) => params)).toEqual([BODY])
  expect(provider.check.mock.calls.map(([operation]) => operation)).toEqual(
    Array(3).fill({ work: 'w1' }),
  )
  const task = await setup.task(taskId)
  expect(task).toMatchObject({ status: 'success', leaseOwner: null })
  expect(await readdir(setup.mediaDir)).toEqual(task.files)
  expect(await setup.balance(accountId)).toBe(0n)
})

test('visit() stores the results before the task succeeds', async () => {
  provider.check.mockResolvedValue({
    status: 'success',
    results: [{ type: 'url', url: GONE }],
  })

  const again = await visit()

  expect(again).toEqual(expect.any(Number))
  expect(await setup.task(taskId)).toMatchObject({ status: 'generating', files: [] })
})

test('a provider may begin nothing more after the deadline', async () => {
  const begun: unknown[] = []
  await visit()
  provider.check.mockImplementationOnce(async (_operation, { save }) => {
    await save({ work: 'w2' })
    begun.push('w2')
    return { status: 'generating' }
  })

  await setup.setAge(taskId, DEADLINE_MS)
  await visit()

  expect(begun).toEqual([])
  await expectRefundedOnce({ code: 504 })
})

test('a result that can never be copied fails the task after a dozen tries', async () => {
  provider.check.mockResolvedValue({
    status: 'success',
    results: [{ type: 'url', url: GONE }],
  })

  const again = []
  for (let tries = 0; tries < 12; tries += 1) again.push(await visit())

  expect(again.map((at) => at === undefined)).toEqual([...Array(11).fill(false), true])
  await expectRefundedOnce({ code: 502 })
})

test('failed polls are no copies: the first copy after them may fail', async () => {
  provider.check.mockRejectedValue(new ProviderError('unavailable', 'Not there.'))
  for (let polls = 0; polls < 12; polls += 1) await visit()
  provider.check.mockResolvedValue({ status: 'success', results: [{ type: 'url', url: GONE }] })

  expect(await visit()).toEqual(expect.any(Number))

  expect(await setup.task(taskId)).toMatchObject({ status: 'generating' })
})

test('work that fails ends the task with the reason, and its price goes back once', async () => {
  provider.check.mockResolvedValue({ status: 'fail', code: 451, message: 'Filtered.' })

  await Promise.all([visit(), visit()])
  await visit()

  await expectRefundedOnce({ code: 451, message: 'Filtered.' })
})

test('a provider that is not there is asked to start again', async () => {
  provider.start.mockRejectedValueOnce(new ProviderError('unavailable', 'Not there.'))

  const again = await visit()

  expect(again).toEqual(expect.any(Number))
  expect(await setup.task(taskId)).toMatchObject({ status: 'queuing', leaseOwner: null })
  await visit()
  expect(await setup.task(taskId)).toMatchObject({ status: 'generating' })
  expect(provider.start).toHaveBeenCalledTimes(2)
})

test.each([new ProviderError('rejected', 'No.'), new TypeError('x is undefined')])(
  'one bad look ends nothing: %s',
  async (error) => {
    provider.check.mockRejectedValueOnce(error).mockResolvedValueOnce(DONE)

    const again = await visit()
    await visit()

    expect(again).toEqual(expect.any(Number))
    expect(provider.start).toHaveBeenCalledOnce()
    expect(await setup.task(taskId)).toMatchObject({ status: 'success' })
    expect(await setup.refunds(taskId)).toBe(0)
  },
)

test('a task that never starts fails an hour after its creation', async () => {
  provider.start.mockRejectedValue(new ProviderError('unavailable', 'Not there.'))
  await visit()

  await setup.setAge(taskId, DEADLINE_MS)
  const again = await visit()

  expect(again).toBeUndefined()
  expect(provider.start).toHaveBeenCalledOnce()
  await expectRefundedOnce({ code: 503 })
})

test('work that cannot be looked at for an hour fails', async () => {
  provider.check.mockRejectedValue(new ProviderError('unavailable', 'Not there.'))
  await setup.setAge(taskId, DEADLINE_MS - 60_000)
  const before = await visit()

  await setup.setAge(taskId, DEADLINE_MS)
  const after = await visit()

  expect([before, after]).toEqual([expect.any(Number), undefined])
  await expectRefundedOnce({ code: 504 })
})

test('work that is done just after an hour succeeds', async () => {
  await visit()
  provider.check.mockResolvedValue(DONE)

  await setup.setAge(taskId, DEADLINE_MS)
  await visit()

  expect(await setup.task(taskId)).toMatchObject({ status: 'success' })
})
