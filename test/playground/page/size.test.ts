import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { builtDir } from '../../../src/platform/built-dir.ts'

const FIRST_BYTES_MAX = 300_000
const FORMULAS = /katex/i

/** Reads the files that a browser fetches before anything shows, compressed. */
async function readFirst(): Promise<Map<string, number>> {
  const index = await readFile(join(builtDir('playground'), 'index.html'), 'utf8')
  const named = [...index.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => path)
  const sizes = new Map([['index.html', gzipSync(index).length]])
  for (const path of named) {
    if (path === undefined) continue
    sizes.set(path, gzipSync(await readFile(join(builtDir('playground'), path))).length)
  }
  return sizes
}

test('what the page needs before anything shows is small', async () => {
  const sizes = await readFirst()

  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  process.stdout.write(`The page of the playground: ${(bytes / 1000).toFixed(1)} kB, compressed\n`)
  expect(sizes.size).toBeGreaterThan(2)
  expect(bytes).toBeLessThan(FIRST_BYTES_MAX)
})

test('formulas are drawn by files of their own, which come when one is shown', async () => {
  const first = await readFirst()
  const files = await readdir(join(builtDir('playground'), 'assets'))

  expect([...first.keys()].filter((path) => FORMULAS.test(path))).toEqual([])
  expect(files.filter((name) => FORMULAS.test(name) && name.endsWith('.js'))).toHaveLength(1)
  // Older fonts are for browsers that cannot run the page.
  expect(files.filter((name) => /\.(ttf|woff)$/.test(name))).toEqual([])
})
