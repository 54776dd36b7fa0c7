import { atMost } from '../../time/at-most.ts'
import { DOWNLOAD_BYTES_MAX, type FileDownload } from '../telegram/download-file.ts'
import { decodeText } from './decode-text.ts'
import type { FileKind } from './file-kind.ts'
import { type FileText, toFileText } from './file-text.ts'
import { readInThread } from './read-in-thread.ts'

/** So many bytes the longest text may have that is read, in UTF-8. */
const TEXT_BYTES_MAX = 2_000_000

/** A file may take 20 MB as it came, and a thread that reads it twice 256 MB. */
const PARALLEL_MAX = 2

/** A file that somebody sent, as Telegram tells of it. */
export interface GivenFile {
  fileId: string
  /** As its sender calls it: any characters at all. */
  name: string
  kind: FileKind
  sizeBytes: number | undefined
}

export interface FileReaderDeps {
  download: FileDownload['download']
  /** Of what is no plain text. */
  readPacked?: typeof readInThread
}

/** Fetches files and finds the text in them, two at a time in a process. */
export function createFileReader({ download, readPacked = readInThread }: FileReaderDeps) {
  const inTurn = atMost(PARALLEL_MAX)
  return { read }

  /**
   * What Telegram says to be too large is not fetched. Holds one file in memory.
   *
   * @param charsMax What there is still room for.
   * @throws The reason of the signal, and nothing else.
   */
  async function read(
    file: GivenFile,
    { signal, charsMax }: { signal: AbortSignal; charsMax: number },
  ): Promise<FileText> {
    const bytesMax = file.kind === 'text' ? TEXT_BYTES_MAX : DOWNLOAD_BYTES_MAX
    if ((file.sizeBytes ?? 0) > bytesMax) return { status: 'too_large' }
    const found = await inTurn(async () => {
      signal.throwIfAborted()
      const fetched = await download(file.fileId, { signal })
      if (fetched.status !== 'ok') return fetched
      if (fetched.bytes.length > bytesMax) return { status: 'too_large' } as const
      return find(file.kind, fetched.bytes, signal)
    })
    return found.status === 'ok' ? toFileText(found.text, charsMax) : found
  }

  async function find(kind: FileKind, bytes: Buffer, signal: AbortSignal): Promise<FileText> {
    if (kind !== 'text') return readPacked({ kind, bytes }, { signal })
    const text = decodeText(bytes)
    return text === undefined ? { status: 'broken' } : { status: 'ok', text }
  }
}

export type FileReader = ReturnType<typeof createFileReader>
