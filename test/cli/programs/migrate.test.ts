import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
const PROGRAM = join(import.meta.dirname, '../../../src/cli/programs/migrate.ts')

test('who asks npm run migrate for its help has nothing migrated', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'kopeck-migrate-'))
  onTestFinished(() => rm(cwd, { recursive: true }))

  const { stdout } = await run(process.execPath, [PROGRAM, '--help'], { cwd })

  expect(stdout).toContain('Usage: npm run migrate --')
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})
