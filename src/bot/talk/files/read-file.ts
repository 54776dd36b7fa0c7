import { atMost } from '../../../platform/time/at-most.ts'
import { type Clock, systemClock } from '../../../platform/time/clock.ts'
import { DOWNLOAD_BYTES_MAX, type FileDownload } from '../../telegram/download-file.ts'
import { READ_MS_MAX } from './apart/bounds.ts'
import { type PackedFile, readApart } from './apart/read-apart.ts'
import { decodeText } from './decode-text.ts'
import type { FileFormat } from './file-format.ts'
import { FILE_CHARS_MAX, type FileProblem, type FileText, toFileText } from './file-text.ts'

/** A text of `FILE_CHARS_MAX` characters has no more, in any charset. */
const TEXT_BYTES_MAX = 4 * FILE_CHARS_MAX

/** How many texts may be in memory at once, each of up to 2 MB, during their download, too. */
const TEXTS_MAX = 4
/** How many packed files may be, each of up to 20 MB; one of each user. */
const PACKED_MAX = 4
/** How many packed files are read at once: the service takes 30 questions a minute, most files a second. */
const PACKED_PARALLEL_MAX = 1

/** From this time on the reading of a file was heavy; 250 pages take a second or two. */
const HEAVY_FROM_MS = READ_MS_MAX / 2
/** How many heavy files of one user are read in an hour, by each process: it is its processors that they take. */
const HEAVY_MAX = 3
const HEAVY_SPAN_MS = 3_600_000

/** A file that a user sent, as Telegram describes it. */
export interface GivenFile {
  fileId: string
  /** The same for everybody and for ever; nothing is fetched by it. */
  fileUniqueId: string
  /** The sender's name for it: any characters at all. */
  name: string
  format: FileFormat
  sizeBytes: number | undefined
}

export interface FileReaderDeps {
  download: FileDownload['download']
  readPacked?: typeof readApart
  clock?: Clock
}

export interface ReadFileOptions {
  signal: AbortSignal
  charsMax: number
  userId: number
}

/** Fetches files and finds the text in them, a few at a time. A text never waits for a packed file. */
export function createFileReader({
  download,
  readPacked = readApart,
  clock = systemClock,
}: FileReaderDeps) {
  const textInTurn = atMost(TEXTS_MAX)
  const packedInTurn = atMost(PACKED_MAX, { ofOneMax: 1 })
  const unpackInTurn = atMost(PACKED_PARALLEL_MAX)
  const heavy = createHeavyReads(clock)
  return { read }

  /**
   * Finds the text of a file. One that is too large by Telegram's figure is not fetched, nor is a packed one whose
   * sender had too many that were heavy.
   *
   * @throws The reason of the signal; an error of the system where no process can be started.
   */
  async function read(
    file: GivenFile,
    { signal, charsMax, userId }: ReadFileOptions,
  ): Promise<FileText> {
    const { format, sizeBytes = 0 } = file
    const tooMuch = judgeSize(format, sizeBytes)
    if (tooMuch !== undefined) return { status: tooMuch }
    const inTurn = format === 'text' ? textInTurn : packedInTurn
    const found = await inTurn<FileText>(async () => {
      signal.throwIfAborted()
      if (format !== 'text' && heavy.isOver(userId)) return { status: 'too_many_heavy' }
      const fetched = await download(file.fileId, { signal })
      if (fetched.status !== 'ok') return fetched
      // Telegram may not have given the size.
      const tooManyBytes = judgeSize(format, fetched.bytes.length)
      if (tooManyBytes !== undefined) return { status: tooManyBytes }
      if (format === 'text') return findText(fetched.bytes)
      return unpack({ format, bytes: fetched.bytes }, { signal, userId })
    }, userId)
    return found.status === 'ok' ? toFileText(found.text, charsMax) : found
  }

  function unpack(
    file: PackedFile,
    { signal, userId }: Pick<ReadFileOptions, 'signal' | 'userId'>,
  ): Promise<FileText> {
    return unpackInTurn(async () => {
      const begunAt = clock.now()
      const found = await readPacked(file, { signal })
      const isHeavy = found.status === 'too_heavy' || clock.now() - begunAt >= HEAVY_FROM_MS
      if (isHeavy) heavy.add(userId)
      return found
    }, userId)
  }
}

function createHeavyReads(clock: Pick<Clock, 'now'>) {
  const readAt = new Map<number, number[]>()
  return { add, isOver }

  function add(userId: number): void {
    for (const id of readAt.keys()) forgetOld(id)
    readAt.set(userId, [...(readAt.get(userId) ?? []), clock.now()])
  }

  function isOver(userId: number): boolean {
    forgetOld(userId)
    return (readAt.get(userId)?.length ?? 0) >= HEAVY_MAX
  }

  function forgetOld(userId: number): void {
    const since = clock.now() - HEAVY_SPAN_MS
    const left = readAt.get(userId)?.filter((at) => at > since) ?? []
    if (left.length > 0) readAt.set(userId, left)
    else readAt.delete(userId)
  }
}

function findText(bytes: Buffer): FileText {
  const text = decodeText(bytes)
  return text === undefined ? { status: 'broken' } : { status: 'ok', text }
}

function judgeSize(format: FileFormat, bytes: number): FileProblem | undefined {
  if (format === 'text') return bytes > TEXT_BYTES_MAX ? 'too_long' : undefined
  return bytes > DOWNLOAD_BYTES_MAX ? 'too_large' : undefined
}

export type FileReader = ReturnType<typeof createFileReader>
