import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The style of formulas names each font in three formats; browsers that run these pages take the first. */
const woff2Only = {
  name: 'woff2-only',
  enforce: 'pre',
  transform(code: string, id: string): string | undefined {
    if (!id.endsWith('/katex.min.css')) return undefined
    return code.replaceAll(/,url\([^)]+\.(?:woff|ttf)\) format\("\w+"\)/g, '')
  },
} as const

/** Every page that a process serves: its name below `build/`, and its source. */
const PAGES = [
  { name: 'admin', source: 'src/bot/admin/dashboard/page' },
  { name: 'playground', source: 'src/playground/page' },
]

/**
 * `npm run pages`, and the end of an installation: builds each page into `build/<name>`. An installation
 * without sources (the first step of the Dockerfile) has nothing to build yet, and is told so.
 */
for (const page of PAGES) {
  const root = join(import.meta.dirname, page.source)
  if (existsSync(root)) await buildPage({ name: page.name, root })
  else
    process.stdout.write(`Not built: ${page.source} is not there yet; npm run pages builds it.\n`)
}

async function buildPage({ name, root }: { name: string; root: string }) {
  const { build } = await import('vite')
  await build({
    root,
    // Addresses relative to the page: a proxy may serve it below any path.
    base: './',
    // One for every file, also those that a page shares: the server's own has bases that only developers install.
    tsconfig: join(root, 'tsconfig.json'),
    configFile: false,
    logLevel: 'warn',
    plugins: [woff2Only],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: join(import.meta.dirname, 'build', name),
      emptyOutDir: true,
      // What is inlined becomes a data: URL, which the pages' policy refuses.
      assetsInlineLimit: 0,
      // Every browser that runs modules of this age preloads them by itself.
      modulePreload: { polyfill: false },
    },
  })
}
