import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { restoreBackup } from '../../../src/cli/backup/restore-backup.ts'
import { readBuildInfo } from '../../../src/platform/build-info.ts'
import { makeFolder, openDataDir } from './backup-setup.ts'

const COMMAND = join(import.meta.dirname, '../../../src/cli/kopeck.ts')
/** A file so long that there is a middle of the backup. With nothing in it, it takes no room. */
const CLIP_BYTES = 3 * 2 ** 30

let folder: string
let file: string

beforeEach(async () => {
  folder = await makeFolder()
  file = join(folder, 'kopeck.tar')
})

function start(program: 'backup' | 'restore', args: string[], env: Record<string, string>) {
  return spawn(process.execPath, [COMMAND, program, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    cwd: folder,
  })
}

async function run(...args: Parameters<typeof start>) {
  const child = start(...args)
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { out, err, code }
}

async function makeLongDataDir(): Promise<string> {
  const dataDir = join(folder, 'data')
  await mkdir(join(dataDir, 'media'), { recursive: true })
  const clip = join(dataDir, 'media', `${'b'.repeat(40)}.mp4`)
  await writeFile(clip, '')
  await truncate(clip, CLIP_BYTES)
  return dataDir
}

async function signalInTheMiddle(dataDir: string, signal: 'SIGINT' | 'SIGKILL') {
  const child = start('backup', [file], { DATA_DIR: dataDir })
  const ended = Promise.all([text(child.stderr), once(child, 'close')])
  await expect.poll(partialBytes).toBeGreaterThan(100_000_000)
  child.kill(signal)
  const [err, [code]] = await ended
  return { err, code }
}

async function partialBytes(): Promise<number> {
  return (await stat(`${file}.partial`).catch(() => undefined))?.size ?? 0
}

test('npm run backup and npm run restore make a copy of a folder in which Kopeck does not run', async () => {
  const dataDir = join(folder, 'data')
  const { pool, close } = await openDataDir(dataDir)
  await pool.query('CREATE TABLE kept AS SELECT 42 AS answer')
  await close()

  const backup = await run('backup', ['kopeck.tar'], { DATA_DIR: dataDir })
  const restore = await run('restore', ['kopeck.tar'], { DATA_DIR: join(folder, 'restored') })

  expect(backup).toMatchObject({ err: '', code: 0 })
  expect(backup.out).toMatch(
    /^Backed up to .*kopeck\.tar, and read again: [\d.]+ MB with .* 0 media/,
  )
  const { version } = await readBuildInfo()
  expect(restore).toMatchObject({
    out: expect.stringMatching(
      `^Restored into ${join(folder, 'restored')} what Kopeck ${version} backed up\\. To start`,
    ),
    err: '',
    code: 0,
  })
  const restored = await openDataDir(join(folder, 'restored'))
  expect((await restored.pool.query('SELECT answer FROM kept')).rows).toEqual([{ answer: 42 }])
  await restored.close()
})

// Promise: A backup is killed, or broken off
test('a backup that Ctrl-C breaks off leaves nothing, and says so; kill -9 leaves nothing that looks whole, and the next one says what is left', async () => {
  const dataDir = await makeLongDataDir()
  const { close } = await openDataDir(dataDir)

  const interrupted = await signalInTheMiddle(dataDir, 'SIGINT')

  expect(interrupted).toEqual({ err: 'The backup was broken off: there is none\n', code: 2 })
  expect(await readdir(folder)).toEqual(['data'])

  await signalInTheMiddle(dataDir, 'SIGKILL')

  expect((await readdir(folder)).sort()).toEqual(['data', 'kopeck.tar.partial'])
  await expect(restoreBackup(`${file}.partial`, join(folder, 'restored'))).rejects.toThrow(
    /it is cut off/,
  )
  const next = await run('backup', [file], { DATA_DIR: dataDir })
  expect(next).toEqual({
    out: '',
    err: `Cannot back up: "${file}.partial" is there; another backup writes it, or was cut off: then remove it\n`,
    code: 2,
  })
  await close()
})

test.each([
  ['backup', 'pg_dump --format=custom --file=FILE "$DATABASE_URL"'],
  ['restore', 'pg_restore --dbname="$DATABASE_URL" FILE'],
] as const)(
  'npm run %s says how it is done with a PostgreSQL of one’s own',
  async (program, how) => {
    const DATABASE_URL = 'postgresql://me:secret@db.example/kopeck'

    const { err, code } = await run(program, [file], { DATABASE_URL })

    expect(code).toBe(2)
    expect(err).toContain(how)
    expect(err).not.toContain('secret')
  },
)
