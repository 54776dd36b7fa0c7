import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'

/** The modules with which each role of a process begins. */
const ROOTS = [
  'process/config/config.ts',
  'service/service.ts',
  'contract/client/service-client.ts',
  'bot/bot.ts',
  'playground/playground.ts',
]

const SCRIPT = `
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  for (const root of process.argv.slice(1)) await import(root)
  process.stdout.write(JSON.stringify(urls))
`

/** The addresses of every module that the roots load, in a process of their own. */
async function loadRoots(): Promise<string[]> {
  const roots = ROOTS.map((root) => new URL(`../src/${root}`, import.meta.url).href)
  const args = ['--input-type=module', '--eval', SCRIPT, '--', ...roots]
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const options = { maxBuffer: 16 * 2 ** 20 }
  execFile(process.execPath, args, options, (error, stdout) =>
    error === null ? resolve(stdout) : reject(error),
  )
  return JSON.parse(await promise)
}

/** Packages that are not loaded, or only in threads that end, or where traces are exported. */
const NEVER =
  /\/node_modules\/(@opentelemetry\/(?!api\/)|echarts|katex|mammoth|pino-pretty|unpdf|yauzl|typebox\/build\/value)\//

test('no role loads checkers, typesetters, exporters and readers of files that it never asks for', async () => {
  const urls = await loadRoots()

  expect(urls.filter((url) => NEVER.test(url))).toEqual([])
  expect(urls.some((url) => url.includes('/node_modules/ajv/'))).toBe(true)
})
