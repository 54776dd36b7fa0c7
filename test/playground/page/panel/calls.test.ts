import { expect, test } from 'vitest'
import { createBoundedList } from '../../../../src/playground/page/panel/bounded-list.ts'
import { filterCalls } from '../../../../src/playground/page/panel/calls/call-filter.ts'
import { createCallRates } from '../../../../src/playground/page/panel/rates.ts'
import type { WireCall } from '../../../../src/playground/web/api.ts'

function call(seq: number, change: Partial<WireCall> = {}): WireCall {
  const asked = { seq, at: 1_000_000, method: 'sendMessage', chat_id: 1, params: {}, files: [] }
  return { ...asked, status: 200, duration_ms: 3, held_ms: 0, ...change }
}

/** A list that draws when the test says so. */
function listOf(itemsMax: number) {
  const frames: (() => void)[] = []
  const list = createBoundedList<WireCall>(itemsMax, (show) => frames.push(show))
  return { list, frames, draw: () => frames.splice(0).forEach((show) => void show()) }
}

test('A flood is drawn once a frame and keeps the newest', () => {
  const { list, frames, draw } = listOf(1_000)

  for (let seq = 1; seq <= 30_000; seq += 100) {
    list.take(Array.from({ length: 100 }, (_, index) => call(seq + index)))
  }

  expect(frames).toHaveLength(1)
  draw()
  expect(list.items.value).toHaveLength(1_000)
  expect(list.items.value.at(-1)?.seq).toBe(30_000)
})

test('A call that ends replaces itself in the list', () => {
  const { list, draw } = listOf(10)
  list.take([call(1, { status: null }), call(2)])

  list.take([call(1, { status: 429 })])
  draw()

  expect(list.items.value.map(({ seq, status }) => [seq, status])).toEqual([
    [1, 429],
    [2, 200],
  ])
})

test('What was cleared does not come back with the whole list, and comes back with a new server', () => {
  const { list, draw } = listOf(10)
  list.take([call(1), call(2)])

  list.clear()
  list.take([call(1), call(2), call(3)])
  draw()
  expect(list.items.value.map(({ seq }) => seq)).toEqual([3])

  list.reset()
  list.take([call(1)])
  draw()
  expect(list.items.value.map(({ seq }) => seq)).toEqual([1])
})

test('A call counts in the second in which it began, and once, whenever it ends', () => {
  const rates = createCallRates()

  rates.take([call(1, { status: null }), call(2, { at: 1_001_500 })])
  rates.take([call(1, { status: 429, held_ms: 700 })])
  rates.take([call(1, { status: 429, held_ms: 700 }), call(2, { at: 1_001_500 })])

  expect(rates.totals()).toEqual({ calls: 2, limited: 1, failed: 0, heldMs: 700 })
  expect(rates.at(1_001_900).slice(-2)).toEqual([
    { second: 1_000, calls: 1, limited: 1, failed: 0 },
    { second: 1_001, calls: 1, limited: 0, failed: 0 },
  ])
})

test('The filter finds a part of a method and problems, and hides polls that went well', () => {
  const calls = [
    call(1, { method: 'getUpdates' }),
    call(2, { method: 'getUpdates', status: 409 }),
    call(3, { method: 'editMessageText' }),
    call(4, { status: 0 }),
  ]
  const find = (change: Partial<Parameters<typeof filterCalls>[1]>) =>
    filterCalls(calls, { method: '', onlyProblems: false, hidesPolls: false, ...change }).map(
      ({ seq }) => seq,
    )

  expect(find({})).toEqual([1, 2, 3, 4])
  expect(find({ hidesPolls: true })).toEqual([2, 3, 4])
  expect(find({ method: 'EDIT' })).toEqual([3])
  expect(find({ onlyProblems: true })).toEqual([2, 4])
  expect(find({ method: 'getup', hidesPolls: true })).toEqual([1, 2])
})
