import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { claimDataDir } from '../../../src/platform/database/data-dir.ts'
import { makeFolder } from '../../support/make-folder.ts'

/** CLAIM_ROUNDS=200 for a long look. */
const ROUNDS = Number(process.env.CLAIM_ROUNDS ?? 3)
const MODULE = join(import.meta.dirname, '../../../src/platform/database/data-dir.ts')

async function claim(folder: string, roles = ['bot']) {
  const claimed = await claimDataDir(folder, roles)
  if (claimed !== undefined) onTestFinished(claimed.release)
  return claimed
}

async function startClaimant(folder: string) {
  const script = `
    const { claimDataDir } = await import(${JSON.stringify(MODULE)})
    console.log((await claimDataDir(${JSON.stringify(folder)}, ['bot'])).name)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  return {
    name: String(line).trim(),
    signal: (name: NodeJS.Signals) => child.kill(name),
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

test('a folder that a living process has claimed cannot be claimed, frozen as it may be', async () => {
  const folder = await makeFolder()
  const { signal } = await startClaimant(folder)

  const beside = await claim(folder)
  signal('SIGSTOP')
  const besideFrozen = await claim(folder)

  expect([beside, besideFrozen]).toEqual([undefined, undefined])
})

test('a claim of a process that was killed is free at once, under the same name', async () => {
  const folder = await makeFolder()
  const { name, kill } = await startClaimant(folder)
  await kill()

  expect((await claim(folder))?.name).toBe(name)
})

test('processes of different roles have claims of their own in one folder', async () => {
  const folder = await makeFolder()

  const names = [await claim(folder, ['bot']), await claim(folder, ['service'])]

  expect(new Set(names.map((claimed) => claimed?.name)).size).toBe(2)
})

test('a copy of a folder has another name', async () => {
  const folder = await makeFolder()
  const copy = await makeFolder()
  const original = await claim(folder)
  await cp(join(folder, 'instance'), join(copy, 'instance'))

  const name = (await claim(copy))?.name

  expect(name).toBeDefined()
  expect(name).not.toBe(original?.name)
})

test('of many that claim a folder at once after a kill -9 one gets it', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const folder = await makeFolder()
    const { kill } = await startClaimant(folder)
    await kill()

    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(folder)))

    expect(claims.filter((claimed) => claimed !== undefined)).toHaveLength(1)
    expect(await readdir(folder)).toEqual(['bot.lock', 'instance'])
  }
})

test('a new folder is closed to others; a folder that all use, such as /tmp, stays open to them', async () => {
  const parent = await makeFolder()
  await chmod(parent, 0o1777)

  await claim(parent)
  await claim(join(parent, 'new'))

  expect(await modeOf(parent)).toBe(0o1777)
  expect(await modeOf(join(parent, 'new'))).toBe(process.getuid?.() === 0 ? 0o711 : 0o700)
  expect(await modeOf(join(parent, 'new', 'instance'))).toBe(0o600)
})

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o7777
}
