/**
 * Which installed packages the program loads, and which only its build does: by the lockfile.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const CLONE_DIR = join(import.meta.dirname, '../..')

/** Dependencies that an installation needs once, to generate the database's client and build the pages. */
export const BUILD_DEPENDENCIES: ReadonlySet<string> = new Set([
  '@preact/signals',
  'katex',
  'preact',
  'prisma',
  'vite',
])

interface LockedPackage {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

export async function readModules(): Promise<{ all: string[]; loaded: Set<string> }> {
  const text = await readFile(join(CLONE_DIR, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> }
  const { dependencies = {}, optionalDependencies = {} } = packages[''] ?? {}
  const roots = Object.keys({ ...dependencies, ...optionalDependencies })
  const loaded = new Set<string>()
  for (const name of roots) if (!BUILD_DEPENDENCIES.has(name)) add('', name)
  return { all: Object.keys(packages).filter((path) => path !== ''), loaded }

  function add(from: string, name: string): void {
    const path = find(from, name)
    if (path === undefined || loaded.has(path)) return
    loaded.add(path)
    for (const needed of namesOf(packages[path] ?? {})) add(path, needed)
  }

  /** As Node looks it up: in the folder of who asks, and in each above it. */
  function find(from: string, name: string): string | undefined {
    const path = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`
    if (path in packages) return path
    const above = from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1))
    return from === '' ? undefined : find(above, name)
  }
}

function namesOf(locked: LockedPackage): string[] {
  const { peerDependencies = {}, peerDependenciesMeta: meta = {} } = locked
  const peers = Object.keys(peerDependencies).filter((name) => !meta[name]?.optional)
  return [...Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }), ...peers]
}
