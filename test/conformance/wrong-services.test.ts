import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collectChecks } from './check.ts'
import { NotSeenError, RUN_MAX } from './service.ts'
import { openSoundService, type Rules } from './sound-service.ts'
import { WRONG_SERVICES } from './wrong-services.ts'

const checks = await collectChecks(async () => {
  const names = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.test.ts'))
  for (const name of names.toSorted()) {
    if (!name.startsWith('wrong-')) await import(join(import.meta.dirname, name))
  }
})

/** Runs every check. @returns The checks that fail, and those that see nothing. */
async function judge(wrong: Partial<Rules>) {
  const { service, used } = openSoundService(wrong)
  const failed: string[] = []
  const unseen: string[] = []
  for (const [name, run] of checks) {
    await run(service).catch((error: unknown) => {
      if (error instanceof NotSeenError) unseen.push(name)
      else failed.push(name)
    })
  }
  return { failed, unseen, used }
}

test('a service that keeps every rule passes every check', async () => {
  expect(await judge({})).toMatchObject({ failed: [], unseen: [] })
})

test('a run asks for no more than it states before', async () => {
  const { used } = await judge({})
  for (const [what, max] of Object.entries(RUN_MAX)) {
    expect([what, used[what as keyof typeof used] <= max]).toEqual([what, true])
  }
})

test('each check has a wrong service', () => {
  expect(Object.keys(WRONG_SERVICES).toSorted()).toEqual([...checks.keys()].toSorted())
})

test.each(Object.entries(WRONG_SERVICES))('a service breaks: %s', async (name, wrong) => {
  expect((await judge(wrong)).failed).toEqual([name])
})
