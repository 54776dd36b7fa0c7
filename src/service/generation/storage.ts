/**
 * The results of tasks, each under a name that cannot be guessed and that never means another file.
 * Invariant: under a name there is the whole file or none, also after a kill or a power cut.
 */
import { randomBytes } from 'node:crypto'
import { access, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { expectMedia, fetchFile, fileTooLarge } from '../../platform/http/fetch-file.ts'
import { extensionsOf, type Media, recogniseMedia } from '../../platform/http/media-type.ts'
import { toOwnPairs, type UrlGuard } from '../../platform/http/url-guard.ts'
import type { GenerationResult } from '../providers/provider.ts'

export interface ResultRules {
  media: Media
  /** The provider's own address: a link may lead there although it is private. */
  providerUrl?: string | undefined
}

export type Storage = ReturnType<typeof createStorage>

/** The disk takes no results. The operator can fix it. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'
  /** The system's code, such as `ENOSPC`; `last_gigabyte` if the disk is short. */
  readonly code: string

  constructor(code: string, options: { cause?: unknown } = {}) {
    super(`Cannot store result: ${code}`, options)
    this.code = code
  }
}

/** Largest result taken. A video of 10 s is a few tens of MB. */
const RESULT_BYTES_MAX = 500 * 2 ** 20
/** PostgreSQL stops without room: the last of the disk is for it. */
const LEFT_BYTES = 2 ** 30
const ROOM_CHECK_BYTES = 16 * 2 ** 20
const NAME_RANDOM_BYTES = 20
/** Other users of the machine get results by their links alone. */
export const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** No write takes this long: its visit is cut off much sooner. */
const WRITE_MS_MAX = 3_600_000
const PARTIAL = /^\.[0-9a-f]+\.[a-z0-9]+\.part$/

/** Returns a name without its extension for a future result. It cannot be guessed. */
export function createStem(): string {
  return randomBytes(NAME_RANDOM_BYTES).toString('hex')
}

/** Checks whether `store()` could have given the name. */
export function isStoredName(name: string): boolean {
  return /^[0-9a-f]{40}\.[a-z0-9]{1,5}$/.test(name)
}

/** Returns the public URL of a stored file. */
export function toFileUrl(publicRoot: string, name: string): string {
  return `${publicRoot.replace(/\/+$/, '')}/files/${name}`
}

/** Opens the folder of results. It need not exist yet, but its parent must. */
export function createStorage({
  mediaDir,
  guard,
  readDisk = statfs,
  resultBytesMax: bytesMax = RESULT_BYTES_MAX,
}: {
  mediaDir: string
  guard: UrlGuard
  readDisk?: (dir: string) => Promise<{ bavail: number; bsize: number }>
  resultBytesMax?: number
}) {
  return { store, find, remove, removePartial, freeBytes, isShort }

  /** Returns undefined if the system does not report it. */
  async function freeBytes(): Promise<number | undefined> {
    const disk = await readDisk(mediaDir).catch(() =>
      readDisk(dirname(mediaDir)).catch(() => undefined),
    )
    return disk && disk.bavail * disk.bsize
  }

  async function isShort(): Promise<boolean> {
    return ((await freeBytes()) ?? LEFT_BYTES) < LEFT_BYTES
  }

  /** Stores one result and returns the file's name. @throws {FileRefusedError} {StorageUnavailableError} */
  async function store(
    result: GenerationResult,
    { media, providerUrl }: ResultRules,
    signal: AbortSignal,
    stem = createStem(),
  ): Promise<string> {
    signal.throwIfAborted()
    if (result.type === 'bytes') {
      if (result.bytes.byteLength > bytesMax) throw fileTooLarge(bytesMax)
      const { extension } = expectMedia(recogniseMedia(result.bytes), media)
      return await write([result.bytes], `${stem}.${extension}`)
    }
    const own = providerUrl === undefined ? [] : toOwnPairs(providerUrl)
    const allow = new Set([...guard.allow, ...own])
    const rules = { media, bytesMax, guard: { ...guard, allow }, signal }
    return await fetchFile(result.url, rules, ({ type, bytes }) =>
      write(bytes, `${stem}.${type.extension}`),
    )
  }

  async function write(
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    name: string,
  ): Promise<string> {
    await expectRoom()
    // Another write of the same result may continue in a process that was taken for dead: each has its own file.
    const partial = join(mediaDir, `.${createStem()}${extname(name)}.part`)
    const file = await orUnavailable(async () => {
      await makeFolder()
      return await open(partial, 'wx', FILE_MODE)
    })
    try {
      let uncheckedBytes = 0
      for await (const piece of pieces) {
        uncheckedBytes += piece.byteLength
        if (uncheckedBytes > ROOM_CHECK_BYTES) {
          await expectRoom()
          uncheckedBytes = 0
        }
        await orUnavailable(() => file.writeFile(piece))
      }
      await orUnavailable(async () => {
        await file.sync()
        await rename(partial, join(mediaDir, name))
        await syncFolder()
      })
      return name
    } catch (error) {
      // `removePartial()` retries it later.
      await rm(partial, { force: true }).catch(() => {})
      throw error
    } finally {
      await orUnavailable(() => file.close())
    }
  }

  async function expectRoom(): Promise<void> {
    if (await isShort()) throw new StorageUnavailableError('last_gigabyte')
  }

  async function makeFolder(): Promise<void> {
    await mkdir(mediaDir, { recursive: true, mode: FOLDER_MODE })
  }

  /** Writes the folder through: after a power cut the rename would be missing although the task says `success`. */
  async function syncFolder(): Promise<void> {
    const folder = await open(mediaDir)
    await folder.sync().finally(() => folder.close())
  }

  async function find(stem: string, media: Media): Promise<string | undefined> {
    for (const extension of extensionsOf(media)) {
      const name = `${stem}.${extension}`
      if (await has(name)) return name
    }
    return undefined
  }

  async function has(name: string): Promise<boolean> {
    return await access(join(mediaDir, name)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false
        throw toUnavailable(error)
      },
    )
  }

  /** Removes results. A missing file is no error. */
  async function remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(mediaDir, name), { force: true })
  }

  /** Removes the files of interrupted writes. */
  async function removePartial(): Promise<void> {
    await makeFolder()
    const names = (await readdir(mediaDir)).filter((name) => PARTIAL.test(name))
    for (const path of names.map((name) => join(mediaDir, name))) {
      const modified = await stat(path).catch(() => undefined)
      const isOld = modified && Date.now() - modified.mtimeMs > WRITE_MS_MAX
      if (isOld) await rm(path, { force: true })
    }
  }
}

/** Separates failures of the disk from failures of the result. */
async function orUnavailable<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    throw toUnavailable(cause)
  }
}

function toUnavailable(cause: unknown): StorageUnavailableError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException
  return new StorageUnavailableError(code, { cause })
}
