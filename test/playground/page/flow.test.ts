import { expect, test } from 'vitest'
import {
  costOf,
  formatRoubles,
  groupFlow,
  heldIn,
  parseRoubles,
} from '../../../src/playground/page/flow.ts'
import type { WireFlow } from '../../../src/playground/web/api.ts'

let lastSeq = 0

function step(kind: WireFlow['kind'], reference: string, amount_rub?: string): WireFlow {
  lastSeq += 1
  const wire = { seq: lastSeq, at: lastSeq, kind, reference, account: '1', text: 'alpha' }
  return { ...wire, ...(amount_rub !== undefined && { amount_rub }) }
}

test('groupFlow() groups the hold and the settlement of a request, which costs what was settled', () => {
  const groups = groupFlow([
    step('hold', 'req_1', '2.46045'),
    step('hold', 'req_2', '1'),
    step('settle', 'req_1', '0.07965'),
  ])

  expect(groups.map(({ key, movements }) => [key, movements.map(({ kind }) => kind)])).toEqual([
    ['req_2', ['hold']],
    ['req_1', ['hold', 'settle']],
  ])
  expect(costOf(groups)).toBe(79_650n)
  expect(heldIn(groups)).toBe(1_000_000n)
})

test('Sums are exact to the millionth and read as in either language', () => {
  expect(parseRoubles('-0.000001')).toBe(-1n)
  expect(formatRoubles(parseRoubles('1234.5'), 'en')).toBe('₽1,234.50')
  expect(formatRoubles(79_650n, 'ru')).toBe('0,07965\u00a0₽')
})
