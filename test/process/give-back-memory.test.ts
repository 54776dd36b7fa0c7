import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const MODULE = join(import.meta.dirname, '../../src/process/give-back-memory.ts')
const PROGRAM = `
  const { giveBackMemory } = await import(${JSON.stringify(MODULE)})
  let kept = Array.from({ length: 2_000_000 }, (_, index) => ({ index }))
  const before = process.memoryUsage().heapTotal
  kept = undefined
  giveBackMemory()
  console.log(process.memoryUsage().heapTotal / before)
`

test.each([
  { flags: ['--expose-gc'], givesBack: true },
  { flags: [], givesBack: false },
])('memory that is not used goes back to the system, with $flags: $givesBack', async (row) => {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', PROGRAM]
  const { stdout } = await promisify(execFile)(process.execPath, [...row.flags, ...args])

  expect(Number(stdout) < 0.5).toBe(row.givesBack)
})
