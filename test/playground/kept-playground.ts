import { cp } from 'node:fs/promises'
import { Api } from 'grammy'
import { onTestFinished } from 'vitest'
import { createPlayground, type PlaygroundOptions } from '../../src/playground/playground.ts'
import { openStore } from '../../src/playground/store.ts'
import { makeFolder } from '../support/make-folder.ts'

/** Opens a playground on a folder, and its bot's client. */
export async function openKept(folder: string, options: PlaygroundOptions = {}) {
  const logged: string[] = []
  const store = openStore({ folder, token: options.token, log: (line) => logged.push(line) })
  const playground = createPlayground({ flood: 'off', ...options, store })
  onTestFinished(() => playground.close())
  const { apiRoot } = await playground.listen()
  return { playground, apiRoot, logged, api: new Api(playground.token, { apiRoot }) }
}

/** Copies a folder in its state at this moment, as after a crash. */
export async function copyOf(folder: string): Promise<string> {
  const copy = await makeFolder()
  await cp(folder, copy, { recursive: true })
  return copy
}
