import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** The right to do some work in a data folder, which one living process has. */
export interface DataDirClaim {
  /** The same for every process that ever has the claim, and for no other claim. */
  name: string
  /** Gives the claim up. */
  release(): Promise<void>
}

/**
 * Claims a data folder for some roles, so that a start knows at once that the process before it has ended.
 *
 * A socket file in the folder tells: its process answers for as long as it lives, frozen or not, and
 * the system lets nothing answer after that, whatever ended it.
 *
 * @returns Undefined where another living process has the claim, or no socket can be made there,
 *   as below a very long path.
 */
export async function claimDataDir(
  dataDir: string,
  roles: Iterable<string>,
): Promise<DataDirClaim | undefined> {
  const work = [...roles].sort().join('-')
  await mkdir(dataDir, { recursive: true })
  const path = join(dataDir, `${work}.sock`)
  const server = createServer((socket) => socket.destroy())
  try {
    await listen(server, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || (await isAnswered(path))) throw error
      await rm(path, { force: true })
      await listen(server, path)
    })
  } catch {
    return undefined
  }
  server.unref()
  return { name: `${work} ${await readName(join(dataDir, 'instance'))}`, release }

  async function release(): Promise<void> {
    server.close()
    await once(server, 'close')
  }
}

async function listen(server: Server, path: string): Promise<void> {
  await once(server.listen(path), 'listening')
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}

/** Of this very folder: a copy of it, taken to another machine too, has another name. */
async function readName(path: string): Promise<string> {
  await appendFile(path, '')
  const known = await readFile(path, 'utf8')
  const id = known === '' ? randomUUID() : known
  if (known === '') await writeFile(path, id)
  const { dev, ino } = await stat(path)
  return [id, hostname(), dev, ino].join(' ')
}
