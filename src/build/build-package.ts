/**
 * `npm run package`: makes `build/package`, what is installed where there is no clone: the program as JavaScript, the
 * pages, the migrations, and a lockfile of what it loads. `npm pack ./build/package` and the Dockerfile are made of it.
 */
import { execFileSync } from 'node:child_process'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { readBuildInfo } from '../platform/installation.ts'

const CLONE_DIR = join(import.meta.dirname, '../..')
const PACKAGE = join(CLONE_DIR, 'build/package')

/** Dependencies that an installation needs once, to generate the database's client and build the pages. */
const BUILD_DEPENDENCIES: ReadonlySet<string> = new Set([
  '@preact/signals',
  'katex',
  'preact',
  'prisma',
  'vite',
])

const COPIED = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'prisma/migrations', 'build/playground']
const BUILT_SOURCES = /^(?:build|platform\/page|playground\/page)\//
await rm(PACKAGE, { recursive: true, force: true })
execFileSync(
  join(CLONE_DIR, 'node_modules/.bin/tsc'),
  ['--project', join(import.meta.dirname, 'tsconfig.json')],
  {
    stdio: 'inherit',
  },
)
for (const path of COPIED) await cp(join(CLONE_DIR, path), join(PACKAGE, path), { recursive: true })
await copyAssets()
await writeManifests()

async function copyAssets(): Promise<void> {
  const src = join(CLONE_DIR, 'src')
  for (const entry of await readdir(src, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(src.length + 1)
    const isAsset = entry.isFile() && !['.ts', '.tsx'].includes(extname(name))
    if (isAsset && !BUILT_SOURCES.test(name)) await cp(path, join(PACKAGE, 'src', name))
  }
}

/** npm itself removes from the lockfile all packages that only a build needs. */
async function writeManifests(): Promise<void> {
  const text = await readFile(join(CLONE_DIR, 'package.json'), 'utf8')
  const { name, version, description, type, license, bin, engines, ...rest } = JSON.parse(text)
  const dependencies = Object.entries(rest.dependencies)
  const manifest = {
    ...{ name, version, description, type, license, bin, engines },
    // The build of a copy without its repository, as in a container, receives its commit by COMMIT.
    gitHead: process.env.COMMIT || (await readBuildInfo()).commit,
    dependencies: Object.fromEntries(dependencies.filter(([id]) => !BUILD_DEPENDENCIES.has(id))),
    optionalDependencies: rest.optionalDependencies,
  }
  await writeFile(join(PACKAGE, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await cp(join(CLONE_DIR, 'package-lock.json'), join(PACKAGE, 'npm-shrinkwrap.json'))
  const prune = ['install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit']
  execFileSync('npm', prune, { cwd: PACKAGE, stdio: 'inherit' })
}
