/**
 * `npm run package`: makes `build/package`, what is installed where there is no clone: the program as JavaScript, the
 * pages, the migrations, and a lockfile of what it loads. `npm pack ./build/package` and the Dockerfile are made of it.
 */
import { execFileSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { readBuildInfo } from '../platform/build-info.ts'
import {
  BUILD_DEPENDENCIES,
  CLONE_DIR,
  isLoadedOfPrisma,
  PRISMA_RUNTIME,
  readModules,
} from './modules.ts'

const PACKAGE = join(CLONE_DIR, 'build/package')

const COPIED = [
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'prisma/migrations',
  'build/admin',
  'build/playground',
  'build/swagger-ui',
]
const BUILT_SOURCES = /^(?:build|bot\/admin\/dashboard\/page|platform\/page|playground\/page)\//
const PRISMA_IMPORT = '@prisma/client/runtime/'
const BASE64 = '.wasm-base64.mjs'

const FOR_BROWSERS = /browser\.js$/i
const SCHEMA_COMMENT = /\\n *\/\/(?:(?!\\n).)*/g

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
await takePrismaIn()
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

/** Has the generated client load the few files that it needs of a package of 70 MB from the package itself. */
async function takePrismaIn(): Promise<void> {
  await mkdir(join(PACKAGE, 'build/prisma'), { recursive: true })
  for (const name of await readdir(join(CLONE_DIR, PRISMA_RUNTIME))) {
    // Of two forms of one file the module.
    if (!isLoadedOfPrisma(name) || extname(name) !== '.mjs') continue
    const path = join(CLONE_DIR, PRISMA_RUNTIME, name)
    if (name.endsWith(BASE64)) await unpackBase64(path)
    else await cp(path, join(PACKAGE, 'build/prisma', name))
  }
  const license = 'node_modules/@prisma/client/LICENSE'
  await cp(join(CLONE_DIR, license), join(PACKAGE, 'build/prisma/LICENSE'))
  const generated = join(PACKAGE, 'src/platform/database/generated')
  for (const entry of await readdir(generated, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    if (FOR_BROWSERS.test(entry.name)) {
      await rm(path)
      continue
    }
    const code = await readFile(path, 'utf8')
    await writeFile(
      path,
      code
        .replaceAll(SCHEMA_COMMENT, '')
        .replaceAll(`${PRISMA_IMPORT}client"`, '#prisma/client.mjs"')
        .replaceAll(PRISMA_IMPORT, '#prisma/'),
    )
  }
}

/**
 * Puts the bytes beside the module that has them as base64, and has it read them from there: base64 packs a third worse,
 * and brotli, which Node reads in some milliseconds, packs a quarter better than what npm packs by.
 */
async function unpackBase64(path: string): Promise<void> {
  const { wasm } = (await import(path)) as { wasm: string }
  const target = join(PACKAGE, 'build/prisma', basename(path))
  const bytes = `${basename(path, BASE64)}.wasm.br`
  await writeFile(join(dirname(target), bytes), brotliCompressSync(Buffer.from(wasm, 'base64')))
  await writeFile(
    target,
    `import { readFile } from 'node:fs/promises'
import { brotliDecompressSync } from 'node:zlib'
const packed = await readFile(new URL('${bytes}', import.meta.url))
export const wasm = brotliDecompressSync(packed).toString('base64')
`,
  )
}

async function writeManifests(): Promise<void> {
  const read = async (name: string) => JSON.parse(await readFile(join(CLONE_DIR, name), 'utf8'))
  const { name, version, description, type, license, bin, engines, ...rest } =
    await read('package.json')
  const lock = await read('package-lock.json')
  const { loaded } = await readModules()
  const client = 'node_modules/@prisma/client'
  const own = Object.entries({
    ...rest.dependencies,
    ...lock.packages[client].dependencies,
  }).filter(([each]) => !BUILD_DEPENDENCIES.has(each) && each !== '@prisma/client')
  const manifest = {
    ...{ name, version, description, type, license, bin, engines },
    // A build of a copy without its repository, as in a container, is told which commit that is of.
    gitHead: process.env.COMMIT || (await readBuildInfo()).commit,
    imports: { '#prisma/*': './build/prisma/*' },
    dependencies: Object.fromEntries(own.sort()),
    optionalDependencies: rest.optionalDependencies,
  }
  const packages = Object.entries(lock.packages).filter(
    ([path]) => loaded.has(path) && path !== client,
  )
  await writeJson('package.json', manifest)
  await writeJson('npm-shrinkwrap.json', {
    ...lock,
    packages: { '': manifest, ...Object.fromEntries(packages) },
  })
}

async function writeJson(name: string, value: unknown): Promise<void> {
  await writeFile(join(PACKAGE, name), `${JSON.stringify(value, null, 2)}\n`)
}
