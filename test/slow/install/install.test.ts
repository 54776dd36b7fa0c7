import { execFile } from 'node:child_process'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyClone, install, runIn, startFrom, TYPESCRIPT } from './installed.ts'

const MB = 1_000_000
const COMMIT = '0af7651916cd43dd8448eb211c80319cb7ad6b71'

let clone: Awaited<ReturnType<typeof copyClone>>
let unbuilt: unknown

/** One clone on its way: not built, built, and with the package made of it and only the modules that it lists. */
beforeAll(async () => {
  clone = await copyClone()
  unbuilt = await runIn(clone.root, ['src/kopeck.js', 'start']).catch((error: Error) => error)
  await install(clone.root)
  await runIn(clone.root, [...TYPESCRIPT, 'src/build/build-package.ts'], { COMMIT })
  await rename(join(clone.root, 'build/package'), join(clone.root, 'node_modules/kopeck'))
  const listed = await readLocked('node_modules/kopeck/npm-shrinkwrap.json')
  for (const path of (await readLocked('package-lock.json')).difference(listed)) {
    await rm(join(clone.root, path), { recursive: true, force: true })
  }
}, 180_000)
afterAll(() => clone[Symbol.asyncDispose]())

/** Returns the paths of the packages that no other package contains. */
async function readLocked(lockfile: string): Promise<Set<string>> {
  const { packages } = JSON.parse(await readFile(join(clone.root, lockfile), 'utf8'))
  return new Set(
    Object.keys(packages).filter((path) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)),
  )
}

test('a clone that no installation has built is refused with one sentence', () => {
  expect(unbuilt).toMatchObject({
    code: 2,
    stderr: `Kopeck is not built: run npm ci in ${clone.root}/, without --ignore-scripts\n`,
  })
})

test('a clone serves its page and its document with the modules that the package lists', async () => {
  const { address } = await startFrom(join(clone.root, 'src/kopeck.js'))
  const paths = ['/healthz', '/admin/', '/api/v1/openapi.json']
  const answers = await Promise.all(paths.map((path) => fetch(`${address}${path}`)))

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
})

test('the package is JavaScript with all that it loads, and runs where there is no clone', async () => {
  const installed = join(clone.root, 'node_modules/kopeck')
  const launcher = join(installed, 'src/kopeck.js')

  const { address, lines } = await startFrom(launcher)
  const { status } = await fetch(`${address}/healthz`)
  const { stdout: help } = await runIn(clone.root, [launcher, '--help'])
  const { stdout: version } = await runIn(clone.root, [launcher, '--version'])

  expect([status, help]).toEqual([200, expect.stringContaining('Usage: kopeck')])
  expect(version).toContain(`(commit ${COMMIT}, `)
  expect(await readdir(installed)).toContain('CHANGELOG.md')
  const ofBuilds = new Set(['vite', 'prisma', 'typescript'].map((id) => `node_modules/${id}`))
  expect([
    ...ofBuilds.intersection(await readLocked('node_modules/kopeck/npm-shrinkwrap.json')),
  ]).toEqual([])
  await expect.poll(() => lines).toContain('To see a conversation played: kopeck demo')
  const packed = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', installed])
  expect(JSON.parse(packed.stdout)[0].size).toBeLessThan(3 * MB)
})
