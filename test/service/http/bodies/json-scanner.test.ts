import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJsonScanner } from '../../../../src/service/http/bodies/json-scanner.ts'

const BOUNDS = { depthMax: 3, valuesMax: 5 }
const ENDLESS = { depthMax: Number.POSITIVE_INFINITY, valuesMax: Number.POSITIVE_INFINITY }

function scan(text: string, bounds = BOUNDS, cutAt = 0) {
  const scanner = createJsonScanner(bounds)
  const bytes = Buffer.from(text)
  const early = scanner.read(bytes.subarray(0, cutAt))
  return { excess: early ?? scanner.read(bytes.subarray(cutAt)), values: scanner.values() }
}

/** Counts the values in a parsed one, itself not counted: every member, and every container besides. */
function count(value: unknown): { depth: number; members: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, members: 0 }
  const parts = Object.values(value).map(count)
  return {
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
    members: parts.reduce((sum, { members }) => sum + members + 1, 0),
  }
}

test.each([
  ['[[[]]]', undefined],
  ['[[[[]]]]', 'depthMax'],
  ['{"a":{"b":{"c":1}}}', undefined],
  ['{"a":{"b":{"c":{}}}}', 'depthMax'],
  ['[1,2,3,4,5]', undefined],
  ['[1,2,3,4,5,6]', 'valuesMax'],
  ['[[],[],[]]', 'valuesMax'],
  [`["${'[{,"'.replaceAll('"', '\\"').repeat(100)}"]`, undefined],
  [`["${'\\\\'.repeat(100)}",[[[]]]]`, 'depthMax'],
  [`["${'\\\\'.repeat(100)}\\",[[[]]]"]`, undefined],
  [`["${'a'.repeat(1000)}",[[[]]]]`, 'depthMax'],
])('%s has too much of: %s', (text, excess) => {
  for (let cutAt = 0; cutAt <= Buffer.byteLength(text); cutAt += 1) {
    expect(scan(text, BOUNDS, cutAt).excess).toBe(excess)
  }
})

test('no JSON has more values than are counted, nor is it deeper, wherever its bytes are cut', () => {
  const json = fc
    .tuple(
      fc.jsonValue({ maxDepth: 5 }),
      fc.array(fc.constantFrom('\\', '"', '[', ',', 'я', 'x'.repeat(80))),
    )
    .map(([value, pieces]) => ({ value, text: pieces.join('') }))

  fc.assert(
    fc.property(json, fc.double({ min: 0, max: 1, noNaN: true }), (value, share) => {
      const text = JSON.stringify(value)
      const { depth, members } = count(value)
      const cutAt = Math.round(share * Buffer.byteLength(text))

      const { excess, values } = scan(text, { ...ENDLESS, depthMax: depth }, cutAt)

      expect(excess).toBeUndefined()
      expect(values).toBeGreaterThanOrEqual(members)
      expect(values).toBe(scan(text, ENDLESS).values)
      expect(scan(text, { ...ENDLESS, depthMax: depth - 1 }, cutAt).excess).toBe('depthMax')
    }),
    { seed: 20261122, numRuns: 500 },
  )
})
