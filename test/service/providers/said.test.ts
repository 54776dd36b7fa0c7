import { expect, test } from 'vitest'
import { SAID_BYTES_MAX, toSaid } from '../../../src/service/providers/said.ts'

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
  ['{"detail":[{"loc":["body"],"msg":"no"}]}', '{"detail":[{"loc":["body"],"msg":"no"}]}'],
  ['<html>\n<head><title>502 Bad Gateway</title></head>\n</html>', '502 Bad Gateway'],
  ['upstream connect error\r\n\r\nreset', 'upstream connect error reset'],
  ['\u001b[31mred\u001b[0m \u202eback', '[31mred [0m back'],
])('of %j the operator reads %j', (body, said) => {
  expect(toSaid(body, NOTHING)).toBe(said)
})

test('a provider that said nothing is told as nothing', () => {
  expect(toSaid(' \n', NOTHING)).toBeUndefined()
})

test('what is said has at most 500 characters', () => {
  expect(toSaid(Buffer.from('ы'.repeat(2000)), NOTHING)).toBe('ы'.repeat(500))
})

test('our keys are left out, also where they are said twice or cut', () => {
  const said = toSaid(`{"error":{"message":"key ${KEY} is not ${KEY}"}}`, {
    secrets: ['', KEY],
    texts: [],
  })
  const cut = Buffer.from(`${' '.repeat(SAID_BYTES_MAX - 20)}Incorrect ${KEY}`)

  expect(said).toBe('key [hidden] is not [hidden]')
  expect(toSaid(cut.subarray(0, SAID_BYTES_MAX), { secrets: [KEY], texts: [] })).toBe('Incor')
})

test.each([
  ['its slash is written another way', '{"detail":[{"msg":"sk-proj-4f1c\\/99"}]}'],
  ['a letter is written another way', '{"detail":[{"msg":"\\u0073k-proj-4f1c/99"}]}'],
  ['the JSON is cut', '{"detail":[{"msg":"sk-proj-4f1c\\/99"'],
  ['another key begins alike', 'sk-proj-4f1c/99'],
])('a key is left out also where %s', (_, body) => {
  const said = toSaid(body, { secrets: ['sk-proj', KEY], texts: [] })

  expect(said).toContain('[hidden]')
  expect(said).not.toContain('99')
})

test('the end of a cut text is left out, however many bytes its letters have', () => {
  const text = `${'<b>ы</b>'.repeat(100)} ${KEY}`.slice(0, -2)
  const cut = Buffer.from(text)
  const padded = Buffer.concat([Buffer.from(' '.repeat(SAID_BYTES_MAX - cut.length)), cut])

  expect(toSaid(padded, { secrets: [KEY], texts: [] })).not.toContain('sk')
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
  const said = toSaid(`Refused: "${quoted}" is not allowed here`, {
    secrets: [],
    texts: ['x', text],
  })

  expect(said).toBe('Refused: "[hidden]" is not allowed here')
})

test('words that the client used too are no quotation', () => {
  const said = toSaid('The maximum context length is 8192', {
    secrets: [],
    texts: ['a', 'What is the maximum context I may have, and the length of it?'],
  })

  expect(said).toBe('The maximum context length is 8192')
})
