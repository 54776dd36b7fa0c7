import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
const COMMAND = join(import.meta.dirname, '../../src/cli/kopeck.ts')

test('the help of kopeck migrate migrates nothing', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'kopeck-migrate-'))
  onTestFinished(() => rm(cwd, { recursive: true }))

  const { stdout } = await run(process.execPath, [COMMAND, 'migrate', '--help'], { cwd })

  expect(stdout).toContain('Usage: kopeck migrate')
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})
