import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InputFile } from 'grammy'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/make-folder.ts'
import { copyOf, openKept } from './kept-playground.ts'

async function snapshotIn(folder: string): Promise<string> {
  const name = (await readdir(folder)).find((entry) => entry.endsWith('.json'))
  return join(folder, name ?? '')
}

test('after a stop a playground has its people, chats, files, commands and waiting updates', async () => {
  const folder = await makeFolder()
  const first = await openKept(folder)
  first.playground.addUser({ id: 5, firstName: 'Ann', languageCode: 'ru' })
  first.playground.addGroup({ id: -1e12 - 1, title: 'Team', members: [5], isForum: true })
  const threadId = first.playground.addTopic(-1e12 - 1, 'Ideas')
  await first.api.setMyCommands([{ command: 'new', description: 'New' }])
  await first.api.setMyName('Kop')
  const keyboard = { inline_keyboard: [[{ text: 'A', callback_data: 'a' }]] }
  await first.api.sendMessage(5, 'hello', { reply_markup: keyboard })
  const { document } = await first.api.sendDocument(5, new InputFile(Buffer.from('Hi'), 'a.txt'))
  first.playground.userSends({ userId: 5, text: 'waiting' })
  const before = first.playground.transcript(5)
  await first.playground.close()

  const second = await openKept(folder)

  expect(second.playground.token).toBe(first.playground.token)
  expect(second.playground.transcript(5)).toEqual(before)
  expect(second.playground.topicName(-1e12 - 1, threadId)).toBe('Ideas')
  expect(await second.api.getMyCommands()).toEqual([{ command: 'new', description: 'New' }])
  expect(await second.api.getMyName()).toEqual({ name: 'Kop' })
  const updates = await second.api.getUpdates()
  expect(updates.map(({ message }) => message?.text).filter(Boolean)).toEqual(['waiting'])
  const { file_path } = await second.api.getFile(document.file_id)
  const url = `${second.apiRoot}/file/bot${second.playground.token}/${file_path}`
  expect(await (await fetch(url)).text()).toBe('Hi')
})

test('a change is on the disk some seconds later, and ids after a crash repeat none that a bot knows', async () => {
  const folder = await makeFolder()
  const { playground } = await openKept(folder)
  playground.addUser({ id: 5, firstName: 'Ann' })
  playground.userSends({ userId: 5, text: 'kept' })
  await expect
    .poll(async () => (await readdir(folder)).join(), { timeout: 20_000 })
    .toContain('.json')
  const crashed = await copyOf(folder)
  const lost = playground.userSends({ userId: 5, text: 'lost' })

  const next = await openKept(crashed)
  const sent = next.playground.userSends({ userId: 5, text: 'next' })

  expect(next.playground.transcript(5).map(({ text }) => text)).toEqual(['kept', 'next'])
  expect(sent.message_id).toBeGreaterThan(lost.message_id)
  const ids = (await next.api.getUpdates()).map(({ update_id: id }) => id)
  expect((ids[1] ?? 0) - (ids[0] ?? 0)).toBeGreaterThan(1)
})

test.each([
  ['half-written', (text: string) => text.slice(0, text.length / 2)],
  ['of another version', (text: string) => text.replace('"version":2', '"version":9')],
])('a snapshot that is %s is replaced by a new playground, with one log line', async (_, spoil) => {
  const folder = await makeFolder()
  const first = await openKept(folder)
  first.playground.addUser({ id: 5, firstName: 'Ann' })
  await first.playground.close()
  const path = await snapshotIn(folder)
  await writeFile(path, spoil(await readFile(path, 'utf8')))

  const second = await openKept(folder)

  expect(second.playground.hasUser(5)).toBe(false)
  expect(second.logged).toEqual([expect.stringContaining(`begins anew: "${path}"`)])
  second.playground.addUser({ id: 6, firstName: 'Bob' })
  await second.playground.close()
  expect((await openKept(folder)).playground.hasUser(6)).toBe(true)
})

test('the token of a real bot is not written down', async () => {
  const folder = await makeFolder()
  const token = `123:${'a'.repeat(35)}`
  const { playground } = await openKept(folder, { token })
  playground.addUser({ id: 5, firstName: 'Ann' })
  await playground.close()

  expect(await readFile(await snapshotIn(folder), 'utf8')).not.toContain(token)
})
