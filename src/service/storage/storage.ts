/**
 * The results of tasks, each under a name that cannot be guessed and that never means another file.
 * Invariant: under a name there is the whole file or none, also after a kill or a power cut.
 */
import { randomBytes } from 'node:crypto'
import {
  access,
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
} from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { expectMedia, fetchFile, fileTooLarge } from '../../platform/http/fetch-file.ts'
import { extensionsOf, type Media, recogniseMedia } from '../../platform/http/media-type.ts'
import type { UrlGuard } from '../../platform/http/url-guard.ts'
import { toOwnPairs } from '../../platform/http/url-guard.ts'
import type { GenerationResult } from '../providers/provider.ts'
import type { Bucket } from './bucket.ts'

export interface ResultRules {
  media: Media
  /** The provider's own address: a link may lead there although it is private. */
  providerUrl?: string | undefined
}

export type Storage = ReturnType<typeof createStorage>

/** The storage takes no results: its disk is full or its bucket refuses. The operator can fix it. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'
  /** The system's word for it, such as `ENOSPC`; `last_gigabyte` if the disk is short, `bucket` if it was the bucket. */
  readonly code: string

  constructor(code: string, options: { cause?: unknown } = {}) {
    super(`Cannot store result: ${code}`, options)
    this.code = code
  }
}

/** Largest result taken. A video of 10 s is a few tens of MB. */
const RESULT_BYTES_MAX = 500 * 2 ** 20
/** The last of a disk is left to PostgreSQL, which does not go on without room. */
const LEFT_BYTES = 2 ** 30
/** A result that grows is asked so often whether there is room for more. */
const ROOM_CHECK_BYTES = 16 * 2 ** 20
const NAME_RANDOM_BYTES = 20
/** Other users of the machine get results by their links alone. */
export const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** No write takes this long: its visit is cut off much sooner. */
const WRITE_MS_MAX = 3_600_000
const PARTIAL = /^\.[0-9a-f]+\.[a-z0-9]+\.part$/

/** Makes the name of a result that is to come, without its ending: it cannot be guessed. */
export function createStem(): string {
  return randomBytes(NAME_RANDOM_BYTES).toString('hex')
}

/** Checks whether `store()` could have given the name. */
export function isStoredName(name: string): boolean {
  return /^[0-9a-f]{40}\.[a-z0-9]{1,5}$/.test(name)
}

export function toFileUrl(publicRoot: string, name: string): string {
  return `${publicRoot.replace(/\/+$/, '')}/files/${name}`
}

export type DiskRoom = ReturnType<typeof createDiskRoom>

/** @param dir On the disk; it may not be there yet, but its parent is. */
export function createDiskRoom({
  dir,
  read = statfs,
}: {
  dir: string
  read?: (dir: string) => Promise<{ bavail: number; bsize: number }>
}) {
  return { readBytes, isShort }

  /** @returns Undefined where the system does not say. */
  async function readBytes(): Promise<number | undefined> {
    const disk = await read(dir).catch(() => read(dirname(dir)).catch(() => undefined))
    return disk && disk.bavail * disk.bsize
  }

  async function isShort(): Promise<boolean> {
    return ((await readBytes()) ?? LEFT_BYTES) < LEFT_BYTES
  }
}

export function createStorage({
  mediaDir,
  guard,
  room,
  bucket,
  resultBytesMax: bytesMax = RESULT_BYTES_MAX,
}: {
  mediaDir: string
  guard: UrlGuard
  room: Pick<DiskRoom, 'isShort'>
  bucket?: Bucket | undefined
  resultBytesMax?: number
}) {
  /** With a bucket a folder for nothing else: all in it is on its way. */
  const dir = bucket === undefined ? mediaDir : join(mediaDir, 'spool')
  return { store, find, remove, removePartial }

  /** Keeps one result and returns the file's name. @throws {FileRefusedError} {StorageUnavailableError} */
  async function store(
    result: GenerationResult,
    rules: ResultRules,
    signal: AbortSignal,
    stem = createStem(),
  ): Promise<string> {
    signal.throwIfAborted()
    const name = await storeOnDisk(result, rules, signal, stem)
    if (bucket === undefined) return name
    const path = join(dir, name)
    try {
      await orUnavailable(() => bucket.put(name, path, signal), 'bucket')
      return name
    } finally {
      await rm(path, { force: true })
    }
  }

  async function storeOnDisk(
    result: GenerationResult,
    { media, providerUrl }: ResultRules,
    signal: AbortSignal,
    stem: string,
  ): Promise<string> {
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
    // This write's own: another of the same result may have been cut short, or go on in a process taken for dead.
    const partial = join(dir, `.${createStem()}${extname(name)}.part`)
    const file = await orUnavailable(async () => {
      await mkdir(dir, { recursive: true, mode: FOLDER_MODE })
      return await open(partial, 'wx', FILE_MODE)
    })
    try {
      await writeAll(file, pieces)
      await orUnavailable(async () => {
        await rename(partial, join(dir, name))
        await syncFolder()
      })
      return name
    } catch (error) {
      // A file that cannot be removed now is removed when it is old.
      await rm(partial, { force: true }).catch(() => {})
      throw error
    }
  }

  async function writeAll(
    file: FileHandle,
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    let uncheckedBytes = 0
    try {
      for await (const piece of pieces) {
        uncheckedBytes += piece.byteLength
        if (uncheckedBytes > ROOM_CHECK_BYTES) {
          await expectRoom()
          uncheckedBytes = 0
        }
        await orUnavailable(() => file.writeFile(piece))
      }
      await orUnavailable(() => file.sync())
    } finally {
      await orUnavailable(() => file.close())
    }
  }

  async function expectRoom(): Promise<void> {
    if (await room.isShort()) throw new StorageUnavailableError('last_gigabyte')
  }

  /** Writes the folder through: a power cut might else forget the rename although the task says `success`. */
  async function syncFolder(): Promise<void> {
    const folder = await open(dir)
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
    if (bucket !== undefined) return await orUnavailable(() => bucket.has(name), 'bucket')
    const path = join(dir, name)
    return await access(path).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false
        throw toUnavailable(error)
      },
    )
  }

  /** Removes results, from the disk also after a move to a bucket. A result that is not there is no trouble. */
  async function remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await rm(join(mediaDir, name), { force: true })
      await bucket?.remove(name)
    }
  }

  /** Deletes the files that a write has left and that no write can be using any more. */
  async function removePartial(): Promise<void> {
    await mkdir(dir, { recursive: true, mode: FOLDER_MODE })
    const names = (await readdir(dir)).filter(
      (name) => PARTIAL.test(name) || (bucket !== undefined && isStoredName(name)),
    )
    for (const path of names.map((name) => join(dir, name))) {
      const modified = await stat(path).catch(() => undefined)
      const isOld = modified && Date.now() - modified.mtimeMs > WRITE_MS_MAX
      if (isOld) await rm(path, { force: true })
    }
  }
}

/** Takes a step of the storage: a failure there is the storage's doing, not the result's. */
async function orUnavailable<T>(step: () => Promise<T>, code?: string): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    throw toUnavailable(cause, code)
  }
}

function toUnavailable(cause: unknown, code = (cause as NodeJS.ErrnoException).code ?? 'unknown') {
  return new StorageUnavailableError(code, { cause })
}
