import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { findMethod, METHODS } from '../../../src/playground/methods/table.ts'

test('every method that is built is described in the docs, and no other', async () => {
  const docs = await readFile('docs/playground.md', 'utf8')
  const section = docs.slice(docs.indexOf('\n## Methods'), docs.indexOf('### What is not there'))
  const named = new Set(section.match(/(?<=`)(?:[a-z]+[A-Z]\w*|close)(?=`)/g))

  const built = Object.keys(METHODS)

  expect(built.filter((name) => !named.has(name))).toEqual([])
  const unknown = [...named].filter((name) => !findMethod(name))
  expect(unknown).toEqual([])
})
