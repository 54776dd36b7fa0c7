import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPromises, readTies, tiesOf } from './promises.ts'

const ROOT = join(import.meta.dirname, '..')
const PROOF = /^`(test\/[^`]+\.(?:test|browser)\.ts)`: `([^`]+)`$/

/** Tables whose rows end with the tests that show them. */
const PAGES = [{ page: 'docs/interface-rules.md', rowsMin: 80 }].map(({ page, ...rest }) => ({
  page,
  ...rest,
  rows: readRows(readFileSync(join(ROOT, page), 'utf8')),
}))

interface Row {
  /** The first cell. */
  name: string
  proofs: string[]
}

test.each(PAGES)('$page has its rows, each once', ({ rows, rowsMin }) => {
  expect(rows.length).toBeGreaterThan(rowsMin)
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
})

test.each(PAGES.flatMap(({ page, rows }) => rows.map((row) => ({ page, ...row }))))(
  '$page names tests that are there: $name',
  ({ proofs }) => {
    expect(proofs).not.toEqual([])
    for (const proof of proofs) expect(findProblem(proof)).toBeUndefined()
  },
)

const PROMISES = readPromises()
const TIES = readTies()

test('docs/promises.md has its rows, each once', () => {
  expect(PROMISES.length).toBeGreaterThan(350)
  expect(new Set(PROMISES.map(({ fault }) => fault)).size).toBe(PROMISES.length)
  expect(PROMISES.filter(({ whatHappens }) => whatHappens === '')).toEqual([])
})

test('each row of docs/promises.md is shown by a test that names it', () => {
  const shown = new Set(TIES.map(({ fault }) => fault))

  expect(PROMISES.map(({ fault }) => fault).filter((fault) => !shown.has(fault))).toEqual([])
})

test('each promise that a test names is a row of docs/promises.md, and stands above a test', () => {
  const faults = new Set(PROMISES.map(({ fault }) => fault))
  const isAboveTest = (line: string) => /^(?:test|it|describe|on[A-Z]\w*)\b/.test(line)

  expect(TIES.filter(({ fault, test: line }) => !faults.has(fault) || !isAboveTest(line))).toEqual(
    [],
  )
})

test('tiesOf() finds the promises above a test, several of one test as well', () => {
  const text =
    "// Promise: A\n// Why it is so.\n// Promise: B, `C`\ntest('D', () => {\n  // Promises nothing\n})"

  expect(tiesOf('test/e.test.ts', text)).toEqual([
    { fault: 'A', at: 'test/e.test.ts:1', test: "test('D', () => {" },
    { fault: 'B, `C`', at: 'test/e.test.ts:3', test: "test('D', () => {" },
  ])
})

test('README and docs name files and folders that are there', () => {
  const pages = [
    ...['README.md', 'CHANGELOG.md', 'SECURITY.md'],
    ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
  ]
  const missing = pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) => {
      const paths = readFileSync(join(ROOT, page), 'utf8').matchAll(/`((?:src|test)\/[\w./-]+)`/g)
      return Array.from(paths, ([, path = '']) => `${page}: ${path}`)
    })
    .filter((line) => !existsSync(join(ROOT, line.split(': ')[1] ?? '')))

  expect(missing).toEqual([])
})

test('CHANGELOG.md has the form of Keep a Changelog, and its last release is the version of the package and its lockfile', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  const [manifest, lock] = ['package.json', 'package-lock.json'].map((name) =>
    JSON.parse(readFileSync(join(ROOT, name), 'utf8')),
  )

  const [first, ...rest] = changelog.match(/^## .*$/gm) ?? []
  const heads = first === '## [Unreleased]' ? rest : [first ?? '', ...rest]
  const kinds = new Set(changelog.match(/^### .*$/gm))
  const dates = heads.map((head) => /^## \[\d+\.\d+\.\d+\] - (\d{4}-\d\d-\d\d)$/.exec(head)?.[1])
  expect(heads[0]).toMatch(`## [${manifest.version}] - `)
  expect([lock.version, lock.packages[''].version]).toEqual([manifest.version, manifest.version])
  expect(dates).toEqual(
    dates
      .filter((date) => date !== undefined)
      .sort()
      .reverse(),
  )
  for (const kind of kinds) {
    expect(kind).toMatch(/^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/)
  }
})

/** Every row of every table but its head: the first cell, and the proofs in the last. */
function readRows(markdown: string): Row[] {
  return markdown
    .split('\n')
    .filter((line, index, lines) => line.startsWith('| ') && !isHead(lines, index))
    .map((line) => {
      const cells = line.slice('| '.length, -' |'.length).split(' | ')
      return { name: cells[0] ?? '', proofs: cells.at(-1)?.split('<br>') ?? [] }
    })
}

/** Recognizes the head of a table, and the rule below it. */
function isHead(lines: readonly string[], index: number): boolean {
  return [lines[index], lines[index + 1]].some((line) => line?.startsWith('| ---'))
}

function findProblem(proof: string): string | undefined {
  const [, path, name] = PROOF.exec(proof) ?? []
  if (path === undefined || name === undefined) return `"${proof}" names no test`
  if (!existsSync(join(ROOT, path))) return `there is no ${path}`
  const source = readFileSync(join(ROOT, path), 'utf8')
  const isThere = [`'`, '"', '`'].some((quote) => source.includes(quote + name + quote))
  return isThere ? undefined : `${path} has no test "${name}"`
}
