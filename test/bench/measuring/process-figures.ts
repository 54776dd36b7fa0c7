import { readFile, writeFile } from 'node:fs/promises'

/** `USER_HZ`, the same on every Linux that Node has binaries for. */
const TICKS_PER_SECOND = 100

/** The CPU and memory that a process has used since its start. */
export interface ProcessFigures {
  /** User and system time of all its threads, to 10 ms. */
  cpuMs: number
  /** Memory that is resident now. */
  rssBytes: number
  /** The most that ever was. */
  peakRssBytes: number
}

/**
 * Reads the figures of a living process from `/proc`.
 *
 * @throws {Error} If there is no such process, or no `/proc`.
 */
export async function readProcessFigures(pid: number): Promise<ProcessFigures> {
  const [{ ownMs }, status] = await Promise.all([
    readCpu(pid),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ])
  const readBytes = (field: string) => {
    const kib = Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1])
    if (!Number.isFinite(kib)) throw new Error(`Cannot read memory of process ${pid}`)
    return kib * 1024
  }
  return { cpuMs: ownMs, rssBytes: readBytes('VmRSS'), peakRssBytes: readBytes('VmHWM') }
}

/** Sets the peak of a process back to what is resident now. */
export async function forgetPeakRss(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}

/** The process and its living children. */
export async function readFamily(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** User and system time of a process and of all that descends from it, those that have ended included. */
export async function readTreeCpuMs(pid: number): Promise<number> {
  const [, ...children] = await readFamily(pid)
  const { ownMs, endedChildrenMs } = await readCpu(pid)
  // One that ends just now is missed; it counts as ended the next time.
  const below = await Promise.all(children.map((child) => readTreeCpuMs(child).catch(() => 0)))
  return below.reduce((total, ms) => total + ms, ownMs + endedChildrenMs)
}

/** User and system time of all processes of the machine, and what the machine did not get though it wanted it. */
export async function readMachineCpuMs(): Promise<number> {
  const stat = await readFile('/proc/stat', 'utf8')
  const [user = Number.NaN, nice = 0, system = 0, , , , , steal = 0] = (stat.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map((ticks) => (Number(ticks) * 1000) / TICKS_PER_SECOND)
  if (!Number.isFinite(user)) throw new Error('Cannot read CPU time of the machine')
  return user + nice + system + steal
}

/** User and system time of a process and of its children, those that have ended included. */
export async function readFamilyCpuMs(pid: number): Promise<number> {
  const [, ...children] = await readFamily(pid)
  const { ownMs, endedChildrenMs } = await readCpu(pid)
  const living = await Promise.all(
    // One that ends just now is missed; it counts as ended the next time.
    children.map((child) =>
      readCpu(child).then(
        ({ ownMs }) => ownMs,
        () => 0,
      ),
    ),
  )
  return living.reduce((total, ms) => total + ms, ownMs + endedChildrenMs)
}

async function readCpu(pid: number): Promise<{ ownMs: number; endedChildrenMs: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name before the last bracket may hold anything; state is the first field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user = Number.NaN, system = 0, childUser = 0, childSystem = 0] = fields
    .slice(11, 15)
    .map((ticks) => (Number(ticks) * 1000) / TICKS_PER_SECOND)
  if (!Number.isFinite(user)) throw new Error(`Cannot read CPU time of process ${pid}`)
  return { ownMs: user + system, endedChildrenMs: childUser + childSystem }
}
