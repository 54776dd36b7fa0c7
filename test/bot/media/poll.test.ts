import { expect, onTestFinished, test, vi } from 'vitest'
import type { OrdersApp } from '../../../src/bot/media/orders-app.ts'
import { endOf, type PolledTask, Polls, pollDelayMs } from '../../../src/bot/media/poll.ts'
import { ServiceError } from '../../../src/contract/client/service-error.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { createOrdersApp } from './orders-app.ts'

const GENERATING = { status: 'generating' } as const
const NOW = { denials: 0, isOverdue: false }

test.each([
  ['a task that is being made', GENERATING, NOW],
  ['a poll without an answer', { status: 'unknown' } as const, NOW],
  ['a task that was denied four times', { status: 'denied' } as const, { ...NOW, denials: 4 }],
])('%s ends no order', (_name, look, facts) => {
  expect(endOf(look, facts)).toBeUndefined()
})

test('a late task that has its results is delivered', () => {
  const look = { status: 'success', resultUrls: ['u'] } as const

  expect(endOf({ ...look, resultUrls: ['u'] }, { ...NOW, isOverdue: true })).toEqual({
    resultUrls: ['u'],
  })
})

test.each([
  ['a task that failed', { status: 'fail', code: 501, message: '' } as const, NOW, 501, 'reversal'],
  ['a task that is denied', { status: 'denied' } as const, { ...NOW, denials: 5 }, -3, 'write_off'],
  ['a late task', GENERATING, { ...NOW, isOverdue: true }, -2, 'write_off'],
])('%s ends its order and takes its charge back', (_name, look, facts, code, money) => {
  expect(endOf(look, facts)).toMatchObject({ failure: { code, money } })
})

test.each([
  [0, 3_000],
  [599_999, 3_000],
  [600_000, 10_000],
  [86_400_000, 10_000],
])('a task of %d ms is polled every %d ms', (ageMs, delayMs) => {
  expect(pollDelayMs(ageMs)).toBe(delayMs)
})

type Answer = (taskId: number, options: { signal: AbortSignal }) => Promise<unknown>

function openPolls(answer: Answer = async () => GENERATING) {
  const clock = createManualClock()
  const polled: [taskId: number, at: number][] = []
  const app = createOrdersApp({} as never, {
    clock,
    rules: { read: async () => ({ parallelMax: 3, deadlineMs: 3600_000 }) },
    service: {
      task: (taskId: number, options: { signal: AbortSignal }) => {
        polled.push([taskId, Math.round(clock.now())])
        return answer(taskId, options)
      },
    } as OrdersApp['service'],
  })
  const timings = { ...app.timings, pollMs: 3_000 }
  const polls = new Polls({ ...app, timings })
  onTestFinished(() => polls.stop())
  return { polls, polled, clock, begin }

  function begin(...ids: number[]): PolledTask[] {
    return ids.map((taskId) => {
      const task = polls.begin({ taskId, expectsCallback: false, madeForMs: 0 })
      void polls.untilEnd(task)
      return task
    })
  }
}

test('a task is polled every three seconds, first three seconds after it was taken over', async () => {
  const { begin, polled, clock } = openPolls()
  begin(7)

  await clock.run(12_200)

  const gaps = polled.map(([, at], index) => at - (polled[index - 1]?.[1] ?? 0))
  expect(gaps).toHaveLength(4)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3_000)
  expect(Math.max(...gaps)).toBeLessThan(3_100)
})

test('a task whose end is reported by callback is polled every half a minute', async () => {
  const { polls, polled, clock } = openPolls()
  const task = polls.begin({ taskId: 7, expectsCallback: true, madeForMs: 0 })
  void polls.untilEnd(task)

  await clock.run(61_000)

  expect(polled).toHaveLength(2)
})

test('a wait ends with the task, and when it is woken; the pace goes on', async () => {
  const answers = [GENERATING, { status: 'success', resultUrls: ['u'] }]
  const { polls, polled, clock } = openPolls(async () => answers.shift())
  const task = polls.begin({ taskId: 7, expectsCallback: false, madeForMs: 0 })
  const first = polls.untilEnd(task)
  await clock.run(1_100)
  polls.wake(task)
  expect(await first).toBeUndefined()

  const second = polls.untilEnd(task)
  await clock.run(7_000)

  expect(await second).toEqual({ resultUrls: ['u'] })
  expect(polled).toHaveLength(2)
})

test('no more than 200 tasks are polled at once, the others in turn', async () => {
  const answers: PromiseWithResolvers<unknown>[] = []
  const { begin, clock } = openPolls(() => {
    const answer = Promise.withResolvers<unknown>()
    answers.push(answer)
    return answer.promise
  })
  begin(...Array.from({ length: 201 }, (_, id) => id))
  await clock.run(3_100)
  expect(answers).toHaveLength(200)

  answers[0]?.resolve(GENERATING)
  await clock.run(100)
  expect(answers).toHaveLength(201)

  for (const answer of answers) answer.resolve(GENERATING)
})

test('after a 429 the account makes one poll in 3.3 s, and recovers after a minute', async () => {
  let isRefused = true
  const { begin, polled, clock } = openPolls(async () => {
    if (!isRefused) return GENERATING
    isRefused = false
    throw new ServiceError('rate_limited', 'too many', { status: 429, retryAfterMs: 5_000 })
  })
  begin(1, 2, 3)
  await clock.run(3_050)
  polled.length = 0

  await clock.run(59_000)
  const slow = polled.map(([, at], index) => at - (polled[index - 1]?.[1] ?? 0)).slice(1)
  expect(Math.min(...slow)).toBeGreaterThanOrEqual(3_300)
  polled.length = 0
  await clock.run(31_000)

  expect(polled.length).toBeGreaterThan(25)
})

test('only an answer about the task begins the count of denials again', async () => {
  const denied = new ServiceError('task_not_found', 'no such task', { status: 404 })
  const outcomes: unknown[] = [denied, denied, GENERATING, denied, new Error('no answer')]
  const { begin, clock } = openPolls(async () => {
    const outcome = outcomes.shift()
    if (outcome instanceof Error) throw outcome
    return outcome ?? GENERATING
  })
  const [task] = begin(7)
  const counts: (number | undefined)[] = []

  for (let round = 0; round < 5; round += 1) {
    await clock.run(3_050)
    counts.push(task?.denials)
  }

  expect(counts).toEqual([1, 2, 0, 1, 1])
})

test('a poll that hangs is given up after ten seconds and ends nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { begin, clock } = openPolls(
    (_taskId, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  )
  const [task] = begin(7)
  await clock.run(3_050)
  expect(task?.nextAt).toBe(Number.POSITIVE_INFINITY)

  await vi.advanceTimersByTimeAsync(10_000)

  expect(task?.nextAt).toBeLessThan(Number.POSITIVE_INFINITY)
  expect(task?.end).toBeUndefined()
})
