import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bytesBelow, copyClone, install, runIn, startFrom, TYPESCRIPT } from './installed.ts'

const MB = 1_000_000

test('an installation for production is at most 320 MB, and serves its pages and its document', async () => {
  const clone = await copyClone()

  await install(clone, { npm_config_omit: 'dev' })
  const address = await startFrom(join(clone, 'src/kopeck.js'))
  const paths = ['/healthz', '/admin/', '/api/v1/docs', '/api/v1/docs/swagger-ui.css']
  const answers = await Promise.all(paths.map((path) => fetch(`${address}${path}`)))

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await bytesBelow(join(clone, 'node_modules'))).toBeLessThan(320 * MB)
})

test('the package is JavaScript with all that it loads, and runs where there is no clone', async () => {
  const clone = await copyClone()
  await install(clone)
  await runIn(clone, [...TYPESCRIPT, 'src/build/build-package.ts'])
  const installed = join(clone, 'node_modules/kopeck')
  await rename(join(clone, 'build/package'), installed)
  await install(clone, { NODE_ENV: 'production' })

  const launcher = join(installed, 'src/kopeck.js')
  const address = await startFrom(launcher)
  const { status } = await fetch(`${address}/healthz`)
  const { stdout } = await runIn(clone, [launcher, '--help'])

  expect([status, stdout]).toEqual([200, expect.stringContaining('Usage: kopeck')])
  expect(await bytesBelow(installed)).toBeLessThan(20 * MB)
  // It compiles the program, and starts it.
}, 120_000)

test('a clone that no installation has built is refused with one sentence', async () => {
  const clone = await copyClone()

  const refused = runIn(clone, ['src/kopeck.js', 'start'])

  await expect(refused).rejects.toMatchObject({
    code: 2,
    stderr: `Kopeck is not built: run npm ci in ${clone}/, without --ignore-scripts\n`,
  })
})
