import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RULES } from '../../../src/cli/conformance/rules/rules.ts'

test('docs/interface-rules.md names each rule that is looked at, once, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/interface-rules.md'), 'utf8')
  const rules = page
    .split('\n')
    .flatMap((line) => /^\| .*? \((`[^)]*`)\) \| /.exec(line)?.[1] ?? [])
  const named = rules.flatMap((ids) => ids.split(', ')).map((id) => id.slice(1, -1))

  expect(named.toSorted()).toEqual(RULES.map(({ id }) => id).toSorted())
})
