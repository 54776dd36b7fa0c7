import type { Document } from 'grammy/types'

/** The way in which the words of a file are found. */
export type FileFormat = 'text' | 'pdf' | 'docx'

const PDF_TYPE = 'application/pdf'
const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

const OTHER_ENDINGS = new Set(
  [
    '7z apk bin bz2 deb dmg dll exe gz iso jar msi pkg rar rpm so tar tgz xz zip zst class o pyc wasm',
    'avi flv m4v mkv mov mp4 mpeg mpg webm wmv aac flac m4a mid midi mp3 ogg oga opus wav wma',
    'ai avif bmp cdr dwg eps fig gif heic heif ico jpeg jpg png psd raw sketch tif tiff webp',
    'eot otf ttf woff woff2 blend fbx glb obj stl db mdb parquet sqlite sqlite3',
    'azw3 chm djvu doc dot epub key mobi numbers odp ods odt pages ppt pptx pub vsd xls xlsb xlsx',
  ].flatMap((line) => line.split(' ')),
)
/** Endings of texts that Telegram takes for videos. */
const TEXT_ENDINGS = new Set(['ts', 'mts'])
const OTHER_TYPES = /^(image\/(?!svg)|audio\/|video\/|font\/)|zip|compressed|x-(rar|tar|gzip)/

/**
 * Decides by its name and its type how a file is read; its bytes may show later that it is something else.
 * An unknown one counts as a text: code has more endings than a list.
 *
 * @returns Undefined if it is known to hold nothing that is read here.
 */
export function readFileFormat({
  file_name = '',
  mime_type = '',
}: Pick<Document, 'file_name' | 'mime_type'>): FileFormat | undefined {
  const ending = /\.([^.\s]+)$/.exec(file_name.trim())?.[1]?.toLowerCase()
  if (ending === 'pdf' || mime_type === PDF_TYPE) return 'pdf'
  if (ending === 'docx' || mime_type === DOCX_TYPE) return 'docx'
  if (ending !== undefined && TEXT_ENDINGS.has(ending)) return 'text'
  const isOther = (ending !== undefined && OTHER_ENDINGS.has(ending)) || OTHER_TYPES.test(mime_type)
  return isOther ? undefined : 'text'
}
