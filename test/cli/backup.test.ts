import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, watch } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { createBackupProgram } from '../../src/cli/backup.ts'
import { createRestoreProgram, restoreBackup } from '../../src/cli/restore.ts'
import { readBuildInfo } from '../../src/platform/installation.ts'
import { makeFolder } from '../support/make-folder.ts'
import { openDataDir } from './backup-setup.ts'

const COMMAND = join(import.meta.dirname, '../../src/cli/kopeck.ts')
const BOT_TOKEN = '111:secret'

let folder: string
let file: string

beforeEach(async () => {
  folder = await makeFolder()
  file = join(folder, 'kopeck.tar')
})

const PROGRAMS = { backup: createBackupProgram, restore: createRestoreProgram }

/** Runs a program in this process. Returns what it printed. */
async function run(program: 'backup' | 'restore', env: Record<string, string>): Promise<string> {
  const printed: string[] = []
  const deps = { use: `kopeck ${program}`, env, print: (text: string) => void printed.push(text) }
  await PROGRAMS[program](deps).parseAsync([file], { from: 'user' })
  return printed.join('\n')
}

/** Starts `kopeck backup` and sends it a signal once it has begun to write. */
async function signalInTheMiddle(dataDir: string, signal: 'SIGINT' | 'SIGKILL') {
  const events = watch(folder)
  const child = spawn(process.execPath, [COMMAND, 'backup', file], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, BOT_TOKEN },
    cwd: folder,
  })
  const ended = Promise.all([text(child.stderr), once(child, 'close')])
  for await (const { filename } of events) if (filename === 'kopeck.tar.partial') break
  child.kill(signal)
  const [err, [code]] = await ended
  return { err, code }
}

test('kopeck backup and kopeck restore make a copy of a folder in which Kopeck does not run', async () => {
  const dataDir = join(folder, 'data')
  const DATA_DIR = join(folder, 'restored')
  const { pool, close } = await openDataDir(join(dataDir, 'playground'))
  await pool.query('CREATE TABLE kept AS SELECT 42 AS answer')
  await close()

  const backup = await run('backup', { DATA_DIR: dataDir })
  const restore = await run('restore', { DATA_DIR })

  expect(backup).toMatch(/^Backed up to .*kopeck\.tar, and read again: [\d.]+ MB with .* 0 media/)
  const { version } = await readBuildInfo()
  const copyDir = join(DATA_DIR, 'playground')
  expect(restore).toBe(
    `Restored into ${copyDir} what Kopeck ${version} backed up. To start on it: DATA_DIR=${DATA_DIR} npm start`,
  )
  const copy = await openDataDir(copyDir)
  expect((await copy.pool.query('SELECT answer FROM kept')).rows).toEqual([{ answer: 42 }])
  await copy.close()
})

test('a backup that Ctrl-C breaks off leaves nothing and reports it; after kill -9 no restore takes what is left, and the next backup names it', async () => {
  const dataDir = join(folder, 'data')
  const { close } = await openDataDir(dataDir)

  const interrupted = await signalInTheMiddle(dataDir, 'SIGINT')

  expect(interrupted).toEqual({ err: 'The backup was broken off: there is none\n', code: 2 })
  expect(await readdir(folder)).toEqual(['data'])

  await signalInTheMiddle(dataDir, 'SIGKILL')

  expect((await readdir(folder)).sort()).toEqual(['data', 'kopeck.tar.partial'])
  await expect(restoreBackup(`${file}.partial`, join(folder, 'restored'))).rejects.toThrow(
    /^Cannot restore from ".*": it is (cut off|no backup)/,
  )
  await expect(run('backup', { DATA_DIR: dataDir, BOT_TOKEN })).rejects.toThrow(
    `Cannot back up: "${file}.partial" is there; another backup writes it, or was cut off: then remove it`,
  )
  await close()
})

test.each([
  ['backup', 'pg_dump --format=custom --file=FILE "$DATABASE_URL"'],
  ['restore', 'pg_restore --dbname="$DATABASE_URL" FILE'],
] as const)('kopeck %s names the way with a PostgreSQL of one’s own', async (program, how) => {
  const DATABASE_URL = 'postgresql://me:secret@db.example/kopeck'

  const refused = expect(run(program, { DATABASE_URL })).rejects

  await refused.toThrow(how)
  await refused.not.toThrow('secret')
})
