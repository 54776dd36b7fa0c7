import { expect, test } from 'vitest'
import {
  EXPLANATION_BYTES_MAX,
  toClientReason,
  toExplanation,
} from '../../../src/service/providers/explanation.ts'

const KEY = 'sk-proj-4f1c/99'
const NOTHING = { secrets: [], texts: [] }

test.each([
  [
    '{"error":{"message":"Slow down.","code":"rate_limit_exceeded"}}',
    'rate_limit_exceeded: Slow down.',
  ],
  [
    '{"error":{"message":"No such model","type":"invalid_request_error","code":null}}',
    'invalid_request_error: No such model',
  ],
  ['{"error":{"code":402,"message":"Insufficient credits"}}', '402: Insufficient credits'],
  ['{"error":"overloaded"}', 'overloaded'],
  ['{"detail":"Insufficient balance."}', 'Insufficient balance.'],
  ['{"message":"no Route matched"}', 'no Route matched'],
  ['{"detail":[{"loc":["body","n"],"msg":"no","input":"hi"},{"msg":"nor"}]}', 'body.n: no; nor'],
  ['{"detail":["no",{"msg":"nor"}]}', 'no; nor'],
  ['{"detail":[{"field":"n"}]}', '{"detail":[{"field":"n"}]}'],
  ['<html>\n<head><title>502 Bad Gateway</title></head>\n</html>', '502 Bad Gateway'],
  ['upstream connect error\r\n\r\nreset', 'upstream connect error reset'],
  ['\u001b[31mred\u001b[0m \u202eback', '[31mred [0m back'],
])('of %j the operator reads %j', (body, explanation) => {
  expect(toExplanation(body, NOTHING)).toBe(explanation)
})

test('a provider that explained nothing has no explanation', () => {
  expect(toExplanation(' \n', NOTHING)).toBeUndefined()
})

test('an explanation has at most 500 characters', () => {
  expect(toExplanation(Buffer.from('ы'.repeat(2000)), NOTHING)).toBe('ы'.repeat(500))
})

test('our keys are left out, also where they come twice or cut', () => {
  const explanation = toExplanation(`{"error":{"message":"key ${KEY} is not ${KEY}"}}`, {
    secrets: ['', KEY],
    texts: [],
  })
  const cut = Buffer.from(`${' '.repeat(EXPLANATION_BYTES_MAX - 20)}Incorrect ${KEY}`)

  expect(explanation).toBe('key [hidden] is not [hidden]')
  expect(toExplanation(cut.subarray(0, EXPLANATION_BYTES_MAX), { secrets: [KEY], texts: [] })).toBe(
    'Incor',
  )
})

test.each([
  ['its slash is written another way', '{"detail":[{"msg":"sk-proj-4f1c\\/99"}]}'],
  ['a letter is written another way', '{"detail":[{"msg":"\\u0073k-proj-4f1c/99"}]}'],
  ['the JSON is cut', '{"detail":[{"msg":"sk-proj-4f1c\\/99"'],
  ['another key begins alike', 'sk-proj-4f1c/99'],
])('a key is left out also where %s', (_, body) => {
  const explanation = toExplanation(body, { secrets: ['sk-proj', KEY], texts: [] })

  expect(explanation).toContain('[hidden]')
  expect(explanation).not.toContain('99')
})

test('the end of a cut text is left out, however many bytes its letters have', () => {
  const text = `${'<b>ы</b>'.repeat(100)} ${KEY}`.slice(0, -2)
  const cut = Buffer.from(text)
  const padded = Buffer.concat([Buffer.from(' '.repeat(EXPLANATION_BYTES_MAX - cut.length)), cut])

  expect(toExplanation(padded, { secrets: [KEY], texts: [] })).not.toContain('sk')
})

test.each([
  ['in whole', 'my secret birthday is the ninth of May', 'my secret birthday is the ninth of May'],
  [
    'in part',
    'Dear model, my secret birthday is the ninth of May, remember',
    'my secret birthday is the ninth of May',
  ],
  ['where it is short', 'kvass7', 'kvass7'],
])('what it quotes of the client %s is left out', (_, text, quoted) => {
  const explanation = toExplanation(`Refused: "${quoted}" is not allowed here`, {
    secrets: [],
    texts: ['x', text],
  })

  expect(explanation).toBe('Refused: "[hidden]" is not allowed here')
})

test('words that the client used too are no quotation', () => {
  const explanation = toExplanation('The maximum context length is 8192', {
    secrets: [],
    texts: ['a', 'What is the maximum context I may have, and the length of it?'],
  })

  expect(explanation).toBe('The maximum context length is 8192')
})

const NAMES = { host: 'api.upstream.example:8443', model: 'vendor/m-1.5', offeredAs: 'alpha' }

function readReason(message: string, names = NAMES): string | undefined {
  const body = Buffer.from(JSON.stringify({ error: { message } }))
  return toClientReason({ status: 400, body }, { secrets: [KEY], texts: [] }, names)
}

test.each([
  ["Invalid 'temperature': 3 is above the maximum of 2."],
  ['body.messages.0.content: too short'],
  ['messages[3].content: at 12:30, 7/8 of it'],
])('the client reads %j as it is', (message) => {
  expect(readReason(message)).toBe(message)
})

test.each([
  ['vendor/m-1.5 has no tools, vendor/m-1.5b has', 'alpha has no tools, vendor/m-1.5b has'],
  ['400: Provider returned error', 'Provider returned error'],
  ['Bad value.\n    at parse (/app/src/parse.js:3:4)\n    at run (/app/run.js:1:2)', 'Bad value.'],
  ['Bad value. Traceback (most recent call last): File "/app/a.py", line 1', 'Bad value.'],
  ['ы'.repeat(500), `${'ы'.repeat(199)}…`],
])('of %j the client reads %j', (message, reason) => {
  expect(readReason(message)).toBe(reason)
})

test.each([
  ['its URL', 'https://api.upstream.example:8443/v1/chat?key=a', NAMES],
  ['its host', 'api.upstream.example', NAMES],
  ['its host and port', 'api.upstream.example:8443', NAMES],
  ['a neighbour of it', 'docs.upstream.example/errors/7', NAMES],
  ['its host of one name', 'VLLM:8000', { ...NAMES, host: 'vllm:8000' }],
  ['another host', 'worker-3.internal', NAMES],
  ['another host and port', 'worker-3.pool:9000', NAMES],
  ['an address', '10.0.3.7:8000', NAMES],
  ['an address of IPv6', '[fd00:12::7:1]:8000', NAMES],
  ['this machine', 'localhost:11434', NAMES],
  ['a file', '/usr/lib/python3/vllm.py', NAMES],
  ['a file without its root', 'vllm/entrypoints/serving.py:42', NAMES],
  ['a file of Windows', 'C:\\app\\server.js', NAMES],
  ['a mail address', 'sales@upstream.example', NAMES],
  ['an id of our account', 'org-A1b2C3d4', NAMES],
  ['a masked key', 'sk-proj-****9f3c', NAMES],
  ['our key', KEY, NAMES],
])('%s is left out of what the client reads', (_what, lead, names) => {
  expect(readReason(`Refused by ${lead} today`, names)).toBe('Refused by [hidden] today')
})

test.each([
  [400, 'Error: no\n    at run (/app/run.js:1:2)'],
  [400, '<html>no</html>'],
  [400, '{"what":"of the request"}'],
  [400, '{"error":{"message":"[{\'input\': 1}]"}}'],
  [404, '{"error":{"message":"no"}}'],
  [500, '{"error":{"message":"no"}}'],
])('of %i %j the client reads nothing', (status, body) => {
  const reason = toClientReason({ status, body: Buffer.from(body) }, NOTHING, NAMES)

  expect(reason).toBeUndefined()
})
