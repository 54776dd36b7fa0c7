/**
 * Ties each row of docs/promises.md to the tests that show it: above such a test stands a comment with the row's
 * fault, word by word.
 *
 *     // Promise: A failure repeats
 *
 * `node test/promises.ts` prints every row with its tests, `node test/promises.ts WORDS` those rows with these words.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const MARK = '// Promise: '

/** A row of the page. */
interface Promised {
  fault: string
  whatHappens: string
}

/** A comment of a test that names a row. */
interface Tie {
  fault: string
  /** The file and the line of the comment. */
  at: string
  /** The test below the comment: the first line of its call. */
  test: string
}

/** Reads the rows of the page, in order. */
export function readPromises(): Promised[] {
  const page = readFileSync(join(ROOT, 'docs/promises.md'), 'utf8')
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:---|fault \|)/.test(line))
    .map((line) => {
      const [fault = '', whatHappens = ''] = line.slice('| '.length, -' |'.length).split(' | ')
      return { fault, whatHappens }
    })
}

/** Reads the comments of all tests that name a row. */
export function readTies(): Tie[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:test|browser)\.tsx?$/.test(name))
    .sort()
    .flatMap((name) => tiesOf(`test/${name}`, readFileSync(join(ROOT, 'test', name), 'utf8')))
}

/** Finds the comments of a test's file that name a row. */
export function tiesOf(file: string, text: string): Tie[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.flatMap((line, index) => {
    if (!line.startsWith(MARK)) return []
    const test = lines.slice(index).find((other) => !other.startsWith('//')) ?? ''
    return { fault: line.slice(MARK.length), at: `${file}:${index + 1}`, test }
  })
}

if (import.meta.main) {
  const words = process.argv.slice(2).join(' ').toLowerCase()
  const ties = Map.groupBy(readTies(), ({ fault }) => fault)
  for (const { fault } of readPromises()) {
    if (!fault.toLowerCase().includes(words)) continue
    const shown = (ties.get(fault) ?? []).map(({ at, test }) => `    ${at}  ${test}`)
    process.stdout.write(`${[fault, ...shown].join('\n')}\n`)
  }
}
