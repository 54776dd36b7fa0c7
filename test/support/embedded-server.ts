import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The process id of the server that runs on embedded parts in a data folder. */
export async function findServerPid(dataDir: string): Promise<number> {
  const lockFile = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')
  return Number(lockFile.split('\n')[0])
}

/** Checks if a process runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
