/** The kinds of content that a file can be sent as. */
export type FileKind = 'photo' | 'document' | 'voice' | 'video' | 'audio'

/** A file chosen to be sent. */
export interface Attachment {
  id: number
  file: File
  /** Address of its picture for a preview; empty for what is no picture. */
  previewUrl: string
}

/** How a file may go: as what it shows or plays, as a file, or as a voice message. */
export type SendAs = 'media' | 'file' | 'voice'

/** A file and what it goes as. */
export interface Sendable {
  attachment: Attachment
  kind: FileKind
}

/** Telegram's own bounds of an album and of a caption. */
const ALBUM_FILES_MAX = 10
export const CAPTION_CHARS_MAX = 1_024

/** Larger pictures go as files, as they do in clients that do not shrink them. */
const PHOTO_BYTES_MAX = 10_000_000

const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp']

/** Chooses the kind of a file that is sent as what it shows or plays. */
export function kindOf({ type, size }: { type: string; size: number }, sendAs: SendAs): FileKind {
  if (sendAs === 'file') return 'document'
  if (sendAs === 'voice' && type.startsWith('audio/')) return 'voice'
  if (PHOTO_TYPES.includes(type) && size <= PHOTO_BYTES_MAX) return 'photo'
  if (type === 'video/mp4') return 'video'
  return type === 'audio/mpeg' || type === 'audio/mp4' ? 'audio' : 'document'
}

/**
 * Splits files into albums in their order: pictures and clips stand together, files and sounds only among
 * themselves, voice messages alone. An album of one is a message like any other.
 */
export function toAlbums(attachments: readonly Attachment[], sendAs: SendAs): Sendable[][] {
  const albums: Sendable[][] = []
  for (const attachment of attachments) {
    const sendable = { attachment, kind: kindOf(attachment.file, sendAs) }
    const last = albums.at(-1)
    if (last !== undefined && canJoin(last, sendable)) last.push(sendable)
    else albums.push([sendable])
  }
  return albums
}

function canJoin(album: readonly Sendable[], { kind }: Sendable): boolean {
  const [first] = album
  if (first === undefined || album.length >= ALBUM_FILES_MAX || kind === 'voice') return false
  return familyOf(first.kind) === familyOf(kind)
}

function familyOf(kind: FileKind): string {
  return kind === 'photo' || kind === 'video' ? 'seen' : kind
}
