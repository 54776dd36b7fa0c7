import { link, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import pg from 'pg'
import { readBuildInfo } from '../../platform/build-info.ts'
import { connectionOptions } from '../../platform/database/database.ts'
import { addServerFiles, unlessMissing } from './add-server-files.ts'
import { type BackupWriter, createBackupWriter, readBackup, sync } from './backup-file.ts'

const NO_LINKS = new Set<string | undefined>(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])

export interface BackupOptions {
  url: string
  dataDir: string
  file: string
  withMedia: boolean
  signal?: AbortSignal
}

/**
 * Backs up a running embedded database, and the media beside it, to one file, which is there when it is
 * whole, on the disk and has been read again; under another name until then.
 *
 * It has what was committed until the server's files were copied, and all media that the database names.
 *
 * @throws If the file is there already. Nothing is overwritten.
 */
export async function takeBackup({
  url,
  dataDir,
  file,
  withMedia,
  signal = new AbortController().signal,
}: BackupOptions): Promise<{ bytes: number; mediaFiles: number }> {
  const partial = `${file}.partial`
  if (await isThere(file)) throw new Error(`Cannot back up: "${file}" is there already`)
  for (const part of ['media', 'postgres']) {
    if (await isBelow(join(dataDir, part), file)) throw new Error(OF_ITSELF)
  }
  const handle = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw cannotOpen(partial, error)
  })
  const client = new pg.Client(connectionOptions(url, 'backup'))
  // A query on a connection that breaks fails with the same error.
  client.on('error', () => {})
  try {
    await client.connect()
    const { version: kopeck } = await readBuildInfo()
    const info = { kopeck, postgres: await readMajorVersion(client) }
    const writer = createBackupWriter(handle, info, signal)
    await writer.begin()
    await writer.addText('postgres.password', await readFile(join(dataDir, 'postgres.password')))
    await addServerFiles(writer, { client, folder: join(dataDir, 'postgres') })
    // After the server's files: what these name is there by now.
    const mediaFiles = withMedia ? await addMedia(writer, join(dataDir, 'media')) : 0
    await writer.end()
    await readBackup(partial)
    signal.throwIfAborted()
    const { size: bytes } = await stat(partial)
    await giveName(partial, file)
    return { bytes, mediaFiles }
  } catch (error) {
    signal.throwIfAborted()
    const { syscall, message } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new Error(`Cannot back up to "${file}": ${message}`, { cause: error })
  } finally {
    await client.end()
    await handle.close().catch(() => {})
    await rm(partial, { force: true })
    await sync(dirname(file))
  }
}

const OF_ITSELF =
  'Cannot back up: FILE is in a folder that is backed up, and would have to hold itself; name another place'

/** Compares real paths: either one may lead through links. */
async function isBelow(folder: string, file: string): Promise<boolean> {
  const [above, below] = await Promise.all(
    [folder, dirname(file)].map((path) => realpath(path).catch(unlessMissing)),
  )
  return above !== undefined && `${below}${sep}`.startsWith(`${above}${sep}`)
}

/** Overwrites nothing, unlike a rename, which is for where there are no links: some network drives. */
async function giveName(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file)
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code) || (await isThere(file))) throw error
    await rename(partial, file)
  }
}

async function addMedia(writer: BackupWriter, folder: string): Promise<number> {
  let files = 0
  for (const name of await readNames(folder)) {
    // A file that was removed at its time meanwhile is no part of the backup.
    const found = await open(join(folder, name)).catch(unlessMissing)
    if (found === undefined) continue
    const { size, mtime } = await found.stat()
    const entry = { name: `media/${name}`, size, mtime, mode: 0o600, type: 'file' } as const
    await writer.add(entry, found.createReadStream())
    files++
  }
  return files
}

/** Leaves out names that begin with a dot: those files are being written. */
async function readNames(folder: string): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(unlessMissing)) ?? []
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
}

async function readMajorVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query('SHOW server_version_num')
  return Math.floor(Number(rows[0]?.server_version_num) / 10_000)
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(unlessMissing)) !== undefined
}

function cannotOpen(partial: string, { code }: NodeJS.ErrnoException): Error {
  if (code !== 'EEXIST') return new Error(`Cannot back up: "${partial}" cannot be made (${code})`)
  return new Error(
    `Cannot back up: "${partial}" is there; another backup writes it, or was cut off: then remove it`,
  )
}
