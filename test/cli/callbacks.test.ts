import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCallbacksProgram } from '../../src/cli/callbacks.ts'
import { type CallbackSetup, openCallbackSetup } from '../service/callback/callback-setup.ts'
import { startReceiver } from '../service/callback/receiver.ts'

let setup: CallbackSetup
let receiver: Awaited<ReturnType<typeof startReceiver>>
let service: Awaited<ReturnType<CallbackSetup['addProcess']>>
let statusOf: (index: number) => number

beforeEach(async () => {
  setup = await openCallbackSetup()
  statusOf = () => 500
  receiver = await startReceiver({
    secret: () => setup.secret,
    statusFor: (index) => statusOf(index),
  })
  service = await setup.addProcess({ allow: [`127.0.0.1:${receiver.port}`] })
})

afterEach(async () => {
  await receiver.close()
  await setup.close()
})

async function callbacks(...args: string[]): Promise<string> {
  const printed: string[] = []
  const program = createCallbacksProgram({
    use: 'kopeck callbacks',
    env: { DATABASE_URL: setup.url, TIME_ZONE: 'UTC' },
    print: (text) => printed.push(`${text}\n`),
  })
  await program.parseAsync(args, { from: 'user' })
  return printed.join('')
}

async function failedCallback(): Promise<number> {
  const taskId = await service.createAndFinish(receiver.url)
  for (const agoMs of [0, 5000, 15_000]) {
    await setup.shiftEnd(taskId, { agoMs })
    await service.deliver(taskId)
  }
  return taskId
}

async function shiftCommand(taskId: number, agoMs: number): Promise<void> {
  await setup.database.pool.query(
    `UPDATE service.callback SET sent_again_at = now() - $2 * interval '1 ms' WHERE task_id = $1`,
    [taskId, agoMs],
  )
}

test('list shows each attempt with what it came to', async () => {
  const taskId = await failedCallback()

  const table = await callbacks('list', String(taskId))
  const json = JSON.parse(await callbacks('list', String(taskId), '--json'))

  const [head, , columns, ...rows] = table.trimEnd().split('\n')
  expect(head).toContain(`The callback of task ${taskId} to ${receiver.url} is not delivered`)
  expect(columns).toMatch(/^attempt +time +took, s +answer$/)
  expect(rows.map((row) => row.trim().split(/ +/).at(-1))).toEqual(['500', '500', '500'])
  expect(json).toMatchObject({
    task_id: taskId,
    account_id: setup.accountId,
    state: 'failed',
    attempts: [1, 2, 3].map((number) => ({ number, status: 500, failure: null })),
  })
})

test('send has the running service make three more attempts at 0, 5 and 15 s, with the same bytes', async () => {
  const taskId = await failedCallback()

  const printed = await callbacks('send', String(taskId))
  const waits: unknown[] = []
  for (const agoMs of [0, 5000, 15_000]) {
    await shiftCommand(taskId, agoMs)
    waits.push(await service.deliver(taskId))
  }

  expect(JSON.parse(printed)).toEqual({ task_id: taskId, state: 'pending' })
  expect(waits).toEqual([expect.any(Number), expect.any(Number), undefined])
  expect((await setup.attempts(taskId)).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6])
  expect((await setup.callback(taskId))?.state).toBe('failed')
  expect(new Set(receiver.received.map(({ body }) => String(body))).size).toBe(1)
})

test('a command wakes the service that delivers callbacks', async () => {
  const taskId = await failedCallback()
  statusOf = () => 200
  const allow = [`127.0.0.1:${receiver.port}`]
  const running = await setup.addProcess({ allow, isAutomatic: true })
  running.callbacks.start()

  await callbacks('send', String(taskId))

  await expect
    .poll(async () => (await setup.callback(taskId))?.state, { timeout: 20_000 })
    .toBe('delivered')
})

test('a callback that is being sent is not sent a second time beside that', async () => {
  const taskId = await service.createAndFinish(receiver.url)
  await service.deliver(taskId)

  await expect(callbacks('send', String(taskId))).rejects.toThrow('is still being sent')
  expect(await setup.attempts(taskId)).toHaveLength(1)
})

test('list without a task shows those that are not delivered, the latest first', async () => {
  const [first, second, third] = [
    await failedCallback(),
    await failedCallback(),
    await failedCallback(),
  ]
  const open = await service.createAndFinish(receiver.url)
  statusOf = () => 204
  const delivered = await service.createAndFinish(receiver.url)
  await service.deliver(delivered)

  const json = JSON.parse(await callbacks('list', '--json'))
  const table = await callbacks('list')

  expect(json).toEqual({
    callbacks: [third, second, first].map((taskId) => ({
      task_id: taskId,
      account_id: setup.accountId,
      url: receiver.url,
      failed_at: expect.any(String),
      attempts: 3,
      status: 500,
      failure: null,
    })),
  })
  const [head, ...rows] = table.trimEnd().split('\n')
  expect(head).toMatch(/^task +account +failed +attempts +last answer +to$/)
  expect(rows.map((row) => Number(row.trim().split(/ +/)[0]))).toEqual([third, second, first])
  expect(rows.join()).not.toContain(` ${open} `)
})

test('send failed sends all again that are not delivered, and no other', async () => {
  const failed = [await failedCallback(), await failedCallback()]
  const open = await service.createAndFinish(receiver.url)
  await service.deliver(open)

  const ofAll = await callbacks('send', 'failed')
  const again = await callbacks('send', 'failed')
  statusOf = () => 200
  for (const taskId of failed) await service.deliver(taskId)

  expect([ofAll, again].map((text) => JSON.parse(text).callbacks)).toEqual([2, 0])
  const states = await Promise.all(failed.map(async (taskId) => await setup.callback(taskId)))
  expect(states.map((callback) => callback?.state)).toEqual(['delivered', 'delivered'])
  expect(await setup.attempts(open)).toHaveLength(1)
  expect(await callbacks('list')).toBe('Every callback is delivered, or being sent.\n')
})

test.each([
  ['send', '999999', 'There is no task 999999'],
  ['send', 'x', 'TASK_ID|failed should be a whole number'],
])('%s %s is refused: %s', async (command, id, sentence) => {
  await expect(callbacks(command, id)).rejects.toThrow(sentence)
})
