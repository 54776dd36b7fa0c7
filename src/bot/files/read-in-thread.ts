import { inThread, ThreadMemoryError } from '../../in-thread.ts'
import type { FileKind } from './file-kind.ts'
import type { FileText } from './file-text.ts'

const THREAD = new URL('./thread/file-thread.ts', import.meta.url)

/** 250 pages of a PDF take less than a second; on a busy machine several times as much. */
const READ_MS_MAX = 15_000

/** Of a document of 250 pages a third of it is needed. */
const MEMORY_MB_MAX = 256

/** What the thread is given. */
export interface ThreadFile {
  kind: Exclude<FileKind, 'text'>
  bytes: Uint8Array
}

export interface ReadInThreadOptions {
  signal: AbortSignal
  /** The file that reads, and how long it may. */
  thread?: URL
  timeoutMs?: number
}

/**
 * Reads a PDF or a document in a thread of its own, which is ended when it takes too long or too much.
 *
 * @throws The reason of the signal.
 */
export async function readInThread(
  file: ThreadFile,
  { signal, thread = THREAD, timeoutMs = READ_MS_MAX }: ReadInThreadOptions,
): Promise<FileText> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const bounds = { signal: AbortSignal.any([signal, timeout]), memoryMbMax: MEMORY_MB_MAX }
  try {
    // Its own file posts nothing else.
    return (await inThread(thread, file, bounds)) as FileText
  } catch (error) {
    signal.throwIfAborted()
    const isTooHeavy = timeout.aborted || error instanceof ThreadMemoryError
    return { status: isTooHeavy ? 'too_heavy' : 'broken' }
  }
}
