import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { type ImageSize, readImageSize } from '../../platform/http/media-type.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { badRequest } from '../wire/envelope.ts'
import type { Upload } from '../wire/params.ts'

/** The most that clients of Telegram may send. */
const SENT_BYTES_MAX = 2_000 * 1024 * 1024
/** The bound without a folder: the file is held in memory. */
const SENT_TO_MEMORY_BYTES_MAX = 64 * 1024 * 1024

const MEMORY_BYTES_MAX = 512 * 1024 * 1024
const FOLDER_BYTES_MAX = 20 * 1024 * 1024 * 1024
const FILE_IDS_MAX = 50_000
const HEAD_BYTES = 256 * 1024
const PATH_VALID_MS = 3_600_000
const DOWNLOAD_BYTES_MAX = 20 * 1024 * 1024

export const FILE_KINDS = ['photo', 'video', 'document', 'audio', 'voice', 'sticker'] as const

export type FileKind = (typeof FILE_KINDS)[number]

/** Bytes that Telegram keeps; any number of file ids lead to it. */
export interface StoredFile {
  uniqueId: string
  kind: FileKind
  fileName: string
  mime: string
  size: number
  /** The bytes in memory. A file that was dropped, since the playground held too much, has neither these nor a path. */
  bytes: Buffer | undefined
  /** The file in the playground's folder, if it has one. */
  path?: string | undefined
  /** The size of a picture. */
  picture?: ImageSize | undefined
}

/** Holds the bytes of files instead of memory. Paths are absolute. */
export interface FileFolder {
  /** The folder inside for files on their way. */
  readonly incoming: string
  pathOf(uniqueId: string): string
  write(uniqueId: string, bytes: Buffer): string
  /** Moves a file from `incoming`. */
  takeOver(uniqueId: string, path: string): string
  remove(path: string): void
}

interface FileStoreDeps {
  clock: Clock
  folder?: FileFolder | undefined
  /** The files of an earlier run, oldest first. */
  kept?:
    | { files: readonly StoredFile[]; fileIds: Iterable<readonly [string, StoredFile]> }
    | undefined
}

/** A file that is whole in `incoming`. */
interface IncomingFile {
  path: string
  size: number
  kind: FileKind
  fileName: string
  mime: string
}

/** The facts that its sender gives about a file. */
export interface MediaFacts {
  width: number
  height: number
  duration: number
  supportsStreaming: boolean
  /** The title of an audio, the emoji of a sticker. */
  extra: { title?: string; emoji?: string }
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
  document: 'documents',
  audio: 'music',
  voice: 'voice',
  sticker: 'stickers',
}

/** Keeps the bytes of every file sent, in memory or in a folder, oldest dropped first. */
export function createFileStore({ clock, folder, kept }: FileStoreDeps) {
  const files = new Map((kept?.files ?? []).map((file) => [file.uniqueId, file]))
  const byId = new Map(kept?.fileIds)
  const paths = new Map<string, { file: StoredFile; validUntil: number }>()
  /** Files whose bytes are there, oldest first. */
  const present = new Set([...files.values()].filter(isPresent))
  let presentBytes = [...present].reduce((sum, file) => sum + bytesOf(file), 0)
  return {
    add,
    takeOver,
    drop,
    show,
    byFileId,
    byUniqueId: (uniqueId: string) => files.get(uniqueId),
    fileIds: () => [...byId],
    openPath,
    readPath,
    /** The folder for a file that shall not pass through memory; undefined without one. */
    incomingFolder: folder?.incoming,
  }

  /** @param sizeBytes The size that is shown, where it is more than is kept. */
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
      mime: mimeOf(file),
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
    const own = { uniqueId, mime: mimeOf(file), bytes: undefined, picture }
    return keep({ ...file, ...own, path: folder.takeOver(uniqueId, path) })
  }

  function keep(file: StoredFile): StoredFile {
    files.set(file.uniqueId, file)
    present.add(file)
    presentBytes += bytesOf(file)
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
  }

  /** Shows a file once more, under a file id of its own. The size of a picture is read from it. */
  function show(kind: FileKind, file: StoredFile, facts: Partial<MediaFacts>): MediaFile {
    const fileId = `BAACAg${randomBytes(33).toString('base64url')}`
    byId.set(fileId, file)
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

/** The bytes it takes up: one in memory may show a larger size than it has. */
function bytesOf({ bytes, size }: StoredFile): number {
  return bytes?.length ?? size
}

/** Reads enough to find the size of any picture. */
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

/** The type of a file: as its sender says, or by its name. */
function mimeOf({ mime, fileName }: { mime: string; fileName: string }): string {
  const extension = fileName.split('.').at(-1)?.toLowerCase() ?? ''
  const isGiven = mime !== '' && mime !== 'application/octet-stream'
  return isGiven ? mime : (MIMES[extension] ?? 'application/octet-stream')
}

/** How many bytes a person may send in one file. */
export function fileBytesMax({ incomingFolder }: Pick<FileStore, 'incomingFolder'>): number {
  return incomingFolder === undefined ? SENT_TO_MEMORY_BYTES_MAX : SENT_BYTES_MAX
}
