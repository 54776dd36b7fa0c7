import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { YOU } from '../playground/people.ts'
import { createActor } from '../playground/web/open-page.ts'
import { startKopeck } from './kopeck.ts'

// Promise: The process is stopped in the middle of an answer
test('a stop in the middle of an answer lets it end in the playground', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-e2e-'))
  const port = await findFreePort()
  const kopeck = await startKopeck({
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    PLAYGROUND_PORT: port,
    BROWSER: 'none',
  })
  onTestFinished(async () => {
    await kopeck.kill()
    await rm(dataDir, { recursive: true })
  })
  const { act, readChat } = createActor(`http://127.0.0.1:${port}`)
  const read = async () => JSON.stringify(await readChat(YOU))
  await act(`/chats/${YOU}/starts`, { user_id: YOU })
  await act(`/chats/${YOU}/messages`, { user_id: YOU, text: 'Write 900 characters' })
  await expect.poll(read).toContain('demo model')

  const code = await kopeck.stop()

  expect(code).toBe(0)
  expect(kopeck.lines.filter((line) => line.includes('call to Telegram failed'))).toEqual([])
})
