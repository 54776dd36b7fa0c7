import { randomBytes } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ByteRange } from '../../platform/http/byte-range.ts'
import { readImageSize } from '../../platform/http/media-type.ts'
import type { FileKind, MediaFacts, MediaFile, StoredFile } from '../state.ts'
import { badRequest } from '../wire/envelope.ts'
import type { Upload } from '../wire/params.ts'

const MIB = 1024 * 1024
/** The most that clients of Telegram may send. */
const SENT_BYTES_MAX = 2_000 * MIB
const FOLDER_BYTES_MAX = 20 * 1024 * MIB
/** The same bounds without a folder: the files are held in memory. */
const SENT_TO_MEMORY_BYTES_MAX = 64 * MIB
const MEMORY_BYTES_MAX = 512 * MIB

const FILE_IDS_MAX = 50_000
const HEAD_BYTES = 256 * 1024
const DOWNLOAD_BYTES_MAX = 20 * MIB
const PRIVATE_FILE = { mode: 0o600 }

interface FileStoreDeps {
  byId: Map<string, StoredFile>
  /** Holds the bytes instead of memory, each file under its unique id. */
  folder?: string | undefined
}

type FileFacts = Pick<StoredFile, 'kind' | 'fileName' | 'mime'>

/** The bytes of a file; a test may have given it a larger size. */
export interface StoredBytes {
  size: number
  head(): Buffer
  read(range?: ByteRange): Readable
}

const FOLDERS: Readonly<Record<FileKind, string>> = {
  photo: 'photos',
  video: 'videos',
  document: 'documents',
  audio: 'music',
  voice: 'voice',
  sticker: 'stickers',
}

export function createFileStore({ byId, folder }: FileStoreDeps) {
  const memory = new Map<string, Buffer>()
  const paths = new Map<string, StoredFile>()
  const sizes = folder === undefined ? new Map<string, number>() : openFolder(folder, byId)
  let totalBytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const sentBytesMax = folder === undefined ? SENT_TO_MEMORY_BYTES_MAX : SENT_BYTES_MAX
  return {
    sentBytesMax,
    add,
    receive,
    drop,
    show,
    byFileId,
    openPath,
    readPath,
    open,
    bytesOf: ({ uniqueId }: StoredFile) => memory.get(uniqueId),
  }

  /** @param sizeBytes The size that is shown, where it is more than is kept. */
  function add({
    bytes,
    sizeBytes,
    ...facts
  }: Upload & FileFacts & { sizeBytes?: number | undefined }): StoredFile {
    const uniqueId = makeUniqueId()
    if (folder === undefined) memory.set(uniqueId, bytes)
    else writeFileSync(join(folder, uniqueId), bytes, PRIVATE_FILE)
    return keep({ ...facts, uniqueId, size: sizeBytes ?? bytes.length }, bytes)
  }

  /** Stores a file as it arrives. Nothing is kept if it breaks off. */
  async function receive(facts: FileFacts, body: AsyncIterable<Buffer>): Promise<StoredFile> {
    if (folder === undefined) {
      return add({ ...facts, bytes: Buffer.concat(await Array.fromAsync(body)) })
    }
    const uniqueId = makeUniqueId()
    const path = join(folder, uniqueId)
    const target = createWriteStream(path, PRIVATE_FILE)
    try {
      await pipeline(body, target)
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    }
    return keep({ ...facts, uniqueId, size: target.bytesWritten }, readHead(path))
  }

  function keep(file: StoredFile, head: Buffer): StoredFile {
    const bytes = memory.get(file.uniqueId)?.length ?? file.size
    sizes.set(file.uniqueId, bytes)
    totalBytes += bytes
    if (head.length === 0) {
      drop(file)
      throw badRequest('file must be non-empty')
    }
    for (const uniqueId of sizes.keys()) {
      if (totalBytes <= (folder ? FOLDER_BYTES_MAX : MEMORY_BYTES_MAX)) break
      if (uniqueId !== file.uniqueId) drop({ uniqueId })
    }
    return { ...file, mime: mimeOf(file), picture: readImageSize(head) }
  }

  /** Removes the bytes of a file. Messages that have the file show it without them. */
  function drop({ uniqueId }: Pick<StoredFile, 'uniqueId'>): void {
    totalBytes -= sizes.get(uniqueId) ?? 0
    sizes.delete(uniqueId)
    memory.delete(uniqueId)
    if (folder !== undefined) rmSync(join(folder, uniqueId), { force: true })
  }

  function show(kind: FileKind, file: StoredFile, facts: Partial<MediaFacts>): MediaFile {
    const fileId = `BAACAg${randomBytes(33).toString('base64url')}`
    byId.set(fileId, file)
    if (byId.size > FILE_IDS_MAX) {
      const [oldest] = byId.keys()
      if (oldest !== undefined) byId.delete(oldest)
    }
    const unknown = { width: 0, height: 0, duration: 0, supportsStreaming: false, extra: {} }
    return { ...unknown, ...file.picture, ...facts, kind, file, fileId }
  }

  /** @throws {ApiError} For anything but an id made here. */
  function byFileId(fileId: string): StoredFile {
    if (!/^[A-Za-z0-9_-]+$/.test(fileId) || fileId.length % 4 === 1) {
      throw badRequest('wrong remote file identifier specified: Wrong padding in the string')
    }
    const file = byId.get(fileId)
    if (file === undefined) throw badRequest('wrong file identifier/HTTP URL specified')
    return file
  }

  function openPath(fileId: string): { file: StoredFile; path: string } {
    if (fileId === '') throw badRequest('file_id not specified')
    const file = byId.get(fileId)
    if (file === undefined) throw badRequest('invalid file_id')
    if (file.size > DOWNLOAD_BYTES_MAX) throw badRequest('file is too big')
    const extension = /\.[A-Za-z0-9]{1,8}$/.exec(file.fileName)?.[0] ?? ''
    const path = `${FOLDERS[file.kind]}/file_${file.uniqueId}${extension}`
    paths.set(path, file)
    return { file, path }
  }

  function readPath(path: string): StoredBytes | undefined {
    const file = paths.get(path)
    return file && open(file)
  }

  /** Returns undefined if the bytes are gone. */
  function open({ uniqueId }: StoredFile): StoredBytes | undefined {
    const bytes = memory.get(uniqueId)
    if (bytes !== undefined) {
      const part = (range?: ByteRange) => bytes.subarray(range?.start, range && range.end + 1)
      return {
        size: bytes.length,
        head: () => bytes,
        read: (range) => Readable.from([part(range)]),
      }
    }
    const path = join(folder ?? '', uniqueId)
    if (folder === undefined || !existsSync(path)) return undefined
    const { size } = statSync(path)
    return { size, head: () => readHead(path), read: (range) => createReadStream(path, range) }
  }
}

export type FileStore = ReturnType<typeof createFileStore>

/** Returns the sizes of the files in the folder, oldest first. Removes unknown files, which a crash has left. */
function openFolder(folder: string, byId: ReadonlyMap<string, StoredFile>): Map<string, number> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const known = new Set(Array.from(byId.values(), ({ uniqueId }) => uniqueId))
  const present = new Set(readdirSync(folder))
  for (const name of present) {
    if (!known.has(name)) rmSync(join(folder, name), { recursive: true, force: true })
  }
  const kept = [...known].filter((uniqueId) => present.has(uniqueId))
  return new Map(kept.map((uniqueId) => [uniqueId, statSync(join(folder, uniqueId)).size]))
}

function makeUniqueId(): string {
  return `AQAD${randomBytes(9).toString('base64url')}`
}

function readHead(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(file)
  }
}

/** Clients of the Bot API rarely name a type, so Telegram derives it from the name. */
const MIMES: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  wav: 'audio/x-wav',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  tgs: 'application/x-tgsticker',
  webm: 'video/webm',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  pdf: 'application/pdf',
  zip: 'application/zip',
  json: 'application/json',
  csv: 'text/csv',
  txt: 'text/plain',
}

function mimeOf({ mime, fileName }: { mime: string; fileName: string }): string {
  const extension = fileName.split('.').at(-1)?.toLowerCase() ?? ''
  const isGiven = mime !== '' && mime !== 'application/octet-stream'
  return isGiven ? mime : (MIMES[extension] ?? 'application/octet-stream')
}
