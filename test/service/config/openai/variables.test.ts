import { expect, test } from 'vitest'
import {
  isLocal,
  parseBaseUrl,
  parseModels,
  parsePrices,
  parseUsdRate,
} from '../../../../src/service/config/openai/variables.ts'

test.each([
  ['https://openrouter.ai/api/v1', 'https://openrouter.ai/api/v1'],
  ['https://openrouter.ai/api/v1///', 'https://openrouter.ai/api/v1'],
  ['https://api.deepseek.com', 'https://api.deepseek.com'],
  ['http://localhost:11434/', 'http://localhost:11434'],
  ['https://api.openai.com/v1/chat/completions', 'https://api.openai.com/v1'],
])('parseBaseUrl() reads %s', (text, baseUrl) => {
  expect(parseBaseUrl(text)).toBe(baseUrl)
})

test.each([
  'openrouter.ai/api/v1',
  'ftp://openrouter.ai',
  'https://user:password@openrouter.ai/api/v1',
  'https://example.openai.azure.com/openai?api-version=1',
  '',
])('parseBaseUrl() refuses %j', (text) => {
  expect(parseBaseUrl(text)).toBeUndefined()
})

test('parseModels() keeps the order, and takes no id twice', () => {
  expect(parseModels(' b , a:free')).toEqual(['b', 'a:free'])
  for (const text of ['a,,b', 'a,a', 'a b', ',']) expect(parseModels(text)).toBeUndefined()
})

test('parsePrices() reads dollars in and out, and free', () => {
  expect(parsePrices('a/b:c=0.25/2, d=e=free')).toEqual(
    new Map([
      ['a/b:c', { promptMicroUsdPer1m: 250_000n, completionMicroUsdPer1m: 2_000_000n }],
      ['d=e', { promptMicroUsdPer1m: 0n, completionMicroUsdPer1m: 0n }],
    ]),
  )
})

test.each([
  'a',
  'a=',
  'a=1',
  'a=1/2/3',
  'a=-1/2',
  'a=1e-7/2',
  'a=0.25/',
  'a=1/2,a=1/2',
  '=1/2',
  '',
])('parsePrices() refuses %j', (text) => {
  expect(parsePrices(text)).toBeUndefined()
})

test('parseUsdRate() wants more than nothing', () => {
  expect(parseUsdRate('95.5')).toEqual({ microRub: 95_500_000n, from: 'USD_RUB' })
  for (const text of ['0', '0.0', '-1', '8e1', 'x']) expect(parseUsdRate(text)).toBeUndefined()
})

test.each([
  ['http://localhost:11434/v1', true],
  ['http://127.0.0.1:8000/v1', true],
  ['http://192.168.1.5:1234/v1', true],
  ['http://[::1]:8080', true],
  ['http://ollama:11434', true],
  ['http://gpu.lan/v1', true],
  ['https://api.openai.com/v1', false],
  // A port that callbacks may not have makes a public host no local one.
  ['http://8.8.8.8:9200/v1', false],
])('isLocal() judges %s by its host', (baseUrl, expected) => {
  expect(isLocal(baseUrl)).toBe(expected)
})
