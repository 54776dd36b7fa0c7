import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Which Kopeck this is. */
export interface BuildInfo {
  version: string
  commit: string
}

const ROOT = join(import.meta.dirname, '../..')
const UNKNOWN = 'unknown'

/**
 * Reads which Kopeck this is, from its package.json. A package has its commit there from its build on, under npm's own
 * word; that of a clone may be another one after each pull, so git is asked.
 *
 * @param root The folder that has the package.json.
 */
export async function readBuildInfo(root = ROOT): Promise<BuildInfo> {
  const { version, gitHead } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    version: string
    gitHead?: string
  }
  return { version, commit: gitHead ?? (await findCommit(root)) }
}

/** The repository is named: another one may lie around an unpacked archive, and another user may own ours. */
async function findCommit(root: string): Promise<string> {
  try {
    const args = [`--git-dir=${join(root, '.git')}`, 'rev-parse', 'HEAD']
    const { stdout } = await promisify(execFile)('git', args)
    return stdout.trim()
  } catch {
    // No git, or no repository.
    return UNKNOWN
  }
}
