import { link, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, posix, sep } from 'node:path'
import { Readable } from 'node:stream'
import pg from 'pg'
import { readBuildInfo } from '../../platform/build-info.ts'
import { connectionOptions } from '../../platform/database/database.ts'
import {
  type BackupWriter,
  createBackupWriter,
  readArchive,
  readBackup,
  sync,
} from './backup-file.ts'
import { readBaseBackup } from './base-backup.ts'

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
 * It has what was committed until the server's files were copied, and all media that it names.
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
  try {
    const { version: kopeck } = await readBuildInfo()
    const info = { kopeck, postgres: await readMajorVersion(url) }
    const writer = createBackupWriter(handle, info, signal)
    await writer.begin()
    await writer.addText('postgres.password', await readFile(join(dataDir, 'postgres.password')))
    await addServerFiles(writer, url)
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

async function addServerFiles(writer: BackupWriter, url: string): Promise<void> {
  const manifest: Buffer[] = []
  const received = Readable.from(archiveOf(readBaseBackup(url), manifest), { objectMode: false })
  const sums = new Map<string, string>()
  for await (const { header, body } of readArchive(received)) {
    // Some names begin with `.`.
    const moved = { ...header, name: posix.join('postgres', header.name) }
    sums.set(header.name, await writer.add(moved, body))
  }
  const bytes = Buffer.concat(manifest)
  checkManifest(bytes, sums)
  await writer.addText('postgres/backup_manifest', bytes)
}

async function* archiveOf(pieces: ReturnType<typeof readBaseBackup>, manifest: Buffer[]) {
  for await (const { of, bytes } of pieces) {
    if (of === 'archive') yield bytes
    else manifest.push(bytes)
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

async function readMajorVersion(url: string): Promise<number> {
  const client = new pg.Client(connectionOptions(url, 'backup'))
  await client.connect()
  try {
    const { rows } = await client.query('SHOW server_version_num')
    return Math.floor(Number(rows[0]?.server_version_num) / 10_000)
  } finally {
    await client.end()
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(unlessMissing)) !== undefined
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function cannotOpen(partial: string, { code }: NodeJS.ErrnoException): Error {
  if (code !== 'EEXIST') return new Error(`Cannot back up: "${partial}" cannot be made (${code})`)
  return new Error(
    `Cannot back up: "${partial}" is there; another backup writes it, or was cut off: then remove it`,
  )
}

interface ManifestFile {
  Path?: string
  'Encoded-Path'?: string
  Size: number
  Checksum: string
}

/**
 * Makes sure that the files arrived as the server sent them.
 *
 * @param manifest The bytes that came after the archive.
 * @param sums SHA-256 by path below the data directory, in hex.
 * @throws If a file is missing or differs.
 * @see https://www.postgresql.org/docs/18/backup-manifest-format.html
 */
function checkManifest(manifest: Buffer, sums: ReadonlyMap<string, string>): void {
  const { Files: files } = JSON.parse(manifest.toString()) as { Files: ManifestFile[] }
  for (const { Path, 'Encoded-Path': encoded = '', Checksum } of files) {
    const path = Path ?? Buffer.from(encoded, 'hex').toString()
    if (sums.get(path) !== Checksum) {
      throw new Error(`Cannot back up: "${path}" did not arrive as the server sent it`)
    }
  }
}
