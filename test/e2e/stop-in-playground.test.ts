import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HistoryAnswer } from '../../src/playground/web/api.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { findFreePort } from '../http/free-port.ts'
import { startKopeck } from './kopeck.ts'

const YOU = 1001

test('a stop in the middle of an answer lets it end in the playground', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-e2e-'))
  const port = await findFreePort()
  const kopeck = await startKopeck({
    ...{ DATABASE_URL: await createTestDatabase(), DATA_DIR: dataDir },
    ...{ PLAYGROUND_PORT: port, BROWSER: 'none' },
  })
  onTestFinished(async () => {
    await kopeck.kill()
    await rm(dataDir, { recursive: true })
  })
  const chat = `http://127.0.0.1:${port}/playground/chats/${YOU}`
  const act = (what: string, body: object) =>
    fetch(`${chat}/${what}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: YOU, ...body }),
    })
  const read = async () => {
    const answer = await fetch(`${chat}/history?as=${YOU}&before=9007199254740991`)
    return JSON.stringify(((await answer.json()) as HistoryAnswer).messages)
  }
  await act('starts', {})
  await act('messages', { text: 'Write 1500 characters' })
  await expect.poll(read, { timeout: 15_000 }).toContain('demo model')

  const code = await kopeck.stop()

  expect(code).toBe(0)
  expect(kopeck.lines.filter((line) => line.includes('call to Telegram failed'))).toEqual([])
})
