import { atMost } from '../../../platform/time/at-most.ts'
import { type Clock, systemClock } from '../../../platform/time/clock.ts'
import { DOWNLOAD_BYTES_MAX, type FileDownload } from '../../telegram/download-file.ts'
import type { GivenFile } from './attachment.ts'
import { decodeText } from './decode-text.ts'
import { FILE_CHARS_MAX, type FileText, toFileText } from './packed-text.ts'
import { type PackedFile, READ_MS_MAX, readApart } from './read-apart.ts'

export interface FileReaderParts {
  download: FileDownload['download']
  readPacked?: typeof readApart
  clock?: Pick<Clock, 'now'>
}

interface Asked {
  signal: AbortSignal
  charsMax: number
  userId: number
}

/** A text of `FILE_CHARS_MAX` characters has no more, in any charset. */
const TEXT_BYTES_MAX = 4 * FILE_CHARS_MAX
/** How many texts may be in memory at once, each of up to 2 MB, from their download on. */
const TEXTS_MAX = 4
/** How many packed files may be in memory, each of up to 20 MB; one of each user. */
const PACKED_MAX = 4
/** How many packed files are read at once: the service takes 30 questions a minute, most files a second. */
const PACKED_PARALLEL_MAX = 1
/** From this time on the reading of a file was heavy; 250 pages take a second or two. */
const HEAVY_FROM_MS = READ_MS_MAX / 2
/** How many heavy files of one user are read in an hour, by each process: it is its processors that they take. */
const HEAVY_MAX = 3
const HEAVY_SPAN_MS = 3_600_000

/** Fetches files and finds the text in them, a few at a time. A text never waits for a packed file. */
export class FileReader {
  readonly #download: FileReaderParts['download']
  readonly #readPacked: typeof readApart
  readonly #clock: Pick<Clock, 'now'>
  readonly #textInTurn = atMost(TEXTS_MAX)
  readonly #packedInTurn = atMost(PACKED_MAX, { ofOneMax: 1 })
  readonly #unpackInTurn = atMost(PACKED_PARALLEL_MAX)
  readonly #heavyReads: { userId: number; at: number }[] = []

  constructor({ download, readPacked = readApart, clock = systemClock }: FileReaderParts) {
    this.#download = download
    this.#readPacked = readPacked
    this.#clock = clock
  }

  /**
   * Finds the text of a file. It does not fetch a file that is too large by Telegram's figure, and no packed file of a
   * sender who had too many heavy ones.
   *
   * @throws The reason of the signal; an error of the system where no process can be started.
   */
  async read(file: GivenFile, asked: Asked): Promise<FileText> {
    const tooMuch = judgeSize(file, file.sizeBytes ?? 0)
    if (tooMuch !== undefined) return tooMuch
    const inTurn = file.format === 'text' ? this.#textInTurn : this.#packedInTurn
    const found = await inTurn(() => this.#fetch(file, asked), asked.userId)
    return found.status === 'ok' ? toFileText(found.text, asked.charsMax) : found
  }

  async #fetch(file: GivenFile, asked: Asked): Promise<FileText> {
    const { signal, userId } = asked
    const { format } = file
    signal.throwIfAborted()
    if (format !== 'text' && this.#hasTooManyHeavy(userId)) return { status: 'too_many_heavy' }
    const fetched = await this.#download(file.fileId, { signal })
    if (fetched.status !== 'ok') return fetched
    const { bytes } = fetched
    // Telegram may not have given the size.
    const tooMuch = judgeSize(file, bytes.length)
    if (tooMuch !== undefined) return tooMuch
    if (format !== 'text') {
      return this.#unpackInTurn(() => this.#unpack({ format, bytes }, asked), userId)
    }
    const text = decodeText(bytes)
    return text === undefined ? { status: 'broken' } : { status: 'ok', text }
  }

  async #unpack(file: PackedFile, { signal, userId }: Asked): Promise<FileText> {
    const begunAt = this.#clock.now()
    const found = await this.#readPacked(file, { signal })
    const at = this.#clock.now()
    const isHeavy = found.status === 'too_heavy' || at - begunAt >= HEAVY_FROM_MS
    if (isHeavy) this.#heavyReads.push({ userId, at })
    return found
  }

  #hasTooManyHeavy(userId: number): boolean {
    const since = this.#clock.now() - HEAVY_SPAN_MS
    while ((this.#heavyReads[0]?.at ?? since + 1) <= since) this.#heavyReads.shift()
    return this.#heavyReads.filter((one) => one.userId === userId).length >= HEAVY_MAX
  }
}

function judgeSize({ format }: GivenFile, bytes: number): FileText | undefined {
  if (format === 'text') return bytes > TEXT_BYTES_MAX ? { status: 'too_long' } : undefined
  return bytes > DOWNLOAD_BYTES_MAX ? { status: 'too_large' } : undefined
}
