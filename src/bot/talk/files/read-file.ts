import { atMost } from '../../../platform/time/at-most.ts'
import { DOWNLOAD_BYTES_MAX, type FileDownload } from '../../telegram/download-file.ts'
import { readApart } from './apart/read-apart.ts'
import { decodeText } from './decode-text.ts'
import type { FileFormat } from './file-format.ts'
import { FILE_CHARS_MAX, type FileProblem, type FileText, toFileText } from './file-text.ts'

/** A text of `FILE_CHARS_MAX` characters has no more, in any charset. */
const TEXT_BYTES_MAX = 4 * FILE_CHARS_MAX

/** How many files may be in memory at once, each of up to 20 MB, during their download, too. */
const PARALLEL_MAX = 4
/** How many packed files are read at once: the service takes 30 questions a minute, most files a second. */
const PACKED_PARALLEL_MAX = 1

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
  /** Reads a file that is no plain text. */
  readPacked?: typeof readApart
}

/** Fetches files and finds the text in them, a few at a time. */
export function createFileReader({ download, readPacked = readApart }: FileReaderDeps) {
  const inTurn = atMost(PARALLEL_MAX)
  const packedInTurn = atMost(PACKED_PARALLEL_MAX)
  return { read }

  /**
   * Finds the text of a file. One that is too large by Telegram's figure is not fetched.
   *
   * @param charsMax The number of characters that there is room for.
   * @throws The reason of the signal; an error of the system where no process can be started.
   */
  async function read(
    file: GivenFile,
    { signal, charsMax }: { signal: AbortSignal; charsMax: number },
  ): Promise<FileText> {
    const { format, sizeBytes = 0 } = file
    const tooMuch = judgeSize(format, sizeBytes)
    if (tooMuch !== undefined) return { status: tooMuch }
    const found = await inTurn<FileText>(async () => {
      signal.throwIfAborted()
      const fetched = await download(file.fileId, { signal })
      if (fetched.status !== 'ok') return fetched
      // Telegram may not have given the size.
      const tooManyBytes = judgeSize(format, fetched.bytes.length)
      if (tooManyBytes !== undefined) return { status: tooManyBytes }
      return find(format, fetched.bytes, signal)
    })
    return found.status === 'ok' ? toFileText(found.text, charsMax) : found
  }

  async function find(format: FileFormat, bytes: Buffer, signal: AbortSignal): Promise<FileText> {
    if (format !== 'text') return packedInTurn(() => readPacked({ format, bytes }, { signal }))
    const text = decodeText(bytes)
    return text === undefined ? { status: 'broken' } : { status: 'ok', text }
  }
}

function judgeSize(format: FileFormat, bytes: number): FileProblem | undefined {
  if (format === 'text') return bytes > TEXT_BYTES_MAX ? 'too_long' : undefined
  return bytes > DOWNLOAD_BYTES_MAX ? 'too_large' : undefined
}

export type FileReader = ReturnType<typeof createFileReader>
