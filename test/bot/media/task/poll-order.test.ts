import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import {
  createOrderPoller,
  findFailure,
  type PolledOrder,
  type TaskLook,
} from '../../../../src/bot/media/task/poll-order.ts'
import { createPollPace } from '../../../../src/bot/media/task/poll-pace.ts'
import { ServiceError } from '../../../../src/contract/client/service-error.ts'
import { LeaseLostError } from '../../../../src/platform/database/instance/instance.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'

const GENERATING: TaskLook = { status: 'generating' }

test.each<[string, TaskLook, { denials: number; isOverdue: boolean }]>([
  ['a task that is being made', GENERATING, { denials: 0, isOverdue: false }],
  ['a look without an answer', { status: 'unknown' }, { denials: 0, isOverdue: false }],
  ['a task that was denied four times', { status: 'denied' }, { denials: 4, isOverdue: false }],
  ['a clip that is late', { status: 'success', resultUrls: [''] }, { denials: 0, isOverdue: true }],
])('%s ends no order', (_name, look, facts) => {
  expect(findFailure(look, facts)).toBeUndefined()
})

test('a task that failed ends its order, and its charge is reversed as the service does', () => {
  const look: TaskLook = { status: 'fail', code: 501, message: '' }

  const failure = findFailure(look, { denials: 0, isOverdue: false })

  expect(failure).toMatchObject({ code: 501, money: 'reversal' })
})

test.each<[string, TaskLook, { denials: number; isOverdue: boolean }, number]>([
  ['a task that was denied five times', { status: 'denied' }, { denials: 5, isOverdue: false }, -3],
  ['a task that did not end in time', GENERATING, { denials: 0, isOverdue: true }, -2],
])(
  '%s ends its order, and its charge, which the service keeps, is written off',
  (_name, look, facts, code) => {
    expect(findFailure(look, facts)).toMatchObject({ code, money: 'write_off' })
  },
)

const POLLED: PolledOrder = {
  id: '7',
  taskId: 70,
  dueAt: '',
  failedVisits: 0,
  isTakenOver: false,
  statusInMs: null,
  madeForMs: 0,
  expectsCallback: false,
  calledBack: null,
}
const ORDER = { id: 7n, taskId: 70 }

function openPoller(
  task: (taskId: number, options: { signal: AbortSignal }) => Promise<unknown> = async () =>
    GENERATING,
) {
  const clock = createManualClock()
  const stopping = new AbortController()
  const store = {
    read: vi.fn(async () => ORDER),
    setReady: vi.fn(async () => ORDER),
    fail: vi.fn(async () => ORDER),
  }
  const service = { task: vi.fn(task) }
  const status = { refresh: vi.fn(async () => {}), hasRoom: vi.fn(() => true) }
  const { poll, visit } = createOrderPoller({
    store: store as never,
    service: service as never,
    status,
    pace: createPollPace({ pollMs: 3_000, clock }),
    deadline: { isOver: (ageMs) => ageMs > 3600_000 },
    pollMs: 3_000,
    clock,
    signal: stopping.signal,
    log: pino({ level: 'silent' }),
  })
  return { poll, visit, store, service, status, clock, stopping }
}

test('a poll that hangs is given up after ten seconds and ends nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { poll, store } = openPoller(
      (_taskId, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    )
    const polling = poll(POLLED)

    await vi.advanceTimersByTimeAsync(10_000)

    expect(await polling).toMatchObject({ dueInMs: 3_000, failedVisits: 0 })
    expect(store.fail).not.toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})

test('a visit polls every three seconds for half a minute, and then gives its order back', async () => {
  const { visit, service, clock } = openPoller()
  const visiting = visit(POLLED)

  await clock.run(60_000)

  expect(service.task).toHaveBeenCalledTimes(10)
  expect(await visiting).toEqual({ dueInMs: 3_000, failedVisits: 0 })
})

test('a timer that goes off a millisecond early does not make the poll early', async () => {
  const { visit, service, clock } = openPoller()
  const sleep = clock.sleep.bind(clock)
  vi.spyOn(clock, 'sleep').mockImplementation((ms, signal) => sleep(ms - 1, signal))
  void visit(POLLED)

  await clock.run(2_999)
  expect(service.task).toHaveBeenCalledTimes(1)
  await clock.run(25)

  expect(service.task).toHaveBeenCalledTimes(2)
})

test('a visit that the stop of its process ends gives its order back, due at its next poll', async () => {
  const { visit, service, clock, stopping } = openPoller()
  const visiting = visit(POLLED)
  await clock.untilAsleep()
  clock.advance(1_000)

  stopping.abort(new Error('The process stops'))

  expect(await visiting).toEqual({ dueInMs: 2_000, failedVisits: 0 })
  expect(service.task).toHaveBeenCalledOnce()
})

test('a process that takes an order over polls it after three seconds, not at once', async () => {
  const { visit, service } = openPoller()

  expect(await visit({ ...POLLED, isTakenOver: true })).toEqual({ dueInMs: 3_000, failedVisits: 0 })
  expect(service.task).not.toHaveBeenCalled()
})

test('no more than 200 tasks are polled at once, the others in turn', async () => {
  const polls: PromiseWithResolvers<TaskLook>[] = []
  const { visit } = openPoller(() => {
    const poll = Promise.withResolvers<TaskLook>()
    polls.push(poll)
    return poll.promise
  })
  const visits = Array.from({ length: 201 }, (_, id) =>
    visit({ ...POLLED, id: `${id}`, expectsCallback: true }),
  )
  await expect.poll(() => polls.length).toBeGreaterThanOrEqual(200)
  const before = polls.length

  polls[0]?.resolve(GENERATING)
  await expect.poll(() => polls.length).toBe(201)
  for (const poll of polls) poll.resolve(GENERATING)

  expect(before).toBe(200)
  await Promise.all(visits)
})

test('denials are counted on the row, over all processes; only an answer begins again', async () => {
  const denied = async () => {
    throw new ServiceError('task_not_found', 'no such task', { status: 404 })
  }
  const away = async () => {
    throw new Error('no answer')
  }

  const counts = [
    await openPoller(denied).poll({ ...POLLED, failedVisits: 2 }),
    await openPoller(away).poll({ ...POLLED, failedVisits: 2 }),
    await openPoller().poll({ ...POLLED, failedVisits: 2 }),
  ].map(({ failedVisits, mayBeHeld }) => [failedVisits, mayBeHeld])
  const last = openPoller(denied)
  await last.poll({ ...POLLED, failedVisits: 4 })

  expect(counts).toEqual([
    [3, false],
    [2, true],
    [0, false],
  ])
  expect(last.store.fail).toHaveBeenCalledWith(ORDER, expect.objectContaining({ code: -3 }))
})

test.each([
  ['the database is away', new Error('Connection terminated')],
  ['another process has the order', new LeaseLostError(1)],
])('a clip that cannot be stored since %s is asked for again, not at once', async (_why, error) => {
  const { poll, store } = openPoller(async () => ({ status: 'success', resultUrls: ['u'] }))
  store.setReady.mockRejectedValueOnce(error)

  expect(await poll(POLLED)).toEqual({ dueInMs: 3_000, failedVisits: 0, mayBeHeld: false })
  expect(await poll(POLLED)).toEqual({ dueInMs: 0, failedVisits: 0, mayBeHeld: false })

  expect(store.setReady).toHaveBeenLastCalledWith(ORDER, ['u'])
})

test('a task whose end is reported by callback is polled every half a minute', async () => {
  const { poll, service } = openPoller()

  expect(await poll({ ...POLLED, expectsCallback: true })).toMatchObject({ dueInMs: 30_000 })

  expect(service.task).toHaveBeenCalledTimes(1)
})

test.each([
  ['success', { result_urls: ['https://a.example.org/1.png'], error: null, code: 200 }],
  ['fail', { result_urls: null, error: 'No.', code: 501 }],
])(
  'what a callback reported, %s, is believed without a poll, also by a process that takes over',
  async (status, result) => {
    const { poll, service, store } = openPoller()
    const calledBack = { task_id: 70, status, ...result }

    const due = await poll({ ...POLLED, expectsCallback: true, isTakenOver: true, calledBack })

    expect(due).toEqual({ dueInMs: 0, failedVisits: 0, mayBeHeld: false })
    expect(service.task).not.toHaveBeenCalled()
    if (status === 'success') expect(store.setReady).toHaveBeenCalledWith(ORDER, result.result_urls)
    else expect(store.fail).toHaveBeenCalledWith(ORDER, expect.objectContaining({ code: 501 }))
  },
)

test('what a callback reported of another task is not believed', async () => {
  const { poll, service, store } = openPoller()
  const calledBack = { task_id: 71, status: 'success', result_urls: ['https://a.example.org/'] }

  await poll({ ...POLLED, expectsCallback: true, calledBack })

  expect(service.task).toHaveBeenCalledWith(70, expect.anything())
  expect(store.setReady).not.toHaveBeenCalled()
})
