import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const PROOF = /^`(test\/[^`]+\.(?:test|browser)\.ts)`: `([^`]+)`$/

/** Tables whose rows end with the tests that show them. */
const PAGES = [
  { page: 'docs/interface-rules.md', rowsMin: 80 },
  { page: 'docs/promises.md', rowsMin: 40 },
].map(({ page, ...rest }) => ({
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

test('README and docs name files and folders that are there', () => {
  const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)]
  const missing = pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) => {
      const paths = readFileSync(join(ROOT, page), 'utf8').matchAll(/`((?:src|test)\/[\w./-]+)`/g)
      return Array.from(paths, ([, path = '']) => `${page}: ${path}`)
    })
    .filter((line) => !existsSync(join(ROOT, line.split(': ')[1] ?? '')))

  expect(missing).toEqual([])
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

/** Whether a line is the head of a table, or the rule below it. */
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
