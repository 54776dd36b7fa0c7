import { fork } from 'node:child_process'
import { once } from 'node:events'
import { programUrl } from '../../../platform/installation.ts'
import type { FileFormat } from './attachment.ts'

export type FileProblem =
  /** More bytes than Telegram gives. */
  | 'too_large'
  /** More than `FILE_CHARS_MAX` characters, also together with the files before it. */
  | 'too_long'
  /** It took more time or memory than a file may. */
  | 'too_heavy'
  | 'encrypted'
  /** Damaged, or not what its name says. */
  | 'broken'
  /** No letter in it; of a PDF: pictures of pages. */
  | 'no_text'
  /** Telegram does not give it, or not now. */
  | 'gone'

export type FileText = { status: 'ok'; text: string } | { status: FileProblem }

export interface PackedFile {
  format: Exclude<FileFormat, 'text'>
  bytes: Uint8Array
}

/** About 250 pages, or as much as a large context takes in one question. */
export const FILE_CHARS_MAX = 500_000
/** The memory of the whole process. A Word document of 250 pages, much formatted, takes 390 MB, such a PDF 150 MB. */
export const MEMORY_MB_MAX = 450
/** 250 pages take a second or two; on a busy machine several times as much. */
const READ_MS_MAX = 15_000

const PROGRAM = programUrl('./file-program', import.meta.url)
/** The process reads its own code, and writes and starts nothing. */
const MAY = ['--permission', '--allow-fs-read=*', '--allow-worker']
/**
 * Only a leap overflows the heap; the second thread sees growth by steps. Young objects are collected often: they would
 * take 100 MB more otherwise.
 */
const HEAP = ['--max-old-space-size=320', '--max-semi-space-size=8']

/**
 * Reads a PDF or a document in a process of its own. A thread would not do: a heap that overflows in one leap ends the
 * whole process, whatever limits the thread has. A document with a million attributes does that.
 *
 * @throws The reason of the signal; an error of the system if no process can be started.
 */
export async function readApart(
  file: PackedFile,
  {
    signal,
    program = PROGRAM,
    timeoutMs = READ_MS_MAX,
  }: { signal: AbortSignal; program?: URL; timeoutMs?: number },
): Promise<FileText> {
  signal.throwIfAborted()
  const child = fork(program, [String(timeoutMs)], {
    execArgv: [...MAY, ...HEAP],
    // It needs none of the secrets in the environment.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  const timeout = AbortSignal.timeout(timeoutMs)
  const bounds = { signal: AbortSignal.any([signal, timeout]) }
  const exited = once(child, 'exit')
  const ended = exited.then(([_code, killedBy]) => ({ killedBy }))
  try {
    await Promise.race([once(child, 'message', bounds), ended])
    // The next line sees whether it has ended meanwhile.
    child.send(file, () => {})
    const end = await Promise.race([once(child, 'message', bounds), ended])
    if (Array.isArray(end)) return end[0] as FileText
    return { status: end.killedBy === null ? 'broken' : 'too_heavy' }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return { status: 'too_heavy' }
    throw error
  } finally {
    child.kill('SIGKILL')
    await exited
  }
}
