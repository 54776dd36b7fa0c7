import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Short, so that a process that has used its part waits milliseconds for the next. */
const PERIOD_US = 10_000

/** The directories of control groups, of the first kind and of the second, and the files that limit a group’s CPU. */
const HIERARCHIES = [
  {
    root: '/sys/fs/cgroup/cpu',
    toSettings: (quotaUs: number) => ({
      'cpu.cfs_period_us': `${PERIOD_US}`,
      'cpu.cfs_quota_us': `${quotaUs}`,
    }),
  },
  {
    root: '/sys/fs/cgroup',
    toSettings: (quotaUs: number) => ({ 'cpu.max': `${quotaUs} ${PERIOD_US}` }),
  },
] as const

/** A folder that is no control group has none of its files, and shall get none. */
const EXISTING = { flag: 'r+' }

/**
 * Gives a process, with all its threads, no more than a part of one core, by a control group of Linux.
 *
 * @param part Of a core, above 0.
 * @returns To be called once the process has ended; undefined where no control group can be written.
 */
export async function holdToPart(
  pid: number,
  part: number,
): Promise<(() => Promise<void>) | undefined> {
  const quotaUs = Math.round(PERIOD_US * part)
  for (const { root, toSettings } of HIERARCHIES) {
    const group = join(root, `kopeck-bench-${pid}`)
    try {
      await mkdir(group)
    } catch {
      continue
    }
    try {
      for (const [name, value] of Object.entries(toSettings(quotaUs))) {
        await writeFile(join(group, name), value, EXISTING)
      }
      await writeFile(join(group, 'cgroup.procs'), `${pid}`, EXISTING)
      return () => rmdir(group)
    } catch {
      await rmdir(group)
    }
  }
  return undefined
}
