import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProblems } from './check-modules.ts'
import { drawMap, drawModules } from './draw-modules.ts'
import { readImports } from './read-imports.ts'

const ROOT = join(import.meta.dirname, '../..')

/** `npm run modules`: writes docs/modules.md and the README's map. With `-- --print` it only says what is wrong. */
const imports = await readImports()
const problems = findProblems(imports)
for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0) process.exitCode = 1
if (!process.argv.includes('--print')) {
  await writeFile(join(ROOT, 'docs/modules.md'), drawModules(imports))
  const readme = join(ROOT, 'README.md')
  await writeFile(readme, drawMap(await readFile(readme, 'utf8'), imports))
}
