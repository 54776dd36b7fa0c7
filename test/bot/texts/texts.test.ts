import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createTexts } from '../../../src/bot/texts/texts.ts'

const BOT = new URL('../../../src/bot/', import.meta.url)

test('both languages have the same texts with the same variables', async () => {
  const en = await readTexts('en')
  const ru = await readTexts('ru')

  expect([...ru.keys()].sort()).toEqual([...en.keys()].sort())
  for (const [key, variables] of en) expect([key, ru.get(key)]).toEqual([key, variables])
})

test('every text named in src/bot exists', async () => {
  const en = await readTexts('en')
  const names = (await readdir(BOT, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const sources = await Promise.all(names.map((name) => readFile(new URL(name, BOT), 'utf8')))

  // The key is the first argument, or the second one after the language code.
  const keys = sources.flatMap((source) =>
    [...source.matchAll(/\bt\(\s*(?:[^,'"`()]+,\s*)?'([^']+)'/g)].flatMap(([, key]) => key ?? []),
  )

  expect(keys.filter((key) => !en.has(key))).toEqual([])
})

test.each([
  ['ru', 'Остановлено.'],
  ['ru-RU', 'Остановлено.'],
  [undefined, 'Stopped.'],
])('a reader with language %s reads "%s"', (languageCode, text) => {
  expect(createTexts().t(languageCode, 'stop-done')).toBe(text)
})

test('variables are put in without marks around them, numbers as the language writes them', () => {
  const { t } = createTexts()

  expect(t('en', 'media-too-long', { length: 5001, limit: 5000 })).toContain('has 5,001 characters')
  expect(t('ru', 'media-too-long', { length: 5001, limit: 5000 })).toContain('5\u00a0001 символ.')
  expect(t('ru', 'spend-rest', { count: 3 })).toBe('ещё 3 пользователя')
})

/** Reads the variables of each text, including those of the texts that it refers to. */
async function readTexts(language: string): Promise<Map<string, string[]>> {
  const source = await readFile(new URL(`texts/${language}.ftl`, BOT), 'utf8')
  const entries = new Map(
    source.split(/^(?=[a-z])/m).flatMap((entry) => {
      const [, key] = /^([a-z][a-z0-9-]*) =/.exec(entry) ?? []
      return key === undefined ? [] : [[key, entry] as const]
    }),
  )
  return new Map(Array.from(entries, ([key, entry]) => [key, [...variablesOf(entry)].sort()]))

  function variablesOf(entry: string): Set<string> {
    const own = [...entry.matchAll(/\$(\w+)/g)].map(([, name = '']) => name)
    const references = [...entry.matchAll(/\{ ([a-z][a-z0-9-]*) \}/g)].map(([, key = '']) => key)
    return new Set([
      ...own,
      ...references.flatMap((key) => [...variablesOf(entries.get(key) ?? '')]),
    ])
  }
}
