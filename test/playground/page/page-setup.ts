import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { en, type Words } from '../../../src/playground/page/words/en.ts'
import { ru } from '../../../src/playground/page/words/ru.ts'
import { DESKTOP, type Look } from '../../bot/dashboard/page/browser.ts'
import { openWindowOn } from '../../bot/dashboard/page/page-setup.ts'
import { createTestDatabase } from '../../database/test-database.ts'
import { type Kopeck, NO_SERVICE_LIMITS, startKopeck } from '../../e2e/kopeck.ts'
import { findFreePort } from '../../http/free-port.ts'
import { asUser } from './as-user.ts'

/** The whole program without a token, as `npm start` has it: its page has the same address after a restart. */
export async function startProgram(env: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-page-'))
  const [port, pagePort] = [await findFreePort(), await findFreePort()]
  const whole = {
    ...{ DATABASE_URL: await createTestDatabase(), DATA_DIR: dataDir, BROWSER: 'none' },
    ...{ PORT: port, PLAYGROUND_PORT: pagePort, ...NO_SERVICE_LIMITS, ...env },
  }
  let kopeck: Kopeck = await startKopeck(whole)
  onTestFinished(async () => {
    await kopeck.kill()
    await rm(dataDir, { recursive: true, force: true })
  })
  return {
    root: `http://127.0.0.1:${pagePort}`,
    /** Of the service and the page of admins. */
    address: `http://127.0.0.1:${port}`,
    kill: () => kopeck.kill(),
    async startAgain() {
      kopeck = await startKopeck(whole)
    },
  }
}

export type Program = Awaited<ReturnType<typeof startProgram>>

/** A window on a program's page, which fails the test by any word in its console and any request elsewhere. */
export async function openPageOf(
  { root, address }: Pick<Program, 'root' | 'address'>,
  look: Look = DESKTOP,
) {
  const window = await openWindowOn(root, look, { besides: [address] })
  const words: Words = look.locale === 'ru-RU' ? ru : en
  return { ...window, ...asUser(window.page, { root, words }), words, root }
}
