import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { type ImageSize, readImageSize } from '../../platform/http/image-size.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { badRequest } from '../wire/envelope.ts'
import type { Upload } from '../wire/params.ts'
import { tellMime } from './mime.ts'

const MEMORY_BYTES_MAX = 512 * 1024 * 1024
const FOLDER_BYTES_MAX = 20 * 1024 * 1024 * 1024
const FILE_IDS_MAX = 50_000
const HEAD_BYTES = 256 * 1024
const PATH_VALID_MS = 3_600_000
const DOWNLOAD_BYTES_MAX = 20 * 1024 * 1024

export const FILE_KINDS = [
  'photo',
  'video',
  'animation',
  'video_note',
  'document',
  'audio',
  'voice',
  'sticker',
] as const

export type FileKind = (typeof FILE_KINDS)[number]

/** Bytes that Telegram keeps; any number of file ids lead to it. */
export interface StoredFile {
  uniqueId: string
  kind: FileKind
  fileName: string
  mime: string
  size: number
  /** In memory. Neither here nor in a folder are those that were dropped when the playground held too much. */
  bytes: Buffer | undefined
  /** In a folder, where the playground has one. */
  path?: string | undefined
  /** The size of a picture. */
  picture?: ImageSize | undefined
}

/** Holds the bytes of files in the place of memory. Paths are absolute. */
export interface FileFolder {
  /** A folder beside it, for files that are still on their way. */
  readonly incoming: string
  pathOf(uniqueId: string): string
  write(uniqueId: string, bytes: Buffer): string
  /** Moves a file from `incoming`. */
  takeOver(uniqueId: string, path: string): string
  remove(path: string): void
}

/** What outlives the process of all that is known of files. */
export interface FileNotes {
  /** New, or dropped. */
  noteFile(file: StoredFile): void
  noteFileId(fileId: string, file: StoredFile): void
}

export interface FileStoreDeps {
  clock: Clock
  folder?: FileFolder | undefined
  notes?: FileNotes | undefined
  /** From before, oldest first. */
  kept?:
    | { files: readonly StoredFile[]; fileIds: Iterable<readonly [string, StoredFile]> }
    | undefined
}

/** A file that is whole in `incoming`. */
export interface IncomingFile {
  path: string
  size: number
  kind: FileKind
  fileName: string
  mime: string
}

/** What its sender says of a file. */
export interface MediaFacts {
  width: number
  height: number
  duration: number
  supportsStreaming: boolean
  /** What an audio or a sticker says of itself. */
  extra: { title?: string; performer?: string; emoji?: string }
}

/** A file as one message shows it. */
export interface MediaFile extends MediaFacts {
  kind: FileKind
  file: StoredFile
  fileId: string
}

const FOLDERS: Readonly<Record<FileKind, string>> = {
  photo: 'photos',
  video: 'videos',
  animation: 'animations',
  video_note: 'video_notes',
  document: 'documents',
  audio: 'music',
  voice: 'voice',
  sticker: 'stickers',
}

/** Keeps the bytes of every file sent, in memory or in a folder, oldest dropped first. */
export function createFileStore({ clock, folder, notes, kept }: FileStoreDeps) {
  const files = new Map((kept?.files ?? []).map((file) => [file.uniqueId, file]))
  const byId = new Map(kept?.fileIds)
  const paths = new Map<string, { file: StoredFile; validUntil: number }>()
  /** Those whose bytes are there, oldest first. */
  const present = new Set([...files.values()].filter(isPresent))
  let presentBytes = [...present].reduce((sum, file) => sum + bytesOf(file), 0)
  return {
    add,
    takeOver,
    drop,
    show,
    byFileId,
    byUniqueId: (uniqueId: string) => files.get(uniqueId),
    openPath,
    readPath,
    /** Where a file is written that shall not pass through memory; undefined without a folder. */
    incomingFolder: folder?.incoming,
  }

  /** @param sizeBytes What is told of it, where that is more than is kept. */
  function add({
    sizeBytes,
    ...file
  }: Upload & { kind: FileKind; sizeBytes?: number | undefined }): StoredFile {
    const { bytes } = file
    if (bytes.length === 0) throw badRequest('file must be non-empty')
    const uniqueId = makeUniqueId()
    return keep({
      ...file,
      uniqueId,
      mime: tellMime(file),
      size: sizeBytes ?? bytes.length,
      ...(folder ? { bytes: undefined, path: folder.write(uniqueId, bytes) } : { bytes }),
      picture: readImageSize(bytes),
    })
  }

  /** Makes a file that was written to the incoming folder one of the playground's. */
  function takeOver({ path, ...file }: IncomingFile): StoredFile {
    if (folder === undefined) throw new TypeError('Cannot take a file over: there is no folder')
    if (file.size === 0) throw badRequest('file must be non-empty')
    const uniqueId = makeUniqueId()
    const picture = readImageSize(readHead(path))
    const own = { uniqueId, mime: tellMime(file), bytes: undefined, picture }
    return keep({ ...file, ...own, path: folder.takeOver(uniqueId, path) })
  }

  function keep(file: StoredFile): StoredFile {
    files.set(file.uniqueId, file)
    present.add(file)
    presentBytes += bytesOf(file)
    notes?.noteFile(file)
    for (const oldest of present) {
      if (presentBytes <= (folder ? FOLDER_BYTES_MAX : MEMORY_BYTES_MAX)) break
      if (oldest !== file) drop(oldest)
    }
    return file
  }

  /** Lets go of its bytes. Messages that have it show it all the same. */
  function drop(file: StoredFile): void {
    present.delete(file)
    files.delete(file.uniqueId)
    presentBytes -= bytesOf(file)
    if (file.path !== undefined) folder?.remove(file.path)
    file.bytes = undefined
    file.path = undefined
    notes?.noteFile(file)
  }

  /** Shows a file once more, under a file id of its own. A picture tells its size by itself. */
  function show(kind: FileKind, file: StoredFile, facts: Partial<MediaFacts>): MediaFile {
    const fileId = `BAACAg${randomBytes(33).toString('base64url')}`
    byId.set(fileId, file)
    notes?.noteFileId(fileId, file)
    if (byId.size > FILE_IDS_MAX) {
      const [oldest] = byId.keys()
      if (oldest !== undefined) byId.delete(oldest)
    }
    return {
      width: 0,
      height: 0,
      duration: 0,
      supportsStreaming: false,
      extra: {},
      ...file.picture,
      ...facts,
      kind,
      file,
      fileId,
    }
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

  /** Opens a download path for an hour. */
  function openPath(fileId: string): { file: StoredFile; path: string } {
    if (fileId === '') throw badRequest('file_id not specified')
    const file = byId.get(fileId)
    if (file === undefined) throw badRequest('invalid file_id')
    if (file.size > DOWNLOAD_BYTES_MAX) throw badRequest('file is too big')
    const extension = /\.[A-Za-z0-9]{1,8}$/.exec(file.fileName)?.[0] ?? ''
    const path = `${FOLDERS[file.kind]}/file_${file.uniqueId}${extension}`
    paths.set(path, { file, validUntil: clock.now() + PATH_VALID_MS })
    return { file, path }
  }

  function readPath(path: string): StoredFile | undefined {
    const open = paths.get(path)
    return open !== undefined && clock.now() < open.validUntil ? open.file : undefined
  }
}

export type FileStore = ReturnType<typeof createFileStore>

function makeUniqueId(): string {
  return `AQAD${randomBytes(9).toString('base64url')}`
}

function isPresent({ bytes, path }: StoredFile): boolean {
  return bytes !== undefined || path !== undefined
}

/** What it takes up: one in memory may tell of a size that it only stands for. */
function bytesOf({ bytes, size }: StoredFile): number {
  return bytes?.length ?? size
}

/** As much as tells the size of any picture. */
function readHead(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(file)
  }
}
