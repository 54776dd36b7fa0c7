import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { readFamily } from './process-figures.ts'
import type { Program } from './program.ts'

const run = promisify(execFile)

/** Processor cores as `taskset` takes them. All are undefined where processes cannot be bound to cores. */
export interface Cores {
  /** The cores of the measured program. */
  measured: string | undefined
  /** The cores of everything around it: the bench with its load, the model, Telegram. */
  around: string | undefined
  /** All that the bench may use. */
  all: string | undefined
}

const NOT_PINNED: Cores = { measured: undefined, around: undefined, all: undefined }

/** Finds two cores that this process may use. Without `taskset` or a second core nothing is pinned. */
export async function findCores(): Promise<Cores> {
  try {
    await run('taskset', ['--version'])
    const status = await readFile('/proc/self/status', 'utf8')
    const all = /^Cpus_allowed_list:\s+(\S+)$/m.exec(status)?.[1] ?? ''
    const [measured, around] = parseList(all)
    return around === undefined ? NOT_PINNED : { measured, around, all }
  } catch {
    return NOT_PINNED
  }
}

/** Keeps a process and its children on a core; what they start from then on stays there, too. */
export async function moveFamily(pid: number, core: string | undefined): Promise<void> {
  if (core === undefined) return
  const moves = (await readFamily(pid)).map((each) =>
    run('taskset', ['-a', '-c', '-p', core, `${each}`]),
  )
  // A child that has just ended needs no core.
  const [parent] = await Promise.allSettled(moves)
  if (parent?.status === 'rejected') throw parent.reason
}

/** The program, kept on a core from its start. */
export function onCore(program: Program, core: string | undefined): Program {
  return core === undefined ? program : ['taskset', '-c', core, ...program]
}

/** @param list As `0-3,8`. */
function parseList(list: string): string[] {
  return list.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`)
  })
}
