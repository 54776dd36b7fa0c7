import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RULES } from '../../../src/cli/conformance/rules/rules.ts'
import { SECTIONS, writeSentences } from '../../../src/cli/conformance/sentences/sentences.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/conformance.md'), 'utf8')

test('docs/conformance.md has the table that kopeck conformance --rules prints', () => {
  expect(page).toContain(`\n${writeSentences(RULES)}\n`)
})

test('each rule judges a sentence, and each sentence is judged or says why it cannot be', () => {
  const judging = SECTIONS.flatMap(({ sentences }) =>
    sentences.flatMap((sentence) => ('rules' in sentence ? sentence.rules : [])),
  )

  expect([...new Set(judging)].toSorted()).toEqual(RULES.map(({ id }) => id).toSorted())
})
