import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Keeps two runs of one machine from looking at the same account: each would take what the other pays for a fault.
 *
 * @returns Lets the next one in.
 * @throws {Error} One sentence for people, if another run goes on.
 */
export async function lockRun(baseUrl: string, apiKey: string): Promise<() => Promise<void>> {
  const name = createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('hex').slice(0, 16)
  const path = join(tmpdir(), `kopeck-conformance-${name}.pid`)
  const take = () => writeFile(path, String(process.pid), { flag: 'wx', mode: 0o600 })
  try {
    await take()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const pid = Number(await readFile(path, 'utf8').catch(() => ''))
    if (isAlive(pid)) {
      throw new Error(`Another run looks at this account (process ${pid}): wait until it has ended`)
    }
    await rm(path, { force: true })
    await take()
  }
  return () => rm(path, { force: true })
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there, and somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
