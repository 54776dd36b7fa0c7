import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { MendableError } from '../../src/platform/mendable.ts'
import { readConfig } from '../../src/process/config.ts'
import { openEnvironment } from '../../src/process/environment.ts'
import { makeFolder } from '../support/make-folder.ts'

const run = promisify(execFile)

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})
const MODULE = new URL('../../src/process/environment.ts', import.meta.url).href
const CODE = `
  const { openEnvironment } = await import(${JSON.stringify(MODULE)})
  const { PORT, LOG_LEVEL } = openEnvironment().read()
  console.log(JSON.stringify({ PORT, LOG_LEVEL }))`

async function readIn(cwd: string, env: Record<string, string>) {
  const args = ['--input-type=module', '-e', CODE]
  const { stdout, stderr } = await run(process.execPath, args, { cwd, env })
  return { read: JSON.parse(stdout), stderr }
}

test('read() adds .env to what is set, with a mark before it or not, says nothing where there is none', async () => {
  const cwd = await makeFolder()

  const without = await readIn(cwd, { PORT: '1' })
  await writeFile(join(cwd, '.env'), '\ufeffLOG_LEVEL=debug\nPORT=2\n')
  const withFile = await readIn(cwd, { PORT: '1' })

  expect(without).toEqual({ read: { PORT: '1' }, stderr: '' })
  expect(withFile).toEqual({ read: { PORT: '1', LOG_LEVEL: 'debug' }, stderr: '' })
})

test.each<[string, (path: string) => Promise<unknown>, string]>([
  ['a folder', (path) => mkdir(path), 'EISDIR'],
  ['a link that leads nowhere', (path) => symlink('/nowhere/.env', path), 'ENOENT'],
  ['no text', (path) => writeFile(path, Buffer.from('A=\xff', 'latin1')), 'not UTF-8'],
])('read() refuses an .env that is %s by its name', async (_, make, code) => {
  const cwd = await makeFolder()
  vi.spyOn(process, 'cwd').mockReturnValue(cwd)
  await make(join(cwd, '.env'))

  const { read } = openEnvironment()

  expect(read).toThrow(new MendableError(`Cannot read the file "${join(cwd, '.env')}" (${code})`))
})

test('read() takes what has changed in .env, and keeps what the process was started with', async () => {
  const cwd = await makeFolder()
  vi.spyOn(process, 'cwd').mockReturnValue(cwd)
  vi.stubEnv('KEY_OF_START', 'old')
  const write = (key: string) =>
    writeFile(join(cwd, '.env'), `KEY_OF_FILE=${key}\nKEY_OF_START=${key}\n`)
  const { read } = openEnvironment()

  await write('old')
  const before = read()
  await write('new')

  expect(before).toMatchObject({ KEY_OF_FILE: 'old', KEY_OF_START: 'old' })
  expect(read()).toMatchObject({ KEY_OF_FILE: 'new', KEY_OF_START: 'old' })
})

test('a variable with a prefix of ours that has no meaning is named', () => {
  expect(readConfig({ SERVICE_CONFG: 'x', OTHER: 'y' }).notes).toEqual([
    'SERVICE_CONFG is no variable of Kopeck',
  ])
})
