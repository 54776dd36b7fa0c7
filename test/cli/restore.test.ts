import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import {
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { packTar } from 'modern-tar'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { takeBackup } from '../../src/cli/backup.ts'
import { BackupWriter } from '../../src/cli/backup-file.ts'
import { restoreBackup } from '../../src/cli/restore.ts'
import { startEmbeddedDatabase } from '../../src/platform/database/embedded.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import { makeFolder } from '../support/make-folder.ts'
import { openDataDir } from './backup-setup.ts'

const { signal } = new AbortController()
const CLIP = `${'a'.repeat(40)}.mp4`

let folder: string
let dataDir: string
let file: string

beforeEach(async () => {
  folder = await makeFolder()
  dataDir = join(folder, 'restored')
  file = join(folder, 'kopeck.tar')
})

const made = { folder: '', file: '', video: Buffer.alloc(3_000_000, 'video') }

beforeAll(async () => {
  made.folder = await mkdtemp(join(tmpdir(), 'kopeck-backup-'))
  made.file = join(made.folder, 'kopeck.tar')
  const original = join(made.folder, 'data')
  await mkdir(join(original, 'media'), { recursive: true })
  await writeFile(join(original, 'media', CLIP), made.video)
  await writeFile(join(original, 'media', `.${CLIP}.part`), 'half a video')
  const { url, stop } = await startEmbeddedDatabase({ dataDir: original })
  await migrate(url)
  await takeBackup({ url, dataDir: original, file: made.file, withMedia: true, signal })
  await stop()
}, 60_000)

afterAll(() => rm(made.folder, { recursive: true }))

async function isEmpty(path: string): Promise<boolean> {
  return (await readdir(path).catch(() => [])).length === 0
}

test.each(['media', 'postgres/base'])(
  'no backup is made in %s, which is part of it',
  async (part) => {
    await mkdir(join(dataDir, part), { recursive: true })
    await symlink(join(dataDir, part), join(folder, 'link'))

    const taken = takeBackup({
      url: 'postgresql://nowhere',
      dataDir,
      withMedia: true,
      signal,
      file: join(folder, 'link', 'kopeck.tar'),
    })

    await expect(taken).rejects.toThrow('Cannot back up: FILE is in a folder that is backed up')
    expect(await isEmpty(join(dataDir, part))).toBe(true)
  },
)

test('a backup that was cut off anywhere, or of which a byte differs, is refused, and nothing is written', async () => {
  const { size } = await stat(made.file)
  const cut = join(folder, 'cut.tar')

  for (const bytes of [100, size >> 1, size - 1100]) {
    await copyFile(made.file, cut)
    const handle = await open(cut, 'r+')
    await handle.truncate(bytes)
    await handle.close()
    await expect(restoreBackup(cut, dataDir), `${bytes} of ${size} bytes`).rejects.toThrow(
      /Cannot restore from ".*": it (is|was) (cut off|no backup)/,
    )
  }
  for (const offset of [size >> 2, size - 2_000_000]) {
    await copyFile(made.file, cut)
    const handle = await open(cut, 'r+')
    const byte = Buffer.alloc(1)
    await handle.read(byte, 0, 1, offset)
    await handle.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, offset)
    await handle.close()
    await expect(restoreBackup(cut, dataDir), `byte ${offset}`).rejects.toThrow(/damaged/)
  }

  expect(await isEmpty(dataDir)).toBe(true)
})

test.each<[string, Record<string, string>, RegExp]>([
  ['no archive', {}, /no backup/],
  ['another archive', { 'photo.jpg': 'photo' }, /no backup of Kopeck/],
  [
    'of a newer Kopeck',
    { 'backup.json': '{"format":2,"kopeck":"9.8.7","postgres":18}' },
    /made by a newer Kopeck, 9\.8\.7; restore it with that/,
  ],
  [
    'an archive that leads outside',
    { 'backup.json': '{"format":1,"postgres":18}', 'postgres/../../outside': 'x' },
    /no backup of Kopeck/,
  ],
])('%s is refused, and nothing is written', async (_what, files, problem) => {
  const entries = Object.entries(files).map(([name, body]) => ({
    header: { name, size: body.length },
    body,
  }))
  await writeFile(file, await packTar(entries))

  await expect(restoreBackup(file, dataDir)).rejects.toThrow(problem)

  expect(await isEmpty(dataDir)).toBe(true)
})

test('a backup of another major version of PostgreSQL is refused, and nothing is written', async () => {
  const info = { kopeck: '0.9.1', postgres: 17 }
  const writer = new BackupWriter(await open(file, 'w'), signal)
  await writer.addInfo(info)
  await writer.end()

  await expect(restoreBackup(file, dataDir)).rejects.toThrow(
    'it is of PostgreSQL 17 and was made by Kopeck 0.9.1, and this Kopeck has 18; restore it with a Kopeck that has 17',
  )

  expect(await isEmpty(dataDir)).toBe(true)
})

test('no start takes a folder whose restore was cut off for a new one; the next restore makes it whole: it starts and has the media, but not what was being stored', async () => {
  await mkdir(join(dataDir, 'restoring'), { recursive: true })
  await writeFile(join(dataDir, 'restoring', 'postgres.password'), 'half')

  await expect(startEmbeddedDatabase({ dataDir })).rejects.toThrow(
    `Cannot use DATA_DIR "${dataDir}": a restore into it did not end; empty the folder and restore again`,
  )
  await restoreBackup(made.file, dataDir)

  expect(await readdir(join(dataDir, 'media'))).toEqual([CLIP])
  expect(made.video.equals(await readFile(join(dataDir, 'media', CLIP)))).toBe(true)
  expect((await stat(join(dataDir, 'postgres.password'))).mode & 0o777).toBe(0o600)
  expect((await stat(made.file)).mode & 0o777).toBe(0o600)
  const { applied, close } = await openDataDir(dataDir)
  expect(applied).toEqual([])
  await close()
})

test('a data folder of another major version says which it is, which is here and what to do', async () => {
  await mkdir(join(dataDir, 'postgres'), { recursive: true })
  await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n')

  await expect(startEmbeddedDatabase({ dataDir })).rejects.toThrow(
    'its files are of PostgreSQL 17, and this Kopeck has 18; start a Kopeck that has 17 there, dump the database, and load it into a new DATA_DIR with this one',
  )

  expect(await readdir(join(dataDir, 'postgres'))).toEqual(['PG_VERSION'])
})

test('a folder that is not empty any more once the file has been read is left as it is', async () => {
  const [first, last] = [join(folder, '1'), join(folder, '2')]
  await promisify(execFile)('mkfifo', [first])
  await copyFile(made.file, last)

  const restored = expect(restoreBackup(first, dataDir)).rejects.toThrow(
    `Cannot restore: DATA_DIR "${dataDir}" is not empty`,
  )
  await feed(first, async () => {
    await rename(last, first)
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'postgres.password'), 'of another')
  })
  await restored

  expect(await readFile(join(dataDir, 'postgres.password'), 'utf8')).toBe('of another')
  expect(await readdir(dataDir)).not.toContain('restoring')
})

async function feed(pipe: string, begun: () => Promise<void>): Promise<void> {
  const handle = await open(pipe, 'w')
  await begun()
  await pipeline(createReadStream(made.file), handle.createWriteStream())
}
