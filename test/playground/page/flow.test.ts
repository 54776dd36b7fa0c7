import { expect, test } from 'vitest'
import {
  costOf,
  formatRoubles,
  groupFlow,
  heldIn,
  parseRoubles,
  takeSteps,
} from '../../../src/playground/page/flow.ts'
import type { WireFlow } from '../../../src/playground/web/api.ts'

let lastSeq = 0

function step(kind: WireFlow['kind'], reference: string, amount_rub?: string): WireFlow {
  lastSeq += 1
  const text = kind === 'request' ? 'POST /chats/completions' : 'alpha'
  const wire = { seq: lastSeq, at: lastSeq, kind, reference, account: '1', text }
  return { ...wire, ...(amount_rub !== undefined && { amount_rub }) }
}

test('groupFlow() groups the hold and the settlement of a request, which costs what was settled', () => {
  const groups = groupFlow([
    step('request', 'req_1'),
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

test('takeSteps() replaces changed steps and drops cleared ones and those beyond the last thousand', () => {
  const request = step('request', 'req_1')
  const [hold, settle] = [step('hold', 'req_1', '2'), step('settle', 'req_1', '1')]

  const steps = takeSteps([request, hold], [{ ...hold, amount_rub: '3' }, settle], request.seq)
  const many = Array.from({ length: 1_500 }, () => step('hold', 'req_2', '1'))

  expect(steps.map(({ amount_rub }) => amount_rub)).toEqual(['3', '1'])
  expect(takeSteps(steps, many)).toEqual(many.slice(-1_000))
})
