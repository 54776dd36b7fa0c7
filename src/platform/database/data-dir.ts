import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  access,
  appendFile,
  chmod,
  constants,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MendableError } from '../mendable.ts'

/** The system takes 103 bytes for a socket's path, with the name of the file. */
const FOLDER_BYTES_MAX = 64
const WITHDRAWN_MS_MAX = 20

const FOLDER_MODE = 0o700
const FOLDER_MODE_OF_ROOT = 0o711
const STICKY = 0o1000
const FILE_MODE = 0o600

/** Nothing can be written in DATA_DIR, or nothing of ours can start on what is there. */
export class DataDirRefusedError extends MendableError {
  override readonly name = 'DataDirRefusedError'
  readonly code = 'data_dir_refused'

  constructor(dataDir: string, problem: string, options?: ErrorOptions) {
    super(`Cannot use DATA_DIR "${dataDir}": ${problem}`, options)
  }
}

const UNWRITABLE: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EROFS: 'its disk is read-only',
  EEXIST: 'a file, or a link that leads nowhere, is in its way',
  ENOENT: 'it cannot be made there',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk is full',
}

/**
 * Returns the folder for all that a start or a command stores: without BOT_TOKEN it is `playground` in DATA_DIR.
 *
 * So a token that is set later meets no data of the playground.
 */
export function findDataDir(env: NodeJS.ProcessEnv): string {
  const folder = findRootDir(env)
  return env.BOT_TOKEN?.trim() ? folder : join(folder, 'playground')
}

/** Returns the folder that DATA_DIR names. */
export function findRootDir({ DATA_DIR }: NodeJS.ProcessEnv): string {
  return resolve(DATA_DIR?.trim() || './data')
}

/** The right to do some work in a data folder, which one living process has. */
export interface DataDirClaim {
  /** The same for every process that ever has the claim, and for no other claim. */
  name: string
  release(): Promise<void>
}

/**
 * Claims a data folder for some work, so that a start knows at once that the process before it has ended.
 *
 * A socket file in the folder shows it: its process answers for as long as it lives, frozen or not, and
 * after its end, of any kind, the system lets nothing answer.
 *
 * @param works Named by roles; what has another name can be claimed beside it.
 * @returns Undefined where another living process has the claim.
 * @throws {DataDirRefusedError} Where nothing can be written.
 * @throws {Error} Where no socket can be made.
 */
export async function claimDataDir(
  dataDir: string,
  works: Iterable<string>,
): Promise<DataDirClaim | undefined> {
  const work = [...works].sort().join('-')
  let server: Server | undefined
  try {
    await closeToOthers(dataDir)
    server = await atShortPath(dataDir, (path) => listenAlone(path, work))
    if (server === undefined) return undefined
    server.unref()
    return { name: `${work} ${await readName(join(dataDir, 'instance'))}`, release }
  } catch (error) {
    await release()
    throw toRefusal(error, dataDir)
  }

  async function release(): Promise<void> {
    // It takes its file along; by now that name may be another's where it does not.
    server?.close()
  }
}

function toRefusal(error: unknown, dataDir: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  const problem = UNWRITABLE[code]
  return problem === undefined
    ? error
    : new DataDirRefusedError(dataDir, `${problem} (${code})`, { cause: error })
}

/**
 * Makes a data folder for files of our user alone. One that is there stays as it is.
 *
 * @throws {DataDirRefusedError} Where nothing can be written.
 */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir, process.getuid?.() === 0 ? FOLDER_MODE_OF_ROOT : FOLDER_MODE)
    await access(dataDir, constants.W_OK)
  } catch (error) {
    throw toRefusal(error, dataDir)
  }
}

/**
 * Makes a folder that nobody but our user reads and writes, or closes one that an older version made. Others pass
 * through it where we are root: the embedded server runs as another user then, and its folder is below. Each folder
 * below and each file is closed by itself.
 */
async function closeToOthers(folder: string): Promise<void> {
  const uid = process.getuid?.()
  const mode = uid === 0 ? FOLDER_MODE_OF_ROOT : FOLDER_MODE
  await makeFolder(folder, mode)
  const found = await stat(folder)
  // One of another user's is theirs to close, and one that everybody uses, such as /tmp, has the sticky bit.
  if (found.uid === uid && (found.mode & STICKY) === 0) await chmod(folder, mode)
}

/**
 * Makes a folder, and those above it. Node's own way tries for ever below a link that leads nowhere, and in a file system
 * that makes none, and says of a full disk that there is no such folder.
 *
 * @see https://github.com/nodejs/node/issues/42808
 */
async function makeFolder(folder: string, mode: number): Promise<void> {
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (isThere) return
  const above = dirname(folder)
  if (above !== folder) await makeFolder(above, mode)
  try {
    await mkdir(folder, { mode })
  } catch (error) {
    // Another process may have made it in between.
    const found = await stat(folder).catch(() => undefined)
    if (found?.isDirectory() !== true) throw error
  }
}

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

/** A socket file of some work. Each claim has a new number: no other process takes its file for a dead one's. */
interface Claimed {
  name: string
  generation: number
}

/**
 * Listens on a new socket file, and removes those of processes that have ended.
 *
 * Who claims looks for the others before it listens and once more after that. So of two that claim at
 * once at least one sees the other, and withdraws; one that bound its file and does not listen yet looks
 * dead, but sees the other later.
 *
 * @returns Undefined where another process listens.
 */
async function listenAlone(folder: string, work: string): Promise<Server | undefined> {
  for (;;) {
    const before = await findClaimed(folder, work)
    if (await isAnyAnswered(folder, before)) return undefined
    const last = Math.max(0, ...before.map(({ generation }) => generation))
    const name = `${work}.${last + 1}.sock`
    const server = await listen(join(folder, name))
    if (server === undefined) continue
    const others = (await findClaimed(folder, work)).filter((other) => other.name !== name)
    if (!(await isAnyAnswered(folder, others))) {
      for (const dead of others) await rm(join(folder, dead.name), { force: true })
      return server
    }
    server.close()
    // Two that withdrew for each other do not meet again in step.
    await delay(randomInt(WITHDRAWN_MS_MAX))
  }
}

async function listen(path: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy())
  try {
    await once(server.listen(path), 'listening')
    return server
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return undefined
  }
}

async function findClaimed(folder: string, work: string): Promise<Claimed[]> {
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(`${work}.`) && name.endsWith('.sock'),
  )
  // Files without a number are of an earlier version.
  return names.map((name) => ({
    name,
    generation: Number(/\.(\d{1,15})\.sock$/.exec(name)?.[1] ?? 0),
  }))
}

async function isAnyAnswered(folder: string, claimed: readonly Claimed[]): Promise<boolean> {
  const answered = await Promise.all(claimed.map(({ name }) => isAnswered(join(folder, name))))
  return answered.includes(true)
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

/** Names this very folder: a copy of it, taken to another machine too, has another name. */
async function readName(path: string): Promise<string> {
  await appendFile(path, '', { mode: FILE_MODE })
  await chmod(path, FILE_MODE)
  const known = await readFile(path, 'utf8')
  const id = known === '' ? randomUUID() : known
  if (known === '') await writeFile(path, id)
  const { dev, ino } = await stat(path)
  return [id, hostname(), dev, ino].join(' ')
}
