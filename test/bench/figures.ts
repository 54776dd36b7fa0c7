import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PARTS } from './parts/parts.ts'
import { writeFiguresPage } from './report/figures-page.ts'
import { readResults } from './report/results.ts'

/** `npm run figures`: writes docs/figures.md from the last result of each part of the bench. */
await writeFile(
  join(import.meta.dirname, '../../docs/figures.md'),
  writeFiguresPage(await readResults(), Object.keys(PARTS)),
)
