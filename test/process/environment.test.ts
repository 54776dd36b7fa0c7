import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const MODULE = new URL('../../src/process/environment.ts', import.meta.url).href
const CODE = `
  const { readEnvironment } = await import(${JSON.stringify(MODULE)})
  const { PORT, LOG_LEVEL } = readEnvironment()
  console.log(JSON.stringify({ PORT, LOG_LEVEL }))`

async function readIn(cwd: string, env: Record<string, string>) {
  const args = ['--input-type=module', '-e', CODE]
  const { stdout, stderr } = await run(process.execPath, args, { cwd, env })
  return { read: JSON.parse(stdout), stderr }
}

test('readEnvironment() adds .env to what is set, says nothing where there is none', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'kopeck-environment-'))

  const without = await readIn(cwd, { PORT: '1' })
  await writeFile(join(cwd, '.env'), 'PORT=2\nLOG_LEVEL=debug\n')
  const withFile = await readIn(cwd, { PORT: '1' })

  await rm(cwd, { recursive: true })
  expect(without).toEqual({ read: { PORT: '1' }, stderr: '' })
  expect(withFile).toEqual({ read: { PORT: '1', LOG_LEVEL: 'debug' }, stderr: '' })
})
