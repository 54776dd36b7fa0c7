/**
 * The end of an installation, after `prisma generate`, and `npm run pages`: builds the playground's page into
 * `build/`. After an installation without development packages (`--omit=dev`, NODE_ENV=production) it removes the build's
 * own packages.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { builtDir } from '../platform/installation.ts'
import { CLONE_DIR, readModules } from './modules.ts'

/** The style of formulas names each font in three formats; browsers that run the page take the first. */
const woff2Only = {
  name: 'woff2-only',
  enforce: 'pre',
  transform(code: string, id: string): string | undefined {
    if (!id.endsWith('/katex.min.css')) return undefined
    return code.replaceAll(/,url\([^)]+\.(?:woff|ttf)\) format\("\w+"\)/g, '')
  },
} as const

const PAGE = join(import.meta.dirname, '../playground/page')

/** Types and source maps serve a build. */
const OF_BUILDS = /\.(?:map|d\.[cm]?ts)$/

/** Prisma brings a query compiler for each kind of database, in two sizes; the generated client loads one. */
const PRISMA_RUNTIME = 'node_modules/@prisma/client/runtime'
const OF_PRISMA = /^(?:client\.m?js|query_compiler_small_bg\.postgresql(?:\.wasm-base64)?\.mjs)$/

// Before the page is built: Vite sets NODE_ENV, too.
const { npm_config_omit: omitted = '', npm_config_include: included = '', NODE_ENV } = process.env
const isWithoutDev =
  omitted.includes('dev') || (NODE_ENV === 'production' && !included.includes('dev'))
const isInstallation = process.env.npm_lifecycle_event === 'postinstall'
await buildPage()
if (isInstallation && isWithoutDev) await trimModules()

async function buildPage(): Promise<void> {
  await build({
    root: PAGE,
    // Addresses relative to the page: a proxy may serve it below any path.
    base: './',
    // One for every file, including shared files.
    tsconfig: join(PAGE, 'tsconfig.json'),
    configFile: false,
    logLevel: 'warn',
    plugins: [woff2Only],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: builtDir('playground'),
      emptyOutDir: true,
      // An inlined file becomes a data: URL, which the page's policy refuses.
      assetsInlineLimit: 0,
      // Every browser that runs modules of this age preloads them by itself.
      modulePreload: { polyfill: false },
    },
  })
}

/** Removes what nothing needs any more once an installation for production has been built: two thirds of its bytes. */
async function trimModules(): Promise<void> {
  const { all, loaded } = await readModules()
  const rest = all.filter((path) => !loaded.has(path) && !isAround(path))
  for (const path of rest) await rm(join(CLONE_DIR, path), { recursive: true, force: true })
  await removeFiles(PRISMA_RUNTIME, (name) => !OF_PRISMA.test(name))
  for (const path of loaded) {
    if (/\/node-(?:bin-)?(?:linux|darwin)-/.test(path)) {
      await rm(join(CLONE_DIR, path, 'include'), { recursive: true, force: true })
    }
  }
  await removeFiles('node_modules', (name) => OF_BUILDS.test(name))

  function isAround(path: string): boolean {
    return loaded.values().some((each) => each.startsWith(`${path}/`))
  }
}

async function removeFiles(folder: string, isUnneeded: (name: string) => boolean): Promise<void> {
  const entries = await readdir(join(CLONE_DIR, folder), { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (entry.isFile() && isUnneeded(entry.name)) await rm(join(entry.parentPath, entry.name))
  }
}
