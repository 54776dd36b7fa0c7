import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { en, type Words } from '../../../src/playground/page/words/en.ts'
import { ru } from '../../../src/playground/page/words/ru.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { createActor } from '../../playground/web/open-page.ts'
import { type Kopeck, NO_SERVICE_LIMITS, startKopeck } from '../../support/kopeck.ts'
import { DESKTOP, type Look } from '../dashboard/browser.ts'
import { openWindowOn } from '../dashboard/page-setup.ts'
import { asUser } from './as-user.ts'

/** The whole program without a token, as `npm start` has it: its page has the same address after a restart. */
export async function startProgram() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-page-'))
  const [port, pagePort] = [await findFreePort(), await findFreePort()]
  const env = {
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    PORT: port,
    PLAYGROUND_PORT: pagePort,
    ...NO_SERVICE_LIMITS,
  }
  let kopeck: Kopeck = await startKopeck(env)
  return {
    root: `http://127.0.0.1:${pagePort}`,
    address: `http://127.0.0.1:${port}`,
    kill: () => kopeck.kill(),
    /** Waits until a text is in the playground's file: a crash loses its last two seconds. */
    async untilKept(text: string) {
      await expect.poll(() => readState(dataDir), { timeout: 20_000 }).toContain(text)
    },
    async startAgain() {
      kopeck = await startKopeck(env)
    },
    async end() {
      await kopeck.kill()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function readState(dataDir: string): Promise<string> {
  const names = await readdir(dataDir, { recursive: true })
  const files = names.filter((name) => /^(playground.)?\d+\.json$/.test(name))
  const texts = files.map((name) => readFile(join(dataDir, name), 'utf8').catch(() => ''))
  return (await Promise.all(texts)).join()
}

/** One program for all tests of a file: each talks to the bot as somebody of its own. */
export function shareProgram() {
  let program: Program
  beforeAll(async () => {
    program = await startProgram()
  })
  afterAll(() => program.end())
  return { meetBot, startTalk, open, kill, untilKept, startAgain }

  function kill(): Promise<void> {
    return program.kill()
  }

  function untilKept(text: string): Promise<void> {
    return program.untilKept(text)
  }

  function startAgain(): Promise<void> {
    return program.startAgain()
  }

  function open(look?: Look) {
    return openPageOf(program, look)
  }

  async function meetBot() {
    const person = await createActor(program.root).act('/people', { first_name: 'Ada' })
    const { id } = person as { id: number }
    const tab = await open()
    await tab.enter(id, id)
    return { ...tab, userId: id, start: () => tab.start(id) }
  }

  async function startTalk() {
    const tab = await meetBot()
    await tab.start()
    return tab
  }
}

export type Program = Awaited<ReturnType<typeof startProgram>>

/** A window on a program's page, which fails the test by any word in its console and any request elsewhere. */
async function openPageOf({ root, address }: Pick<Program, 'root' | 'address'>, look = DESKTOP) {
  const window = await openWindowOn(root, look, { besides: [address] })
  const words: Words = look.locale === 'ru-RU' ? ru : en
  return { ...window, ...asUser(window.page, { root, words }), words, root }
}
