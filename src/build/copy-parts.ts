import { cp, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { builtDir } from '../platform/built-dir.ts'

/** The few files that the program loads of large packages: where they lie in the package, and what they become. */
const PARTS: Readonly<Record<string, { of: string; files: Readonly<Record<string, string>> }>> = {
  // What is built of it (`build-charts.ts`) is under these.
  echarts: { of: 'echarts', files: { LICENSE: 'LICENSE', NOTICE: 'NOTICE', licenses: 'licenses' } },
  'swagger-ui': {
    of: '@fastify/swagger-ui',
    files: {
      'static/swagger-ui.css': 'swagger-ui.css',
      'static/swagger-ui-bundle.js': 'swagger-ui-bundle.js',
      LICENSE: 'LICENSE',
    },
  },
}

/** Copies them into `build/<name>`: the packages are needed no more. */
export async function copyParts(): Promise<void> {
  for (const [name, { of, files }] of Object.entries(PARTS)) {
    const folder = builtDir(name)
    await rm(folder, { recursive: true, force: true })
    for (const [from, to] of Object.entries(files)) {
      const target = join(folder, to)
      await mkdir(dirname(target), { recursive: true })
      await cp(join(import.meta.dirname, '../../node_modules', of, from), target, {
        recursive: true,
      })
    }
  }
}
