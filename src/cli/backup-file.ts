/**
 * The file of a backup: a tar archive of a DATA_DIR, which `tar` reads, too.
 *
 * - `backup.json`, the first entry, describes the backup;
 * - `postgres.password`, `postgres/…` and `media/…` are the files of a DATA_DIR;
 * - `SHA256SUMS`, the last entry, has a line for each file before it. A file without it was cut off.
 */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createTarDecoder, createTarPacker, type TarHeader } from 'modern-tar'

const INFO_NAME = 'backup.json'
const SUMS_NAME = 'SHA256SUMS'
const INFO_BYTES_MAX = 4096
const DATA_DIR_NAMES = new Set(['postgres', 'postgres.password', 'media'])
const FORMAT = 1
const NO_BACKUP = 'it is no backup of Kopeck'

export interface BackupInfo {
  /** The major version of PostgreSQL. */
  postgres: number
  kopeck: string
}

type Body = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Writes a backup to an open file, which {@link end} closes. */
export class BackupWriter {
  readonly #tar
  readonly #written: Promise<void>
  readonly #sums: string[] = []

  constructor(handle: FileHandle, signal: AbortSignal) {
    const { readable, controller } = createTarPacker()
    this.#tar = controller
    this.#written = pipeline(readable, handle.createWriteStream({ flush: true }), { signal })
    // `#add()` and `end()` pass the error on.
    this.#written.catch(() => {})
  }

  /** Has to be called first. */
  async addInfo(info: BackupInfo): Promise<void> {
    await this.addText(INFO_NAME, `${JSON.stringify({ format: FORMAT, ...info })}\n`)
  }

  async addText(name: string, text: string | Buffer): Promise<void> {
    const bytes = Buffer.from(text)
    await this.addFile(name, { size: bytes.length, mtime: new Date() }, [bytes])
  }

  async addFolder(name: string): Promise<void> {
    await this.#add({ name, size: 0, mode: 0o700, mtime: new Date(), type: 'directory' }, [])
  }

  async addFile(name: string, { size, mtime }: { size: number; mtime: Date }, body: Body) {
    const sum = await this.#add({ name, size, mtime, mode: 0o600, type: 'file' }, body)
    this.#sums.push(`${sum}  ${name}\n`)
  }

  async end(): Promise<void> {
    await this.addText(SUMS_NAME, this.#sums.join(''))
    this.#tar.finalize()
    await this.#written
  }

  async #add(entry: TarHeader, body: Body): Promise<string> {
    const hash = createHash('sha256')
    try {
      const writer = this.#tar.add(entry).getWriter()
      for await (const piece of hashing(body, hash)) await writer.write(piece)
      await writer.close()
    } catch (error) {
      this.#tar.error(error)
      // An error of the disk is the cause of this error.
      await this.#written
    }
    return hash.digest('hex')
  }
}

/** Takes the bytes of an entry; the rest is skipped. */
type TakeEntry = (entry: TarHeader, body: AsyncIterable<Uint8Array>) => Promise<void>

/** Reads a backup to its end and verifies it. Bytes that `take` got are verified once this resolves. */
export async function readBackup(
  file: string,
  take: TakeEntry = async () => {},
): Promise<BackupInfo> {
  const sums: string[] = []
  let info: BackupInfo | undefined
  let sumsText: string | undefined
  const source = createReadStream(file)
  try {
    const entries = Readable.toWeb(source).pipeThrough(createTarDecoder({ strict: true }))
    for await (const { header, body } of entries) {
      const { name } = header
      const hash = createHash('sha256')
      const hashed = hashing(body, hash)
      if (sumsText !== undefined) throw new BackupRefusal(file, 'it goes on after its end')
      if (name === SUMS_NAME) sumsText = await readText(hashed)
      else if (info === undefined) info = await readInfo(file, header, hashed)
      else if (belongsInDataDir(header)) await take(header, hashed)
      else throw new BackupRefusal(file, NO_BACKUP)
      for await (const _rest of hashed);
      if (name !== SUMS_NAME && header.type !== 'directory') {
        sums.push(`${hash.digest('hex')}  ${name}\n`)
      }
    }
  } catch (error) {
    throw toRefusal(file, error as NodeJS.ErrnoException)
  } finally {
    source.destroy()
  }
  if (info === undefined) throw new BackupRefusal(file, NO_BACKUP)
  if (sumsText === undefined) throw new BackupRefusal(file, 'it was cut off')
  if (sumsText !== sums.join('')) throw new BackupRefusal(file, 'it is damaged')
  return info
}

export class BackupRefusal extends Error {
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`Cannot restore from "${file}": ${problem}`, options)
  }
}

/** Explains errors of the archive and of reading. Other errors, such as of writing, stay. */
function toRefusal(file: string, error: NodeJS.ErrnoException): Error {
  const { code, syscall, path } = error
  if (error instanceof BackupRefusal) return error
  if (syscall === undefined) {
    return new BackupRefusal(file, 'it is cut off, damaged or no backup', { cause: error })
  }
  const isOfFile = syscall === 'read' || path === file
  return isOfFile ? new BackupRefusal(file, `it cannot be read (${code})`, { cause: error }) : error
}

async function readInfo(file: string, { name, size }: TarHeader, body: AsyncIterable<Uint8Array>) {
  if (name !== INFO_NAME || size > INFO_BYTES_MAX) throw new BackupRefusal(file, NO_BACKUP)
  const { format, ...info } = JSON.parse(await readText(body)) as BackupInfo & { format: number }
  if (format === FORMAT) return info
  const problem = `it was made by a newer Kopeck, ${info.kopeck}; restore it with that`
  throw new BackupRefusal(file, problem)
}

async function* hashing(body: Body, hash: Hash) {
  for await (const piece of body) {
    hash.update(piece)
    yield piece
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString()
}

function belongsInDataDir({ name, type = 'file' }: TarHeader): boolean {
  const [first = '', ...rest] = name.replace(/\/$/, '').split('/')
  const isOutside = rest.some((part) => part === '' || part === '.' || part === '..')
  return DATA_DIR_NAMES.has(first) && !isOutside && (type === 'file' || type === 'directory')
}

/** Makes written files and renames in a folder survive a power cut. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
