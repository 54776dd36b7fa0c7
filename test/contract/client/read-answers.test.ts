import { expect, test } from 'vitest'
import {
  readBalance,
  readCallback,
  readCallbackSecret,
  readModels,
  readPrices,
  readTask,
  readTaskId,
} from '../../../src/contract/client/read-answers.ts'

const ALPHA = {
  id: 'alpha-large',
  contextTokens: 1_000_000,
  promptMicroRubPer1m: 150_000_000n,
  completionMicroRubPer1m: 600_500_000n,
}

const GROUPED = { name: 'alpha-large', context_window: 1_000_000, input: ['text'] }
const LISTED = { id: 'alpha-large', name: 'Alpha Large', context: 1_000_000 }

test.each([
  [
    "the contract's shape",
    (model: object) => ({ models: [model] }),
    {
      id: 'alpha-large',
      context_tokens: 1_000_000,
      prompt_rub_per_1m: 150,
      completion_rub_per_1m: 600.5,
    },
  ],
  [
    'a bare array with decimal strings',
    (model: object) => [model],
    {
      model: 'alpha-large',
      context_length: '1000000',
      input_rub_per_1m: '150',
      output_rub_per_1m: '600.50',
    },
  ],
  [
    'data with grouped prices',
    (model: object) => ({ object: 'list', data: [model] }),
    { ...GROUPED, pricing: { prompt: '150.0', completion: 600.5 } },
  ],
  [
    'a list two levels down',
    (model: object) => ({ data: { models: [model] } }),
    { ...LISTED, price_input: 150, price_output: 600.5 },
  ],
])('readModels() reads %s', (_name, wrap, model) => {
  expect(readModels(wrap(model))).toEqual([ALPHA])
})

test('readModels() leaves out what it cannot read and keeps the model', () => {
  const json = [
    'beta-small',
    { id: 'gamma', context_tokens: -1, prompt_rub_per_1m: 'ask us', completion_rub_per_1m: -5 },
    { title: 'nameless' },
    null,
  ]

  expect(readModels(json)).toEqual([{ id: 'beta-small' }, { id: 'gamma' }])
})

test('readModels() understands an empty list and no list without a model in it', () => {
  expect(readModels({ models: [] })).toEqual([])
  expect(readModels({ models: [{ title: 'nameless' }] })).toBeUndefined()
  expect(readModels({ error: 'no' })).toBeUndefined()
  expect(readModels(undefined)).toBeUndefined()
})

test('readPrices() reads prices by label, exactly', () => {
  const json = { prices_rub: { 'vidgen-720p-5s': 40, imagegen: '0.1', soundgen: 0 } }

  expect(readPrices(json)).toEqual(
    new Map([
      ['vidgen-720p-5s', 40_000_000n],
      ['imagegen', 100_000n],
      ['soundgen', 0n],
    ]),
  )
})

test.each([{ prices_rub: { imagegen: 5, soundgen: 'ask us' } }, { imagegen: 5 }, [], undefined])(
  'readPrices() reads nothing from %j',
  (json) => {
    expect(readPrices(json)).toBeUndefined()
  },
)

test.each([
  [{ balance_rub: 12.34 }, 12_340_000n],
  [{ balance: '12.34' }, 12_340_000n],
  [{ data: { balance: 12.34 } }, 12_340_000n],
  [{ balance: { rub: 12.34, currency: 'RUB' } }, 12_340_000n],
  [12.34, 12_340_000n],
  [{ balance_rub: '0.12345678' }, 123_457n],
  [{ balance_rub: -3 }, -3_000_000n],
  [{ balance_rub: 'plenty' }, undefined],
  [{}, undefined],
])('readBalance() reads %j', (json, expected) => {
  expect(readBalance(json)).toBe(expected)
})

test.each([
  [{ status: 'waiting', result_urls: null, error: null }, { status: 'waiting' }],
  [{ status: 'generating', progress: 5 }, { status: 'generating' }],
  [
    { status: 'success', result_urls: ['http://a/1', 'http://a/2'], error: null },
    { status: 'success', resultUrls: ['http://a/1', 'http://a/2'] },
  ],
  [
    { status: 'fail', result_urls: null, error: { code: 451, message: 'refused' } },
    { status: 'fail', code: 451, message: 'refused' },
  ],
  [
    { status: 'fail', error: 'refused' },
    { status: 'fail', code: 0, message: 'refused' },
  ],
  [
    { status: 'fail', error: null },
    { status: 'fail', code: 0, message: '' },
  ],
  [{ status: 'success', result_urls: null }, undefined],
  [{ status: 'paused' }, undefined],
  [{}, undefined],
])('readTask() reads %j', (json, expected) => {
  expect(readTask(json)).toEqual(expected)
})

test('readTaskId() reads a whole number only', () => {
  expect(readTaskId({ task_id: 7 })).toBe(7)
  expect(readTaskId({ task_id: 7.5 })).toBeUndefined()
  expect(readTaskId({ task_id: null })).toBeUndefined()
  expect(readTaskId([])).toBeUndefined()
})

test.each([
  ["the contract's shape", { secret: 'abc' }],
  ['a wrapped one', { data: { callback_secret: 'abc' } }],
  ['a bare text', 'abc'],
])('readCallbackSecret() reads %s', (_, json) => {
  expect(readCallbackSecret(json)).toBe('abc')
})

test('readCallback() reads how a task ended, its error being a text', () => {
  const urls = ['https://files.example.org/1.png']
  const succeeded = { task_id: 7, status: 'success', code: 200, result_urls: urls, error: null }
  const failed = { task_id: 7, status: 'fail', code: 501, result_urls: null, error: 'No.' }

  expect([readCallback(succeeded), readCallback(failed)]).toEqual([
    { taskId: 7, state: { status: 'success', resultUrls: urls } },
    { taskId: 7, state: { status: 'fail', code: 501, message: 'No.' } },
  ])
})

test.each([
  ['a task that goes on', { task_id: 7, status: 'generating' }],
  ['no task', { status: 'fail', code: 501, error: 'No.' }],
  ['a success without links', { task_id: 7, status: 'success', result_urls: null }],
])('readCallback() does not understand %s', (_, json) => {
  expect(readCallback(json)).toBeUndefined()
})
