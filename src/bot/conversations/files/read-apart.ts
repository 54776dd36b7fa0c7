import { fork } from 'node:child_process'
import { once } from 'node:events'
import { programUrl } from '../../../platform/installation.ts'
import type { FileFormat } from './attachment.ts'
import type { FileText } from './packed-text.ts'

/** The memory that the whole process may take. A Word document of 250 pages, much formatted, takes 390 MB, a PDF of as many 150 MB. */
export const MEMORY_MB_MAX = 450

/** How long it may run. 250 pages take a second or two; on a busy machine several times as much. */
export const READ_MS_MAX = 15_000

const PROGRAM = programUrl('./file-program', import.meta.url)

/** The permissions of the process: it reads its own code, and writes and starts nothing. */
const MAY = ['--permission', '--allow-fs-read=*', '--allow-worker']

/**
 * The limits of its heap: only a leap overflows it, growth by steps is seen before. Young objects are collected often:
 * they would take 100 MB more otherwise.
 */
const HEAP = ['--max-old-space-size=320', '--max-semi-space-size=8']

/** A file whose text does not stand in its bytes. */
export interface PackedFile {
  format: Exclude<FileFormat, 'text'>
  bytes: Uint8Array
}

export interface ReadApartOptions {
  signal: AbortSignal
  program?: URL
  timeoutMs?: number
}

/**
 * Reads a PDF or a document in a process of its own, which ends with it, at the latest when it takes too
 * long or too much memory.
 *
 * A thread would not do: a heap that overflows in one leap ends the whole process, whatever limits the
 * thread has. A document with a million attributes does that.
 *
 * @throws The reason of the signal; an error of the system where no process can be started.
 */
export async function readApart(
  file: PackedFile,
  { signal, program = PROGRAM, timeoutMs = READ_MS_MAX }: ReadApartOptions,
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
    // The program sends nothing else.
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
