import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProblems } from './check-rooms.ts'
import { drawRooms } from './draw-rooms.ts'
import { readImports } from './read-imports.ts'

/** `npm run rooms`: writes docs/rooms.md. With `-- --print` it only says what is wrong. */
const imports = await readImports()
const problems = findProblems(imports)
for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0) process.exitCode = 1
if (!process.argv.includes('--print')) {
  await writeFile(join(import.meta.dirname, '../../docs/rooms.md'), drawRooms(imports))
}
