import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Value } from 'typebox/value'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { CallbackNotification } from '../../../src/contract/tasks.ts'
import { nextAttemptInMs } from '../../../src/service/callback/callbacks.ts'
import { type CallbackSetup, openCallbackSetup, type ProcessOptions } from './callback-setup.ts'
import { startReceiver } from './receiver.ts'

type Receiver = Awaited<ReturnType<typeof startReceiver>>

let setup: CallbackSetup
const receivers: Receiver[] = []

beforeEach(async () => {
  setup = await openCallbackSetup()
})

afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
  await setup.close()
})

async function openBoth({
  statusFor = () => 200,
  ...options
}: ProcessOptions & { statusFor?: (index: number) => number } = {}) {
  const receiver = await startReceiver({ secret: () => setup.secret, statusFor })
  receivers.push(receiver)
  const allow = [`127.0.0.1:${receiver.port}`]
  const service = await setup.addProcess({ allow, ...options })
  return { receiver, service, allow }
}

function first({ received }: Receiver) {
  const [callback] = received
  if (callback === undefined) throw new Error('The receiver has had no callback')
  return callback
}

test('a task that succeeds sends one signed callback in the shape of the contract', async () => {
  const { receiver, service } = await openBoth()
  const taskId = await service.createAndFinish(receiver.url)

  const again = [await service.deliver(taskId), await service.deliver(taskId)]

  expect(again).toEqual([undefined, undefined])
  expect(receiver.received).toHaveLength(1)
  const { headers, body, status, path } = first(receiver)
  expect({ status, path }).toEqual({ status: 200, path: '/hook?token=hush' })
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-callback-timestamp': expect.stringMatching(/^\d+$/),
    'x-callback-signature': expect.stringMatching(/^sha256=[\da-f]{64}$/),
  })
  const notification = JSON.parse(String(body))
  expect(Value.Check(CallbackNotification, notification)).toBe(true)
  expect(notification).toEqual({
    task_id: taskId,
    status: 'success',
    code: 200,
    result_urls: [expect.stringMatching(/^http:\/\/kopeck\.test\/files\/[\da-f]+\.png$/)],
    error: null,
    model: 'imagegen',
    timestamp: expect.any(Number),
  })
  expect(Math.abs(notification.timestamp - Date.now() / 1000)).toBeLessThan(60)
  expect((await setup.callback(taskId))?.state).toBe('delivered')
  expect(service.outcomes).toEqual(['delivered'])
})

test('a receiver that never takes it is asked at 0, 5 and 15 s after the end, and not again', async () => {
  const { receiver, service } = await openBoth({ statusFor: () => 500 })
  const taskId = await service.createAndFinish(receiver.url)
  const at = async (agoMs: number) => {
    await setup.shiftEnd(taskId, { agoMs })
    const again = await service.deliver(taskId)
    return { attempts: receiver.received.length, again }
  }

  // An hour before an attempt is due it is not made, however busy the machine is.
  const HOUR = 3_600_000
  const tooEarly = await at(-HOUR)
  const first = await at(0)
  const between = await at(5000 - HOUR)
  const second = await at(5000)
  const later = await at(15_000 - HOUR)
  const third = await at(15_000)
  const afterwards = await at(HOUR)

  expect(
    [tooEarly, first, between, second, later, third, afterwards].map((it) => it.attempts),
  ).toEqual([0, 1, 1, 2, 2, 3, 3])
  const near = (ms: number) => ({ min: ms - 10_000, max: ms + 10 })
  for (const [{ again = Number.NaN }, { min, max }] of [
    [tooEarly, near(HOUR)],
    [first, near(5000)],
    [between, near(HOUR)],
    [second, near(10_000)],
    [later, near(HOUR)],
  ] as const) {
    expect(again).toBeGreaterThanOrEqual(min)
    expect(again).toBeLessThanOrEqual(max)
  }
  expect([third.again, afterwards.again]).toEqual([undefined, undefined])
  expect((await setup.attempts(taskId)).map(({ number, status }) => ({ number, status }))).toEqual([
    { number: 1, status: 500 },
    { number: 2, status: 500 },
    { number: 3, status: 500 },
  ])
  expect((await setup.callback(taskId))?.state).toBe('failed')
})

test('a log line has the task, the attempt and the status, and neither the query nor the secret', async () => {
  const { receiver, service } = await openBoth({ statusFor: (index) => (index === 0 ? 500 : 200) })
  const taskId = await service.createAndFinish(receiver.url)
  for (const agoMs of [0, 5000]) {
    await setup.shiftEnd(taskId, { agoMs })
    await service.deliver(taskId)
  }

  const { info, warn, error } = service.log
  expect(warn.mock.calls).toEqual([
    [{ taskId, attempt: 1, status: 500 }, 'callback not delivered, tried again'],
  ])
  expect(info).toHaveBeenCalledWith({ taskId, attempt: 2, status: 200 }, 'callback delivered')
  const everything = JSON.stringify([info.mock.calls, warn.mock.calls, error.mock.calls])
  expect(everything).not.toMatch(/hush|hook/)
  expect(everything).not.toContain(setup.secret)
})

async function startSilentReceiver() {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const spoken = once(server, 'connection').then(([socket]) => once(socket, 'data'))
  return { pair: `127.0.0.1:${(server.address() as AddressInfo).port}`, spoken }
}

test.each([
  ['https', 5000, 'connect_timeout'],
  ['http', 10_000, 'read_timeout'],
] as const)('a silent %s receiver is given up after %i ms: %s', async (scheme, ms, failure) => {
  const { pair, spoken } = await startSilentReceiver()
  const service = await setup.addProcess({ allow: [pair] })
  const taskId = await service.createAndFinish(`${scheme}://${pair}/`)
  const outcome = async () => (await setup.attempts(taskId))[0]?.failure
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())

  const delivering = service.deliver(taskId)
  await spoken
  vi.advanceTimersByTime(ms - 1)
  const before = await outcome()
  vi.advanceTimersByTime(1)
  await delivering

  expect([before, await outcome()]).toEqual([null, failure])
})

test.each([
  [0, -250, 250],
  [0, 86_400_000, 0],
  [1, 4999, 1],
  [2, 5000, 10_000],
  // The second attempt took until now: the third has waited for it.
  [2, 20_000, 0],
  [3, 15_000, undefined],
])('nextAttemptInMs() after %i attempts, %i ms after the end: %s', (tries, sinceEndMs, waitMs) => {
  expect(nextAttemptInMs({ tries, sinceEndMs })).toBe(waitMs)
})
