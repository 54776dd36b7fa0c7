import type { Document, Message } from 'grammy/types'
import type { UnseenKind } from '../../../platform/database/generated/enums.ts'
import { shortenLine } from '../../texts/shorten.ts'

export type FileFormat = 'text' | 'pdf' | 'docx'

export interface GivenFile {
  fileId: string
  /** The same for all bots and for ever; it downloads nothing. */
  fileUniqueId: string
  /** The sender's name for it: any characters at all. */
  name: string
  format: FileFormat
  sizeBytes: number | undefined
}

export type Attachment = { type: 'file'; file: GivenFile } | { type: 'unseen'; kind: UnseenKind }

const NAME_CHARS_MAX = 100
/** Characters that make a name look like another name, or a line like two lines. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu
/** The kinds in the order in which they are tried: an animation also comes with a document. */
const UNSEEN = ['photo', 'animation', 'video', 'audio', 'voice', 'video_note', 'sticker'] as const
const UNSEEN_TYPES = new Map<string, UnseenKind>([
  ['image', 'photo'],
  ['video', 'video'],
  ['audio', 'audio'],
])

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const OTHER_TYPES = /^(image\/(?!svg)|audio\/|video\/|font\/)|zip|compressed|x-(rar|tar|gzip)/
const OTHER_ENDINGS = new Set(
  [
    '7z apk bin bz2 deb dmg dll exe gz iso jar msi pkg rar rpm so tar tgz xz zip zst class o pyc wasm',
    'avi flv m4v mkv mov mp4 mpeg mpg webm wmv aac flac m4a mid midi mp3 ogg oga opus wav wma',
    'ai avif bmp cdr dwg eps fig gif heic heif ico jpeg jpg png psd raw sketch tif tiff webp',
    'eot otf ttf woff woff2 blend fbx glb obj stl db mdb parquet sqlite sqlite3',
    'azw3 chm djvu doc dot epub key mobi numbers odp ods odt pages ppt pptx pub vsd xls xlsb xlsx',
  ].flatMap((line) => line.split(' ')),
)

export function readAttachment(
  message: Pick<Message, (typeof UNSEEN)[number] | 'document'>,
): Attachment | undefined {
  const kind = UNSEEN.find((name) => message[name] !== undefined)
  if (kind !== undefined) return { type: 'unseen', kind }
  return message.document && readDocument(message.document)
}

function readDocument(document: Document): Attachment {
  const { file_id: fileId, file_unique_id: fileUniqueId } = document
  const { file_name = '', mime_type = '', file_size: sizeBytes } = document
  const format = formatOf(file_name, mime_type)
  const [type = ''] = mime_type.split('/')
  if (format === undefined) return { type: 'unseen', kind: UNSEEN_TYPES.get(type) ?? 'file' }
  const name = shortenLine(file_name.replace(HIDDEN, ' '), NAME_CHARS_MAX)
  return { type: 'file', file: { fileId, fileUniqueId, name, format, sizeBytes } }
}

/** The bytes may be of another format. An unknown file counts as a text: code has more endings than a list. */
function formatOf(fileName: string, mimeType: string): FileFormat | undefined {
  const ending = /\.([^.\s]+)$/.exec(fileName.trim())?.[1]?.toLowerCase() ?? ''
  if (ending === 'pdf' || mimeType === 'application/pdf') return 'pdf'
  if (ending === 'docx' || mimeType === DOCX_TYPE) return 'docx'
  // Telegram mistakes TypeScript for a video.
  if (ending === 'ts' || ending === 'mts') return 'text'
  return OTHER_ENDINGS.has(ending) || OTHER_TYPES.test(mimeType) ? undefined : 'text'
}
