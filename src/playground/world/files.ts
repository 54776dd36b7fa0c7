import { randomBytes } from 'node:crypto'
import { readImageSize } from '../../http/image-size.ts'
import type { Clock } from '../../time/clock.ts'
import { badRequest } from '../wire/envelope.ts'
import type { Upload } from '../wire/params.ts'

const STORED_BYTES_MAX = 512 * 1024 * 1024
const FILE_IDS_MAX = 50_000
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
  /** Dropped when the playground holds too much. */
  bytes: Buffer | undefined
}

/** What its sender says of a file. */
interface MediaFacts {
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

/** Clients of the Bot API rarely name a type, so Telegram tells it from the name. */
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
  pdf: 'application/pdf',
  zip: 'application/zip',
  json: 'application/json',
  csv: 'text/csv',
  txt: 'text/plain',
}

/** Keeps the bytes of every file sent, oldest dropped first. */
export function createFileStore({ clock }: { clock: Clock }) {
  const files: StoredFile[] = []
  const byId = new Map<string, StoredFile>()
  const paths = new Map<string, { file: StoredFile; validUntil: number }>()
  let storedBytes = 0
  return { add, show, byFileId, openPath, readPath }

  /** @param sizeBytes What is told of it, where that is more than is kept. */
  function add({
    sizeBytes,
    ...file
  }: Upload & { kind: FileKind; sizeBytes?: number | undefined }): StoredFile {
    if (file.bytes.length === 0) throw badRequest('file must be non-empty')
    const stored: StoredFile = {
      ...file,
      mime: tellMime(file),
      uniqueId: `AQAD${randomBytes(9).toString('base64url')}`,
      size: sizeBytes ?? file.bytes.length,
    }
    files.push(stored)
    storedBytes += file.bytes.length
    while (storedBytes > STORED_BYTES_MAX && files.length > 1) {
      const oldest = files.shift()
      storedBytes -= oldest?.bytes?.length ?? 0
      if (oldest) oldest.bytes = undefined
    }
    return stored
  }

  /** Shows a file once more, under a file id of its own. A picture tells its size by itself. */
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
      ...(file.bytes && readImageSize(file.bytes)),
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

function tellMime({ mime, fileName }: { mime: string; fileName: string }): string {
  const extension = fileName.split('.').at(-1)?.toLowerCase() ?? ''
  const isTold = mime !== '' && mime !== 'application/octet-stream'
  return isTold ? mime : (MIMES[extension] ?? 'application/octet-stream')
}
