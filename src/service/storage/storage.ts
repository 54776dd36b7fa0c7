import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { interceptors, request } from 'undici'
import { createFileAgent } from '../../http/file-agent.ts'
import type { GenerationResult } from '../providers/provider.ts'

/** Results on disk, each under a name that cannot be guessed and that never means another file. */
export interface Storage {
  /**
   * Keeps one result for good. Under its name there is the whole file or none, also after a kill.
   *
   * @param extension What the file is when neither the provider nor its server says.
   * @returns The file's name.
   * @throws {ResultTooLargeError} If the result is larger than the storage takes.
   */
  store(result: GenerationResult, extension: string, signal: AbortSignal): Promise<string>
  /** Takes back files that no task came to name. */
  remove(names: readonly string[]): Promise<void>
  /** Deletes the files of writes that were cut short. */
  removePartial(now: Date): Promise<void>
  /** Closes the connections that results are copied over. */
  close(): Promise<void>
}

/** A result that the storage does not take. */
export class ResultTooLargeError extends Error {
  override readonly name = 'ResultTooLargeError'
}

/** Largest result taken. A clip of 10 s is a few tens of MB. */
const RESULT_BYTES_MAX = 500 * 2 ** 20
const NAME_RANDOM_BYTES = 20
const REDIRECTS_MAX = 5
/** No write takes this long: its visit is cut off much sooner. */
const WRITE_MS_MAX = 3_600_000
const PARTIAL = /^\.[0-9a-f]+\.[a-z0-9]+\.part$/

/** What may be stored. Nothing a browser would run, for it is served from our own origin. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
  ['video/quicktime', 'mov'],
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/webp', 'webp'],
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
])

/** Whether `store()` could have given the name. */
export function isStoredName(name: string): boolean {
  return /^[0-9a-f]{40}\.[a-z0-9]{1,5}$/.test(name)
}

/** What a stored file is, by its name. */
export function toContentType(name: string): string {
  const extension = name.slice(name.indexOf('.') + 1)
  for (const [type, known] of EXTENSIONS) if (known === extension) return type
  return 'application/octet-stream'
}

/** The permanent link to a stored result. */
export function toFileUrl(publicRoot: string, name: string): string {
  return `${publicRoot.replace(/\/+$/, '')}/files/${name}`
}

/** Opens the storage; its folder is made when it is first needed. */
export function createStorage({
  mediaDir,
  resultBytesMax = RESULT_BYTES_MAX,
}: {
  mediaDir: string
  resultBytesMax?: number
}): Storage {
  const agent = createFileAgent()
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: REDIRECTS_MAX }))
  return { store, remove, removePartial, close: () => agent.destroy() }

  async function store(
    result: GenerationResult,
    extension: string,
    signal: AbortSignal,
  ): Promise<string> {
    if (result.type === 'url') return await copy(result.url, extension, signal)
    signal.throwIfAborted()
    const known = EXTENSIONS.get(result.contentType) ?? extension
    return await write([result.bytes], known)
  }

  async function copy(url: string, extension: string, signal: AbortSignal): Promise<string> {
    const { statusCode, headers, body } = await request(url, { dispatcher, signal })
    if (statusCode !== 200) {
      await body.dump()
      throw new Error(`Cannot copy result: its server answered ${statusCode}`)
    }
    // An iterator left early destroys the body, and with it the connection.
    return await write(body, toExtension(headers['content-type']) ?? extension)
  }

  async function write(
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    extension: string,
  ): Promise<string> {
    const name = `${randomBytes(NAME_RANDOM_BYTES).toString('hex')}.${extension}`
    const partial = join(mediaDir, `.${name}.part`)
    await mkdir(mediaDir, { recursive: true })
    const file = await open(partial, 'wx')
    try {
      try {
        let size = 0
        for await (const chunk of chunks) {
          size += chunk.byteLength
          if (size > resultBytesMax) {
            throw new ResultTooLargeError(`Cannot store result: over ${resultBytesMax} bytes`)
          }
          await file.writeFile(chunk)
        }
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(partial, join(mediaDir, name))
      await syncFolder()
      return name
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
  }

  /** Without it a power cut may forget the rename although the task already says `success`. */
  async function syncFolder(): Promise<void> {
    const folder = await open(mediaDir)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }

  async function remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(mediaDir, name), { force: true })
  }

  async function removePartial(now: Date): Promise<void> {
    await mkdir(mediaDir, { recursive: true })
    await removeOldFiles(mediaDir, { isPartial: (name) => PARTIAL.test(name), now })
  }
}

/** Deletes those files of a folder that a write has left and that no write can still be using. */
export async function removeOldFiles(
  dir: string,
  { isPartial, now }: { isPartial: (name: string) => boolean; now: Date },
): Promise<void> {
  for (const name of (await readdir(dir)).filter(isPartial)) {
    const path = join(dir, name)
    const modified = await stat(path).catch(() => undefined)
    const isOld = modified && now.getTime() - modified.mtimeMs > WRITE_MS_MAX
    if (isOld) await rm(path, { force: true })
  }
}

function toExtension(contentType: string | string[] | undefined): string | undefined {
  const [type = ''] = String(contentType).split(';')
  return EXTENSIONS.get(type.trim().toLowerCase())
}
