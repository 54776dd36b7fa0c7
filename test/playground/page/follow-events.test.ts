import { beforeEach, expect, test, vi } from 'vitest'
import { type EventStream, followEvents } from '../../../src/playground/page/state/follow-events.ts'

const WAITS = { firstWaitMs: 100, longestWaitMs: 250 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  return () => vi.useRealTimers()
})

/** Opens streams that bring these texts and end; the one after the last brings nothing and stays open. */
function open(...texts: string[]) {
  const openedAt: number[] = []
  const opening = async (signal: AbortSignal) => {
    openedAt.push(Date.now())
    const text = texts.shift()
    if (text === 'refused') throw new Error('Refused')
    if (text !== undefined) return new Response(text)
    return new Response(
      new ReadableStream({
        start: (controller) =>
          signal.addEventListener('abort', () => controller.error(signal.reason)),
      }),
    )
  }
  return { opening, openedAt }
}

function follow(stream: Pick<EventStream, 'open'> & Partial<EventStream>) {
  const events: string[] = []
  const leaving = new AbortController()
  const onBreak = vi.fn()
  const followed = followEvents(
    {
      ...WAITS,
      onBreak,
      onEvent: (name, data) => {
        events.push(`${name}: ${data}`)
        return name === 'end'
      },
      ...stream,
    },
    leaving.signal,
  )
  return { events, leaving, onBreak, followed }
}

test('a stream that breaks is opened again, the later the more often it broke in a row', async () => {
  const { opening, openedAt } = open('refused', 'refused', 'refused', 'event: a\ndata: 1\n\n')
  const beganAt = Date.now()

  const { events, onBreak, leaving, followed } = follow({ open: opening })
  await vi.advanceTimersByTimeAsync(700)

  expect(openedAt.map((at) => at - beganAt)).toEqual([0, 100, 300, 550, 650])
  expect(events).toEqual(['a: 1'])
  expect(onBreak).toHaveBeenCalledTimes(4)
  leaving.abort()
  await followed
})

test('a stream that is silent for too long is opened again; without a bound it is not', async () => {
  const watched = open()
  const unwatched = open()

  const reads = [
    follow({ open: watched.opening, silenceMs: 1000 }),
    follow({ open: unwatched.opening }),
  ]
  await vi.advanceTimersByTimeAsync(1100)

  expect(watched.openedAt).toHaveLength(2)
  expect(unwatched.openedAt).toHaveLength(1)
  for (const { leaving } of reads) leaving.abort()
  await Promise.all(reads.map(({ followed }) => followed))
})

test('an event that ends the reading is the last, and what is read no more is no break', async () => {
  const { opening, openedAt } = open('event: end\ndata: 1\n\nevent: a\ndata: 2\n\n')

  const { events, onBreak, followed } = follow({ open: opening })
  await followed
  await vi.advanceTimersByTimeAsync(1000)

  expect(openedAt).toHaveLength(1)
  expect(events).toEqual(['end: 1'])
  expect(onBreak).not.toHaveBeenCalled()
})
