import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { YOU } from '../../playground/people.ts'
import { createActor, openPage } from '../../playground/web/open-page.ts'
import { startKopeck } from '../../support/kopeck.ts'

const SOON = { timeout: 30_000 }

// Promise: The process is killed in the middle of an answer
// Promise: The process is stopped in the middle of an answer
test('kill -9 in the middle of an answer: the next start has the same chat, and the answer ends once; a stop lets one end', {
  timeout: 90_000,
}, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-restart-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const port = await findFreePort()
  const root = `http://127.0.0.1:${port}`
  const DATABASE_URL = await createTestDatabase()
  const env = { DATABASE_URL, DATA_DIR: dataDir, PLAYGROUND_PORT: port }
  const { act, readChat } = createActor(root)
  const first = await startKopeck(env)
  onTestFinished(first.kill)
  const page = await openPage(root, `as=${YOU}`)
  await act(`/chats/${YOU}/starts`, { user_id: YOU })
  await expect.poll(() => readChat(YOU), SOON).toHaveLength(2)
  await act(`/chats/${YOU}/messages`, { user_id: YOU, text: 'Write 4000 characters' })
  await expect.poll(() => readChat(YOU), SOON).toHaveLength(4)
  // The playground writes its state two seconds after a change.
  await expect.poll(() => readSnapshots(dataDir), SOON).toContain('Write 4000 characters')
  const before = await readChat(YOU)

  await first.kill()
  const second = await startKopeck(env)
  onTestFinished(second.kill)

  await expect
    .poll(async () => JSON.stringify(await readChat(YOU)), SOON)
    .toContain('I was restarted while writing this')
  const after = await readChat(YOU)
  const again = await openPage(root, `as=${YOU}`)
  const ids = after.map(({ message_id }) => message_id)
  // The last one is the reply that explains.
  expect(ids.slice(0, -1)).toEqual(before.map(({ message_id }) => message_id))
  expect(after.slice(0, 3)).toEqual(before.slice(0, 3))
  expect(again.state.bot.me).toEqual(page.state.bot.me)
  expect(again.state.build).not.toBe(page.state.build)

  await act(`/chats/${YOU}/messages`, { user_id: YOU, text: 'Write 900 characters' })
  await expect.poll(() => readChat(YOU), SOON).toHaveLength(after.length + 2)
  expect(await second.stop()).toBe(0)
  expect(second.lines.filter((line) => line.includes('call to Telegram failed'))).toEqual([])
})

async function readSnapshots(dataDir: string): Promise<string> {
  const paths = await Array.fromAsync(glob(join(dataDir, '**/*.json')))
  return (await Promise.all(paths.map((path) => readFile(path, 'utf8')))).join('')
}
