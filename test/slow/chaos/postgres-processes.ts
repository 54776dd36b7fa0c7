import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const GONE_POLL_MS = 20

/**
 * Lists a running server.
 *
 * @param pidFile Its `postmaster.pid`.
 * @returns The ids of the postmaster and of its children, which would end with it, but nothing reports when.
 */
export async function listServer(pidFile: string): Promise<number[]> {
  const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** Signals a process, unless it has ended. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Ends processes as a power cut does. Resolves when they are gone. */
export async function killAll(pids: readonly number[]): Promise<void> {
  for (const each of pids) signalIfThere(each, 'SIGKILL')
  for (const each of pids) while (await isThere(each)) await delay(GONE_POLL_MS)
}

/** One that has ended stays listed until its parent asks for it, which in a container may be never. */
async function isThere(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !/\) [ZX] /.test(stat)
}
