import { expect, test } from 'vitest'
import { signCallback } from '../../src/contract/callback-signature.ts'
import { type ReceivedCallback, verifyCallback } from '../service/callback/receiver.ts'

const SECRET = 'a secret of 32 bytes in hex, or so'
const NOW = 1_800_000_000_000
const BODY = Buffer.from('{"task_id":1,"error":"Нельзя. 🪙"}')

function callback(timestampS = NOW / 1000): ReceivedCallback {
  const timestamp = String(timestampS)
  return { headers: signCallback({ secret: SECRET, timestamp, body: BODY }), body: BODY }
}

function withHeaders(headers: Record<string, string | undefined>): ReceivedCallback {
  return { ...callback(), headers: { ...callback().headers, ...headers } }
}

const verify = (received: ReceivedCallback) =>
  verifyCallback(received, { secret: SECRET, now: NOW })

test('signCallback() makes what openssl dgst -sha256 -hmac makes of "<timestamp>.<body>"', () => {
  const headers = signCallback({ secret: 'key', timestamp: '1', body: Buffer.from('{}') })

  expect(headers).toEqual({
    'x-callback-timestamp': '1',
    'x-callback-signature':
      'sha256=1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224',
  })
})

test.each([0, 299, 300])('a receiver takes a callback that is %i s old', (ageS) => {
  expect(verify(callback(NOW / 1000 - ageS))).toBe(200)
})

test.each<[string, ReceivedCallback]>([
  ['301 s old', callback(NOW / 1000 - 301)],
  ['without a timestamp', withHeaders({ 'x-callback-timestamp': undefined })],
  ['with a fraction of a second', withHeaders({ 'x-callback-timestamp': `${NOW / 1000}.5` })],
  ['with a sign', withHeaders({ 'x-callback-timestamp': `+${NOW / 1000}` })],
  ['with words for a timestamp', withHeaders({ 'x-callback-timestamp': 'now' })],
])('a receiver answers 400 to a callback %s', (_name, received) => {
  expect(verify(received)).toBe(400)
})

const SIGNATURE = callback().headers['x-callback-signature'] as string

test.each<[string, ReceivedCallback]>([
  ['with another byte in its body', { ...callback(), body: Buffer.from(`${BODY} `) }],
  ['with its JSON written again', { ...callback(), body: Buffer.from('{"task_id": 1}') }],
  ['with another timestamp', withHeaders({ 'x-callback-timestamp': `${NOW / 1000 + 1}` })],
  ['with zeros before its timestamp', withHeaders({ 'x-callback-timestamp': `0${NOW / 1000}` })],
  ['without a signature', withHeaders({ 'x-callback-signature': undefined })],
  ['with half a signature', withHeaders({ 'x-callback-signature': SIGNATURE.slice(0, 39) })],
  ['without the name of the hash', withHeaders({ 'x-callback-signature': SIGNATURE.slice(7) })],
  ['with another letter', withHeaders({ 'x-callback-signature': SIGNATURE.replace(/.$/, 'x') })],
  [
    'signed with another secret',
    {
      headers: signCallback({ secret: 'x', timestamp: String(NOW / 1000), body: BODY }),
      body: BODY,
    },
  ],
])('a receiver answers 401 to a callback %s', (_name, received) => {
  expect(verify(received)).toBe(401)
})
