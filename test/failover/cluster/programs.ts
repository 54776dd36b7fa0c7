import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, readdirSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Debian keeps each major version of PostgreSQL here. */
const VERSIONS = '/usr/lib/postgresql'
/** The packages of Debian that the cluster is made of, and a file that each brings. */
const PACKAGES = {
  patroni: '/usr/bin/patroni',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  faketime: '/usr/bin/faketime',
  postgresql: VERSIONS,
}

const runFile = promisify(execFile)
/** How many of its last lines are in the error of a program that fails. */
const LINES_MAX = 3

/** A program that runs until it is ended. */
export interface Program {
  pid: number
  /** Ends it as a power cut does. */
  kill(): Promise<void>
}

/** Starts programs as a user that PostgreSQL accepts, and ends what still runs. */
export interface Programs {
  /** Where PostgreSQL's own programs are. */
  postgresDir: string
  /** Makes a folder of that user. */
  makeFolder(path: string): Promise<void>
  /** @param log What it writes is added to this file. */
  start(command: string, args: readonly string[], log: string): Program
  /** Runs it to its end. @throws With what it wrote last, if it ends with anything but 0. */
  run(command: string, args: readonly string[]): Promise<void>
  /** Ends those that still run, the last first. */
  close(): Promise<void>
}

/** Installs what is missing of the packages. @throws If a package is missing and this is not root. */
export function installPackages(): void {
  const missing = Object.entries(PACKAGES).filter(([, file]) => !existsSync(file))
  if (missing.length === 0) return
  const names = missing.map(([name]) => name)
  if (process.getuid?.() !== 0) {
    throw new Error(`Cannot install as this user: apt-get install ${names.join(' ')}`)
  }
  process.stdout.write(`installing ${names.join(', ')}\n`)
  execFileSync('apt-get', ['update', '-q'], { stdio: 'ignore' })
  const options = ['install', '-q', '-y', '--no-install-recommends']
  // Debian starts what it installs, at the ports that everybody knows: the cluster needs none of it.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  execFileSync('apt-get', [...options, ...names], { stdio: ['ignore', 'ignore', 'inherit'], env })
}

/** Finds the programs. PostgreSQL refuses to run as root, so root's run as `postgres`, which its package makes. */
export function createPrograms(): Programs {
  const user =
    process.getuid?.() === 0 ? { uid: readId('-u'), gid: readId('-g') } : ({} as { uid?: number })
  const running: Program[] = []
  const [newest] = readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one))
  // Secrets of the operator are none of theirs.
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: '/', PYTHONUNBUFFERED: '1' }
  const options = { ...user, env, cwd: '/' }
  return { postgresDir: join(VERSIONS, newest ?? '', 'bin'), makeFolder, start, run, close }

  async function makeFolder(path: string): Promise<void> {
    await mkdir(path, { recursive: true })
    if ('gid' in user) await chown(path, user.uid, user.gid)
  }

  function start(command: string, args: readonly string[], log: string): Program {
    const file = openSync(log, 'a')
    const child = spawn(command, args, { ...options, stdio: ['ignore', file, file] })
    const exited = once(child, 'exit')
    // A command that cannot be started says so here.
    child.on('error', (error) => process.stderr.write(`${command}: ${error.message}\n`))
    const program = {
      pid: child.pid ?? 0,
      async kill() {
        child.kill('SIGKILL')
        await exited
      },
    }
    running.push(program)
    return program
  }

  async function run(command: string, args: readonly string[]): Promise<void> {
    try {
      await runFile(command, [...args], options)
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      const words = `${stdout}${stderr}`.trim().split('\n').slice(-LINES_MAX).join('\n')
      throw new Error(`Cannot run ${[command, ...args].join(' ')}: ${words}`)
    }
  }

  async function close(): Promise<void> {
    for (const program of running.reverse()) await program.kill()
  }
}

function readId(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
}
