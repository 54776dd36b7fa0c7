import { expect, test } from 'vitest'
import { toTrouble } from '../../../../src/service/config/openai/read-offer.ts'

const ASKED = { baseUrl: 'https://api.groq.com/openai/v1', apiKey: 'gsk_x' }

test.each([
  [
    { problem: 'unauthorized', status: 401, said: 'Invalid API Key' },
    'OPENAI_API_KEY: api.groq.com refuses this key: set one that Groq has given you (401 Invalid API Key)',
  ],
  [
    { problem: 'unauthorized', status: 402, said: '402: Insufficient credits' },
    'OPENAI_API_KEY: api.groq.com has no money left for this key: top it up there (402: Insufficient credits)',
  ],
  [
    { problem: 'unauthorized', status: 403 },
    'OPENAI_API_KEY: api.groq.com gives this key no right to its models: change that there (403)',
  ],
  [
    { problem: 'unreachable', said: 'connect ECONNREFUSED' },
    'OPENAI_BASE_URL: nobody answers at https://api.groq.com/openai/v1; is the address right, and does the upstream run? (connect ECONNREFUSED)',
  ],
] as const)('an upstream without a list (%j) is one sentence with what to do', (list, sentence) => {
  expect(toTrouble({ ok: false, ...list }, ASKED).sentence).toBe(sentence)
})

test('an upstream that wants a key says so where there is none', () => {
  const list = { ok: false, problem: 'unauthorized', status: 401 } as const

  expect(toTrouble(list, { ...ASKED, apiKey: undefined }).sentence).toBe(
    'OPENAI_API_KEY: api.groq.com wants a key: set it (401)',
  )
})
