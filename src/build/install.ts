/** The end of an installation, after `prisma generate`, and `npm run pages`: builds the playground's page into `build/`. */
import { join } from 'node:path'
import { build } from 'vite'
import { builtDir } from '../platform/installation.ts'

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
