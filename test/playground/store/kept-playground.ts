import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Api } from 'grammy'
import { onTestFinished } from 'vitest'
import { createPlayground, type PlaygroundOptions } from '../../../src/playground/playground.ts'
import { openStore, type Store } from '../../../src/playground/store/store.ts'

/** Makes a folder that is gone with the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-store-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Opens a playground on a folder, and its bot's client. */
export async function openKept(
  folder: string,
  {
    change = (store: Store) => store,
    ...options
  }: PlaygroundOptions & { change?: (store: Store) => Store } = {},
) {
  const store = openStore({ folder, token: options.token })
  const playground = createPlayground({ flood: 'off', ...options, store: change(store) })
  onTestFinished(() => playground.close())
  const { apiRoot } = await playground.listen()
  return { playground, apiRoot, api: new Api(playground.token, { apiRoot }) }
}

/** Copies what the disk has at this moment, as it would be found after a crash. */
export async function copyOf(folder: string): Promise<string> {
  const copy = await makeFolder()
  await cp(folder, copy, { recursive: true })
  return copy
}
