import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFile,
  link,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The system takes 103 bytes for a socket's path, with the name of the file. */
const FOLDER_BYTES_MAX = 64

/** The right to do some work in a data folder, which one living process has. */
export interface DataDirClaim {
  /** The same for every process that ever has the claim, and for no other claim. */
  name: string
  /** Gives the claim up. */
  release(): Promise<void>
}

/**
 * Claims a data folder for some work, so that a start knows at once that the process before it has ended.
 *
 * A socket file in the folder tells: its process answers for as long as it lives, frozen or not, and
 * the system lets nothing answer after that, whatever ended it.
 *
 * @param works Named by roles; what has another name can be claimed beside it.
 * @returns Undefined where another living process has the claim.
 * @throws Where no socket can be made there.
 */
export async function claimDataDir(
  dataDir: string,
  works: Iterable<string>,
): Promise<DataDirClaim | undefined> {
  const work = [...works].sort().join('-')
  await mkdir(dataDir, { recursive: true })
  const server = await atShortPath(dataDir, (path) => listenAlone(join(path, `${work}.sock`)))
  if (server === undefined) return undefined
  server.unref()
  return { name: `${work} ${await readName(join(dataDir, 'instance'))}`, release }

  async function release(): Promise<void> {
    await rm(join(dataDir, `${work}.sock`), { force: true })
    server?.close()
  }
}

/** Does something in a folder by a path that is short enough for a socket. */
async function atShortPath<T>(folder: string, work: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(folder) <= FOLDER_BYTES_MAX) return await work(folder)
  const detour = await mkdtemp(join(tmpdir(), 'kopeck-'))
  try {
    await symlink(resolve(folder), join(detour, 'data'))
    return await work(join(detour, 'data'))
  } finally {
    await rm(detour, { recursive: true })
  }
}

/** @returns Undefined where another process listens. */
async function listenAlone(path: string): Promise<Server | undefined> {
  for (;;) {
    const server = createServer((socket) => socket.destroy())
    try {
      await once(server.listen(path), 'listening')
      return server
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
    if (!(await removeDead(path))) return undefined
  }
}

/** Removes a socket file unless a process answers there. @returns Whether none does. */
async function removeDead(path: string): Promise<boolean> {
  if (await isAnswered(path)) return false
  // What is renamed can be judged once more: another process may have put its own there meanwhile.
  const aside = `${path}.${randomBytes(4).toString('hex')}`
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw error
  }
  const isTaken = await isAnswered(aside)
  if (isTaken) await link(aside, path)
  await rm(aside)
  return !isTaken
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== 'ECONNREFUSED' && code !== 'ENOENT'
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
