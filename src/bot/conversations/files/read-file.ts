import { atMost } from '../../../platform/time/at-most.ts'
import { DOWNLOAD_BYTES_MAX, type FileDownload } from '../../telegram/download-file.ts'
import type { GivenFile } from './attachment.ts'
import { decodeText } from './decode-text.ts'
import { FILE_CHARS_MAX, type FileText, readApart } from './read-apart.ts'

interface Asked {
  signal: AbortSignal
  charsMax: number
  userId: number
}

/** A text of `FILE_CHARS_MAX` characters has no more, in any charset. */
const TEXT_BYTES_MAX = 4 * FILE_CHARS_MAX
/** Texts in memory at once, each of up to 2 MB. */
const TEXTS_MAX = 4
/** Packed files in memory at once, each of up to 20 MB; one of each user. */
const PACKED_MAX = 4
/** The service takes 30 questions a minute, and most files take a second. */
const PACKED_PARALLEL_MAX = 1

/** Fetches files and finds the text in them, a few at a time. A text never waits for a packed file. */
export class FileReader {
  readonly #download: FileDownload['download']
  readonly #readPacked: typeof readApart
  readonly #textInTurn = atMost(TEXTS_MAX)
  readonly #packedInTurn = atMost(PACKED_MAX, { ofOneMax: 1 })
  readonly #unpackInTurn = atMost(PACKED_PARALLEL_MAX)

  constructor({
    download,
    readPacked = readApart,
  }: Pick<FileDownload, 'download'> & { readPacked?: typeof readApart }) {
    this.#download = download
    this.#readPacked = readPacked
  }

  /** @throws The reason of the signal; an error of the system if no process can be started. */
  async read(file: GivenFile, asked: Asked): Promise<FileText> {
    // A file that is too large by Telegram's figure is not fetched.
    const tooMuch = judgeSize(file, file.sizeBytes ?? 0)
    if (tooMuch !== undefined) return tooMuch
    const inTurn = file.format === 'text' ? this.#textInTurn : this.#packedInTurn
    const found = await inTurn(() => this.#fetch(file, asked), asked.userId)
    if (found.status !== 'ok') return found
    // Neither the database nor the model takes zeros and halves of characters.
    const text = found.text.replaceAll('\0', '').toWellFormed().trim()
    if (text === '') return { status: 'no_text' }
    return text.length > asked.charsMax ? { status: 'too_long' } : { status: 'ok', text }
  }

  async #fetch(file: GivenFile, { signal, userId }: Asked): Promise<FileText> {
    const { format } = file
    signal.throwIfAborted()
    const fetched = await this.#download(file.fileId, { signal })
    if (fetched.status !== 'ok') return fetched
    const { bytes } = fetched
    const tooMuch = judgeSize(file, bytes.length)
    if (tooMuch !== undefined) return tooMuch
    if (format !== 'text') {
      return this.#unpackInTurn(() => this.#readPacked({ format, bytes }, { signal }), userId)
    }
    const text = decodeText(bytes)
    return text === undefined ? { status: 'broken' } : { status: 'ok', text }
  }
}

function judgeSize({ format }: GivenFile, bytes: number): FileText | undefined {
  if (format === 'text') return bytes > TEXT_BYTES_MAX ? { status: 'too_long' } : undefined
  return bytes > DOWNLOAD_BYTES_MAX ? { status: 'too_large' } : undefined
}
