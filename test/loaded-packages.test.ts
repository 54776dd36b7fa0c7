import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

/** What the roles are built from; each is imported when it is known that it runs. */
const ROLES = ['bot/bot.ts', 'playground/playground.ts', 'service/service.ts']

/** Imports every role in a process of its own. Resolves with the names of the packages it loads. */
async function readLoadedPackages(): Promise<string[]> {
  const modules = ROLES.map((path) => new URL(`../src/${path}`, import.meta.url).href)
  const code = `
    import { registerHooks } from 'node:module'
    const packages = new Set()
    registerHooks({
      load(url, context, nextLoad) {
        const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
        if (name !== undefined) packages.add(name)
        return nextLoad(url, context)
      },
    })
    for (const module of ${JSON.stringify(modules)}) await import(module)
    process.stdout.write(JSON.stringify([...packages]))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code])
  return JSON.parse(stdout)
}

test('no role loads KaTeX, which only HTML of formulas needs', async () => {
  const packages = await readLoadedPackages()

  expect(packages).toContain('micromark-extension-math')
  expect(packages).not.toContain('katex')
})

test('tests run libraries as users run them, without a slower build for developers', () => {
  expect(import.meta.resolve('mdast-util-from-markdown')).not.toContain('/dev/')
})
