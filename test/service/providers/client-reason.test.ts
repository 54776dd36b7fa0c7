import { expect, test } from 'vitest'
import { explainToClient } from '../../../src/service/providers/client-reason.ts'
import { ProviderError } from '../../../src/service/providers/provider.ts'

const NAMES = { host: 'api.upstream.example:8443', model: 'vendor/m-1.5', offeredAs: 'alpha' }

function read(explanation: string | undefined, names = NAMES): string {
  const failure = { kind: 'refused', status: 400, explanation } as const
  const refused = new ProviderError('rejected', 'The model refused the request.', { failure })
  return (explainToClient(refused, names) as ProviderError).message
}

// Promise: An upstream blames the request on the client
test.each([
  [
    "invalid_value: Invalid 'temperature': 3 is above the maximum of 2.",
    "invalid_value: Invalid 'temperature': 3 is above the maximum of 2.",
  ],
  ['400: Provider returned error', 'Provider returned error'],
  ['body.messages.0.content: too short', 'body.messages.0.content: too short'],
  ['vendor/m-1.5 has no tools, vendor/m-1.5b has', 'alpha has no tools, vendor/m-1.5b has'],
  ['messages[3].content: at 12:30, 7/8 of it', 'messages[3].content: at 12:30, 7/8 of it'],
])('of %j the client reads %j', (explanation, reason) => {
  expect(read(explanation)).toBe(`The model refused the request: ${reason}`)
})

// Promise: A refusal of an upstream quotes our key or the client's words
test.each([
  ['its URL', 'https://api.upstream.example:8443/v1/chat?key=a', NAMES],
  ['its host', 'api.upstream.example', NAMES],
  ['its host and port', 'api.upstream.example:8443', NAMES],
  ['a neighbour of it', 'docs.upstream.example/errors/7', NAMES],
  ['its host of one name', 'VLLM:8000', { ...NAMES, host: 'vllm:8000' }],
  ['another host', 'worker-3.internal:9000', NAMES],
  ['an address', '10.0.3.7:8000', NAMES],
  ['an address of IPv6', '[fd00:12::7:1]:8000', NAMES],
  ['this machine', 'localhost:11434', NAMES],
  ['a file', '/usr/lib/python3/vllm.py', NAMES],
  ['a mail address', 'sales@upstream.example', NAMES],
  ['an id of our account', 'org-A1b2C3d4', NAMES],
  ['a masked key', 'sk-proj-****9f3c', NAMES],
])('%s is left out of what the client reads', (_what, lead, names) => {
  expect(read(`Refused by ${lead} today`, names)).toBe(
    'The model refused the request: Refused by [hidden] today',
  )
})

test('a reason is cut', () => {
  const [, reason = ''] = read('ы'.repeat(500)).split(': ')

  expect(reason).toBe(`${'ы'.repeat(299)}…`)
})

test.each([[undefined], [''], ['{"what":"of the request"}'], ['["of the request"]']])(
  'where it says %j the client reads that it was refused',
  (explanation) => {
    expect(read(explanation)).toBe('The model refused the request.')
  },
)

test.each(['unavailable', 'broken'] as const)(
  'what an upstream says of a failure that is %s no client reads',
  (code) => {
    const failure = { kind: 'unauthorized', status: 401, explanation: 'No money' } as const
    const error = new ProviderError(code, 'Not now.', { failure })

    expect(explainToClient(error, NAMES)).toBe(error)
  },
)
