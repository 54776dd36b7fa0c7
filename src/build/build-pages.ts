import { join } from 'node:path'
import { build } from 'vite'
import { builtDir } from '../platform/built-dir.ts'

/** The style of formulas names each font in three formats; browsers that run these pages take the first. */
const woff2Only = {
  name: 'woff2-only',
  enforce: 'pre',
  transform(code: string, id: string): string | undefined {
    if (!id.endsWith('/katex.min.css')) return undefined
    return code.replaceAll(/,url\([^)]+\.(?:woff|ttf)\) format\("\w+"\)/g, '')
  },
} as const

const PAGES = [
  { name: 'admin', source: '../bot/admin/dashboard/page' },
  { name: 'playground', source: '../playground/page' },
]

/** Builds each page into `build/<name>`. */
export async function buildPages(): Promise<void> {
  for (const { name, source } of PAGES) {
    await buildPage({ name, root: join(import.meta.dirname, source) })
  }
}

async function buildPage({ name, root }: { name: string; root: string }) {
  await build({
    root,
    // Addresses relative to the page: a proxy may serve it below any path.
    base: './',
    // One for every file, also those that a page shares.
    tsconfig: join(root, 'tsconfig.json'),
    configFile: false,
    logLevel: 'warn',
    plugins: [woff2Only],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: builtDir(name),
      emptyOutDir: true,
      // What is inlined becomes a data: URL, which the pages' policy refuses.
      assetsInlineLimit: 0,
      // Every browser that runs modules of this age preloads them by itself.
      modulePreload: { polyfill: false },
    },
  })
}
