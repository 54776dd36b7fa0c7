import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyEdit } from './mutation.ts'
import { MUTATIONS } from './mutations.ts'

const ROOT = join(import.meta.dirname, '../../..')

test('there are more than forty mutations, each with a name of its own', () => {
  expect(MUTATIONS.length).toBeGreaterThan(40)
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length)
})

test.each(MUTATIONS)(
  '$name changes what is there once in its sources, into what Node can read',
  ({ edits }) => {
    const changed = new Map<string, string>()

    for (const edit of edits) {
      const source = changed.get(edit.file) ?? readFileSync(join(ROOT, edit.file), 'utf8')
      changed.set(edit.file, applyEdit(source, edit))
    }

    for (const source of changed.values()) {
      expect(() => stripTypeScriptTypes(source)).not.toThrow()
    }
  },
)

test('a text that is not there, or is there twice, cannot be changed', () => {
  const edit = { file: 'a.ts', find: 'is', replace: 'was' }

  expect(applyEdit('it is', edit)).toBe('it was')
  expect(() => applyEdit('it was', edit)).toThrow('Cannot change a.ts: "is" is not there once')
  expect(() => applyEdit('this', { ...edit, find: 's' })).not.toThrow()
  expect(() => applyEdit('this is', edit)).toThrow('is not there once')
})
