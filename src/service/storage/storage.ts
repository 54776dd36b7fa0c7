import { randomBytes } from 'node:crypto'
import {
  access,
  chmod,
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { extname, join } from 'node:path'
import { expectMedia, fetchFile, fileTooLarge } from '../../platform/http/fetch-file.ts'
import type { UrlGuard } from '../../platform/http/find-target.ts'
import { extensionsOf, type Media, recogniseMedia } from '../../platform/http/media-type.ts'
import { toOwnPairs } from '../../platform/http/outside-url.ts'
import type { GenerationResult } from '../providers/provider.ts'
import type { DiskRoom } from './disk-room.ts'

/** The rules that a result has to meet. */
export interface ResultRules {
  media: Media
  /** The provider's own address: a link may lead there although it is private. */
  providerUrl?: string | undefined
}

/** Results on disk, each under a name that cannot be guessed and that never means another file. */
export interface Storage {
  /**
   * Keeps one result for good. Under its name there is the whole file or none, also after a kill.
   *
   * @param stem The name without its ending, from `createStem()`. A repeat with it replaces the file.
   * @returns The file's name.
   * @throws {FileRefusedError} If the result is none that is kept; nothing of it is.
   * @throws {StorageUnavailableError} If the storage cannot keep anything now.
   */
  store(
    result: GenerationResult,
    rules: ResultRules,
    signal: AbortSignal,
    stem?: string,
  ): Promise<string>
  /**
   * Finds the file that was kept under a stem.
   *
   * @returns Its name; undefined if there is none.
   * @throws {StorageUnavailableError} If it cannot be found out now.
   */
  find(stem: string, media: Media): Promise<string | undefined>
  remove(names: readonly string[]): Promise<void>
  removePartial(): Promise<void>
}

/**
 * The storage does not take what it should: its disk is full or may not be written, its bucket refuses. The
 * operator can mend it, and the result is as good as before.
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'
  /** The system's word for it, such as `ENOSPC`; `last_gigabyte` if the disk is short, `bucket` if it was the bucket. */
  readonly code: string

  constructor(code: string, options: { cause?: unknown } = {}) {
    super(`Cannot store result: ${code}`, options)
    this.code = code
  }
}

/** Largest result taken. A clip of 10 s is a few tens of MB. */
const RESULT_BYTES_MAX = 500 * 2 ** 20
const NAME_RANDOM_BYTES = 20
/** Other users of the machine get results by their links alone. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** No write takes this long: its visit is cut off much sooner. */
const WRITE_MS_MAX = 3_600_000
/** A result that grows is asked so often whether there is room for more. */
const ROOM_CHECK_BYTES = 16 * 2 ** 20
const PARTIAL = /^\.[0-9a-f]+\.[a-z0-9]+\.part$/

/** Makes the name of a result that is to come, without its ending: it cannot be guessed. */
export function createStem(): string {
  return randomBytes(NAME_RANDOM_BYTES).toString('hex')
}

/** Checks whether `store()` could have given the name. */
export function isStoredName(name: string): boolean {
  return /^[0-9a-f]{40}\.[a-z0-9]{1,5}$/.test(name)
}

/** The permanent link to a stored result. */
export function toFileUrl(publicRoot: string, name: string): string {
  return `${publicRoot.replace(/\/+$/, '')}/files/${name}`
}

export interface StorageOptions {
  mediaDir: string
  guard: UrlGuard
  room: Pick<DiskRoom, 'isShort'>
  resultBytesMax?: number
}

/** Opens the storage; its folder is made when it is first needed. */
export function createStorage({
  mediaDir,
  guard,
  room,
  resultBytesMax: bytesMax = RESULT_BYTES_MAX,
}: StorageOptions): Storage {
  return { store, find, remove, removePartial }

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
    // This write's own: another of the same result may have been cut short, or go on in a process taken for dead.
    const partial = join(mediaDir, `.${createStem()}${extname(name)}.part`)
    const file = await here(async () => {
      await mkdir(mediaDir, { recursive: true, mode: FOLDER_MODE })
      await closeFolder()
      return await open(partial, 'wx', FILE_MODE)
    })
    try {
      await writeAll(file, pieces)
      await here(async () => {
        await rename(partial, join(mediaDir, name))
        await syncFolder()
      })
      return name
    } catch (error) {
      // What cannot be removed now is old one day.
      await rm(partial, { force: true }).catch(() => {})
      throw error
    }
  }

  /** Closes a folder that an older version made; with it all files in it are closed. One of another user's is theirs. */
  async function closeFolder(): Promise<void> {
    const found = await stat(mediaDir).catch(() => undefined)
    if (found === undefined || found.uid !== process.getuid?.()) return
    if ((found.mode & 0o777) !== FOLDER_MODE) await chmod(mediaDir, FOLDER_MODE)
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
        await here(() => file.writeFile(piece))
      }
      await here(() => file.sync())
    } finally {
      await here(() => file.close())
    }
  }

  async function expectRoom(): Promise<void> {
    if (await room.isShort()) throw new StorageUnavailableError('last_gigabyte')
  }

  /** Writes the folder through: a power cut might else forget the rename although the task says `success`. */
  async function syncFolder(): Promise<void> {
    const folder = await open(mediaDir)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }

  async function find(stem: string, media: Media): Promise<string | undefined> {
    for (const extension of extensionsOf(media)) {
      const name = `${stem}.${extension}`
      if (await isThere(join(mediaDir, name))) return name
    }
    return undefined
  }

  async function remove(names: readonly string[]): Promise<void> {
    await removeStoredFiles(mediaDir, names)
  }

  async function removePartial(): Promise<void> {
    await closeFolder()
    await removeOldFiles(mediaDir, (name) => PARTIAL.test(name))
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    throw new StorageUnavailableError(code, { cause })
  }
}

/** Takes a step on this disk: what fails there is the storage's doing, not the result's. */
async function here<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    throw new StorageUnavailableError((cause as NodeJS.ErrnoException).code ?? 'unknown', { cause })
  }
}

/** Removes results from a folder; one that is not there is no trouble. */
export async function removeStoredFiles(dir: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(dir, name), { force: true })
}

/**
 * Deletes those files of a folder that a write has left and that no write can be using any more.
 *
 * How old a file is, the folder itself says, by the time of a file that is written now: it may be another
 * machine's, and ours may have another time.
 */
export async function removeOldFiles(
  dir: string,
  isPartial: (name: string) => boolean,
): Promise<void> {
  await mkdir(dir, { recursive: true })
  const names = (await readdir(dir)).filter(isPartial)
  if (names.length === 0) return
  const nowMs = await readTimeOf(dir)
  for (const name of names) {
    const path = join(dir, name)
    const modified = await stat(path).catch(() => undefined)
    const isOld = modified && nowMs - modified.mtimeMs > WRITE_MS_MAX
    if (isOld) await rm(path, { force: true })
  }
}

async function readTimeOf(dir: string): Promise<number> {
  const path = join(dir, `.${createStem()}.time.part`)
  const file = await open(path, 'wx')
  try {
    return (await file.stat()).mtimeMs
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
}
