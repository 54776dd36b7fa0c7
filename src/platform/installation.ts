/** The installation that runs: its version, its files, and how people call it. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
/** A clone is TypeScript, and has a script of npm for each subcommand; the package is JavaScript and has `kopeck`. */
const IS_CLONE = extname(import.meta.url) === '.ts'

export interface BuildInfo {
  version: string
  commit: string
}

/** Reads the version and commit. A package has its commit in package.json; in a clone git is asked. */
export async function readBuildInfo(root = ROOT): Promise<BuildInfo> {
  const { version, gitHead } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    version: string
    gitHead?: string
  }
  return { version, commit: gitHead ?? (await findCommit(root)) }
}

async function findCommit(root: string): Promise<string> {
  try {
    // The repository is named: another repository may contain the folder, and another user may own it.
    const args = [`--git-dir=${join(root, '.git')}`, 'rev-parse', 'HEAD']
    const { stdout } = await promisify(execFile)('git', args)
    return stdout.trim()
  } catch {
    // No git, or no repository.
    return 'unknown'
  }
}

/** Returns the folder into which an installation builds a page, or copies the files of a library (`src/build`). */
export function builtDir(name: string): string {
  return join(ROOT, 'build', name)
}

/** Returns a program beside a module, for a process or a thread of its own. Its name has no extension. */
export function programUrl(name: string, moduleUrl: string): URL {
  return new URL(`${name}${extname(moduleUrl)}`, moduleUrl)
}

/** Writes a subcommand as a person types it: `npm run account -- list`, or `npx kopeck account list` after npx. */
export function writeCommand(name: string, ...args: readonly string[]): string {
  if (IS_CLONE) {
    const script = name === 'start' ? 'npm start' : `npm run ${name}`
    return [script, ...(args.length === 0 ? [] : ['--', ...args])].join(' ')
  }
  const kopeck = process.env.npm_lifecycle_event === 'npx' ? 'npx kopeck' : 'kopeck'
  return [kopeck, name, ...args].join(' ')
}
