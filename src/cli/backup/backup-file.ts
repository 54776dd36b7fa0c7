/**
 * The file of a backup: a tar archive of a DATA_DIR, which `tar` reads, too.
 *
 * - `backup.json`, the first entry, describes the backup;
 * - `postgres.password`, `postgres/…` and `media/…` are what lies in a DATA_DIR;
 * - `SHA256SUMS`, the last entry, has a line for each file before it. A file without it was cut off.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createTarDecoder, createTarPacker, type TarHeader } from 'modern-tar'

const INFO_NAME = 'backup.json'
const SUMS_NAME = 'SHA256SUMS'
const INFO_BYTES_MAX = 4096

const DATA_DIR_NAMES = new Set(['postgres', 'postgres.password', 'media'])

const NO_ARCHIVE = 'it is cut off, damaged or no backup'

const FORMAT = 1

/** The description of a backup, in its first entry. */
export interface BackupInfo {
  postgres: number
  kopeck: string
}

export type BackupEntry = Required<Pick<TarHeader, 'name' | 'size' | 'mode' | 'mtime' | 'type'>>

/** The file is no backup that can be restored. The message is for the operator. */
export class BackupRefusedError extends Error {
  override readonly name = 'BackupRefusedError'
  readonly code = 'backup_refused'

  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`Cannot restore from "${file}": ${problem}`, options)
  }
}

export type BackupWriter = ReturnType<typeof createBackupWriter>

/** Writes a backup to an open file, which is closed in the end. */
export function createBackupWriter(handle: FileHandle, info: BackupInfo, signal: AbortSignal) {
  const { readable, controller: tar } = createTarPacker()
  const written = pipeline(readable, handle.createWriteStream({ flush: true }), { signal })
  // `add()` and `end()` pass the error on.
  written.catch(() => {})
  const sums: string[] = []
  return { begin, add, addText, end }

  async function begin(): Promise<void> {
    await addText(INFO_NAME, `${JSON.stringify({ format: FORMAT, ...info })}\n`)
  }

  async function add(entry: BackupEntry, body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) {
    const { hashed, sum } = hashing(body)
    try {
      const writer = tar.add(entry).getWriter()
      for await (const piece of hashed) await writer.write(piece)
      await writer.close()
    } catch (error) {
      tar.error(error)
      // If the disk refused the bytes, its error is the one that says so.
      await written
    }
    if (entry.type !== 'directory') sums.push(`${sum()}  ${entry.name}\n`)
  }

  async function end(): Promise<void> {
    await addText(SUMS_NAME, sums.join(''))
    tar.finalize()
    await written
  }

  async function addText(name: string, text: string | Buffer): Promise<void> {
    const bytes = Buffer.from(text)
    const entry = {
      name,
      size: bytes.length,
      mode: 0o600,
      mtime: new Date(),
      type: 'file',
    } as const
    await add(entry, [bytes])
  }
}

/** Takes an entry's bytes; those that it leaves are passed over. */
export type TakeEntry = (entry: BackupEntry, body: AsyncIterable<Uint8Array>) => Promise<void>

/**
 * Reads the description of a backup, and no further.
 *
 * @throws {BackupRefusedError}
 */
export async function readBackupInfo(file: string): Promise<BackupInfo> {
  for await (const { header, body } of readEntries(file)) {
    if (header.name !== INFO_NAME || header.size > INFO_BYTES_MAX) break
    const { format, ...info } = JSON.parse(await readText(body)) as BackupInfo & { format: number }
    if (format === FORMAT) return info
    throw new BackupRefusedError(
      file,
      `it was made by a newer Kopeck, ${info.kopeck}; restore it with that`,
    )
  }
  throw new BackupRefusedError(file, 'it is no backup of Kopeck')
}

/**
 * Reads a backup to its end, and makes sure that it is whole and as it was written.
 *
 * @param take Called with each file and folder that belongs in a DATA_DIR. What it got was checked once
 *   this resolves.
 * @throws {BackupRefusedError}
 */
export async function readBackup(file: string, take: TakeEntry = async () => {}): Promise<void> {
  const sums: string[] = []
  let sumsText: string | undefined
  for await (const { header, body } of readEntries(file)) {
    if (sumsText !== undefined) throw new BackupRefusedError(file, 'it goes on after its end')
    if (header.name === SUMS_NAME) {
      sumsText = await readText(body)
      continue
    }
    const { hashed, sum } = hashing(body)
    if (header.name !== INFO_NAME) {
      if (!belongsInDataDir(header)) throw new BackupRefusedError(file, 'it is no backup of Kopeck')
      await take(header, hashed)
    }
    for await (const _rest of hashed);
    if (header.type !== 'directory') sums.push(`${sum()}  ${header.name}\n`)
  }
  if (sumsText === undefined) throw new BackupRefusedError(file, 'it was cut off')
  if (sumsText !== sums.join('')) throw new BackupRefusedError(file, 'it is damaged')
}

function hashing(body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let digest: string | undefined
  return { hashed: pass(), sum: () => (digest ??= hash.digest('hex')) }

  async function* pass() {
    for await (const piece of body) {
      hash.update(piece)
      yield piece
    }
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString()
}

function belongsInDataDir({ name, type }: BackupEntry): boolean {
  const [first = '', ...rest] = name.replace(/\/$/, '').split('/')
  const isOutside = rest.some((part) => part === '' || part === '.' || part === '..')
  return DATA_DIR_NAMES.has(first) && !isOutside && (type === 'file' || type === 'directory')
}

function toEntry({ name, size, mode = 0o600, mtime = new Date(0), type = 'file' }: TarHeader) {
  return { name, size, mode, mtime, type } satisfies BackupEntry
}

/** Yields the entries in order. The next one comes once the body of this one was read, or left early. */
async function* readEntries(file: string) {
  const source = createReadStream(file)
  try {
    const entries = Readable.toWeb(source).pipeThrough(createTarDecoder({ strict: true }))
    for await (const { header, body } of refusing(file, entries))
      yield { header: toEntry(header), body: refusing(file, body) }
  } finally {
    source.destroy()
  }
}

async function* refusing<T>(file: string, pieces: AsyncIterable<T>): AsyncGenerator<T, void> {
  const pieceOf = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      const piece = await pieceOf.next().catch((cause: NodeJS.ErrnoException) => {
        const { code } = cause
        const problem = code?.startsWith('E') ? `it cannot be read (${code})` : NO_ARCHIVE
        throw new BackupRefusedError(file, problem, { cause })
      })
      if (piece.done) return
      yield piece.value
    }
  } finally {
    await pieceOf.return?.()
  }
}

/** Makes what was written to a file, or renamed in a folder, outlive a power cut. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
