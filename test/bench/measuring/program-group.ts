import { holdToPart } from './cpu-quota.ts'
import type { RunningProgram } from './program.ts'

/** Programs that do one work together. */
export interface ProgramGroup extends Pick<RunningProgram, 'failed' | 'stop'> {
  members: readonly RunningProgram[]
  /** The ids of all their processes. */
  pids: readonly number[]
  /** Gives each of them so much of a core from now on. @returns Whether that is possible here. */
  holdEachTo(part: number): Promise<boolean>
}

/** Starts so many, one after the other: what the first one does to a database, the others find done. */
export async function startGroup(
  count: number,
  start: () => Promise<RunningProgram>,
): Promise<ProgramGroup> {
  const members: RunningProgram[] = []
  const ends: (() => Promise<void>)[] = []
  try {
    while (members.length < count) members.push(await start())
  } catch (error) {
    await stop()
    throw error
  }
  const failed = Promise.race(members.map((member) => member.failed))
  failed.catch(() => {})
  const pids = members.map(({ pid }) => pid)
  return { members, pids, failed, stop, holdEachTo }

  async function holdEachTo(part: number): Promise<boolean> {
    for (const { pid } of members) {
      const end = await holdToPart(pid, part)
      if (end === undefined) return false
      ends.push(end)
    }
    return true
  }

  async function stop(): Promise<void> {
    await Promise.all(members.map((member) => member.stop()))
    for (const end of ends.splice(0)) await end()
  }
}
