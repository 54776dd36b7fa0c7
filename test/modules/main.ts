import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProblems } from './check-modules.ts'
import { drawCommands } from './draw-commands.ts'
import { drawDatabase, readPlainSql } from './draw-database.ts'
import { drawMap, drawModules } from './draw-modules.ts'
import { readImports } from './read-imports.ts'

const ROOT = join(import.meta.dirname, '../..')

/**
 * `npm run modules`: writes docs/modules.md, the list in docs/database.md, and the README's map and commands.
 * With `-- --print` it only prints what is wrong.
 */
const imports = await readImports()
const problems = findProblems(imports)
for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0) process.exitCode = 1
if (!process.argv.includes('--print')) {
  await writeFile(join(ROOT, 'docs/modules.md'), drawModules(imports))
  const database = join(ROOT, 'docs/database.md')
  const plainSql = await readPlainSql(imports)
  await writeFile(database, drawDatabase(await readFile(database, 'utf8'), plainSql))
  const readme = join(ROOT, 'README.md')
  const text = await readFile(readme, 'utf8')
  await writeFile(readme, drawCommands(drawMap(text, imports)))
}
