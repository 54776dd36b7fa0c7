import { expect, test } from 'vitest'
import {
  toOpenAiOptions,
  toOpenAiSpeechOptions,
  toRelayOptions,
  toRunwayOptions,
} from '../../../src/service/config/provider-options.ts'

const KEYS = new Map([['KEY', 'secret']])
const OPENAI = { base_url: 'http://127.0.0.1:9000/v1', model: 'upstream' }

test('toRelayOptions() takes the key that the config names', () => {
  const options = toRelayOptions({ base_url: 'http://a/api/v1', api_key_env: 'KEY' }, KEYS)

  expect(options).toEqual({ baseUrl: 'http://a/api/v1', apiKey: 'secret' })
})

test('toRunwayOptions() means Runway’s own address where none is named', () => {
  const config = { api_key_env: 'KEY', model: 'gen4.5' }

  expect(toRunwayOptions(config, KEYS)).toEqual({
    baseUrl: 'https://api.dev.runwayml.com',
    apiKey: 'secret',
    model: 'gen4.5',
  })
  expect(toRunwayOptions({ ...config, base_url: 'http://a' }, KEYS).baseUrl).toBe('http://a')
})

test('toOpenAiOptions() has a key only where the config names one', () => {
  const options = { baseUrl: OPENAI.base_url, model: 'upstream' }

  expect(toOpenAiOptions(OPENAI, KEYS)).toEqual(options)
  expect(toOpenAiOptions({ ...OPENAI, api_key_env: 'KEY' }, KEYS)).toEqual({
    ...options,
    apiKey: 'secret',
  })
})

test('toOpenAiSpeechOptions() has a voice where the config names none', () => {
  const options = { baseUrl: OPENAI.base_url, model: 'upstream' }

  expect(toOpenAiSpeechOptions(OPENAI, KEYS)).toEqual({ ...options, voice: 'alloy' })
  expect(toOpenAiSpeechOptions({ ...OPENAI, voice: 'nova' }, KEYS).voice).toBe('nova')
})
