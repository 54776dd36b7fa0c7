import { readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { InputFile } from 'grammy'
import { expect, test } from 'vitest'
import { PlaygroundRefusedError } from '../../../src/playground/refused.ts'
import { openStore } from '../../../src/playground/store/store.ts'
import { TEAM } from '../people.ts'
import { openPage } from '../web/open-page.ts'
import { copyOf, makeFolder, openKept } from './kept-playground.ts'

const ANN = { id: 5, firstName: 'Ann' }

test('a playground goes on with its people, chats, messages and reactions', async () => {
  const folder = await makeFolder()
  const first = await openKept(folder)
  first.playground.addUser(ANN)
  first.playground.addGroup({ id: TEAM, title: 'Team', members: [5], isForum: true })
  const ideas = first.playground.addTopic(TEAM, 'Ideas')
  first.playground.userSends({
    userId: 5,
    chatId: TEAM,
    threadId: ideas,
    text: 'In a topic',
  })
  const hello = first.playground.userSends({ userId: 5, text: 'Hello' })
  await first.api.sendRichMessage(5, { markdown: '# Head\n\n| a |\n|--|\n| 1 |' })
  await first.api.sendMessage(5, 'Choose', {
    reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] },
  })
  const reaction = { type: 'emoji', emoji: '👍' } as const
  first.playground.userReacts({ userId: 5, chatId: 5, messageId: hello.message_id, reaction })
  first.playground.blocks(5)
  const before = transcripts(first)
  await first.playground.close()

  const second = await openKept(folder)

  expect(transcripts(second)).toEqual(before)
  expect(before.map((messages) => messages.length)).toEqual([3, 2])
  await expect(second.api.sendMessage(5, 'Back')).rejects.toThrow('bot was blocked by the user')
  const page = await fetch(`${second.apiRoot}/playground/chats/5/history?as=5&before=1000`)
  expect(await page.json()).toMatchObject({
    messages: [{ reactions: [{ user_id: 5, reaction }] }, {}, {}],
  })
  expect(second.playground.topicName(TEAM, ideas)).toBe('Ideas')
  expect(second.playground.token).toBe(first.playground.token)
  expect(await second.api.getMe()).toEqual(second.playground.me)
})

test('the first person is the first one after a restart, whoever wrote last', async () => {
  const folder = await makeFolder()
  const first = await openKept(folder)
  for (const id of [5, 6]) first.playground.addUser({ id, firstName: `Person ${id}` })
  await first.playground.close()
  const second = await openKept(folder)
  second.playground.userSends({ userId: 5, text: 'Hello' })
  second.playground.blocks(5)
  await second.playground.close()

  const third = await openKept(folder)

  const { state } = await openPage(third.apiRoot, 'as=5')
  expect(state.people.map(({ user }) => user.id)).toEqual([5, 6])
})

// Promise: The newest message was deleted before a restart
test('ids go on rising after a restart, also after the newest message was deleted', async () => {
  const folder = await makeFolder()
  const first = await openKept(folder, { idsFrom: 100 })
  first.playground.addUser(ANN)
  first.playground.addGroup({ id: TEAM, title: 'Team', members: [5] })
  const inPrivate = await first.api.sendMessage(5, 'One')
  const inGroup = await first.api.sendMessage(TEAM, 'One')
  await first.api.deleteMessage(5, inPrivate.message_id)
  await first.api.deleteMessage(TEAM, inGroup.message_id)
  await first.playground.close()

  const second = await openKept(folder, { idsFrom: 1 })

  expect((await second.api.sendMessage(5, 'Two')).message_id).toBe(inPrivate.message_id + 1)
  expect((await second.api.sendMessage(TEAM, 'Two')).message_id).toBe(inGroup.message_id + 1)
})

// Promise: It is killed while a poll waits that has confirmed updates, or some wait for a webhook that is away
test('updates that were not confirmed wait over a restart, confirmed ones do not come again', async () => {
  const folder = await makeFolder()
  const first = await openKept(folder)
  first.playground.addUser(ANN)
  for (const text of ['one', 'two', 'three']) first.playground.userSends({ userId: 5, text })
  const [one] = await first.api.getUpdates({ limit: 1 })
  const seen = one?.update_id ?? 0
  await first.api.getUpdates({ offset: seen + 1, limit: 1 })
  await first.playground.close()

  const second = await openKept(folder)
  second.playground.userSends({ userId: 5, text: 'four' })
  const updates = await second.api.getUpdates()

  expect(updates.map(({ update_id, message }) => [update_id - seen, message?.text])).toEqual([
    [1, 'two'],
    [2, 'three'],
    [3, 'four'],
  ])
})

test('what the bot asked for, its commands, menu button and texts are there after a restart', async () => {
  const folder = await makeFolder()
  const first = await openKept(folder)
  first.playground.addUser(ANN)
  const commands = [{ command: 'start', description: 'Begins' }]
  await first.api.setMyCommands(commands)
  await first.api.setMyCommands(commands, { language_code: 'ru' })
  await first.api.deleteMyCommands({ language_code: 'ru' })
  await first.api.setChatMenuButton({ chat_id: 5, menu_button: { type: 'commands' } })
  await first.api.setMyDescription('A bot')
  await first.api.getUpdates({ allowed_updates: ['callback_query'] })
  await first.playground.close()

  const second = await openKept(folder)

  expect(second.playground.commands()).toEqual(first.playground.commands())
  expect(await second.api.getMyCommands()).toEqual(commands)
  expect(second.playground.menuButton(5)).toEqual({ type: 'commands' })
  expect(await second.api.getMyDescription()).toEqual({ description: 'A bot' })
  expect(await second.api.getWebhookInfo()).toMatchObject({ allowed_updates: ['callback_query'] })
})

test('files are shown, sent and fetched by their ids after a restart', async () => {
  const folder = await makeFolder()
  const first = await openKept(folder)
  first.playground.addUser(ANN)
  const sent = await first.api.sendDocument(5, new InputFile(Buffer.from('note'), 'note.txt'))
  await first.playground.close()

  const second = await openKept(folder)
  const fileId = sent.document.file_id
  const again = await second.api.sendDocument(5, fileId)
  const { file_path } = await second.api.getFile(fileId)
  const root = `${second.apiRoot}/file/bot${second.playground.token}`

  expect(again.document).toMatchObject({ file_name: 'note.txt', file_size: 4 })
  expect(await (await fetch(`${root}/${file_path}`)).text()).toBe('note')
})

// Promise: The process is killed just after it answered a call
test('what was answered is on the disk already: a crash takes none of it', async () => {
  const folder = await makeFolder()
  const { playground, api } = await openKept(folder)
  playground.addUser(ANN)
  const sent = await api.sendMessage(5, 'Half of an')
  await api.editMessageText(5, sent.message_id, 'An answer')
  const document = await api.sendDocument(5, new InputFile(Buffer.from('note'), 'note.txt'))

  const after = await openKept(await copyOf(folder))

  expect(
    after.playground.transcript(5).map(({ text, document }) => text ?? document?.fileName),
  ).toEqual(['An answer', 'note.txt'])
  expect(await after.api.getFile(document.document.file_id)).toMatchObject({ file_size: 4 })
})

// Promise: It is killed while a poll waits that has confirmed updates, or some wait for a webhook that is away
test('an update that a waiting poll has confirmed is gone from the disk while it waits', async () => {
  const folder = await makeFolder()
  const { playground, api } = await openKept(folder)
  playground.addUser(ANN)
  playground.userSends({ userId: 5, text: 'one' })
  const [one] = await api.getUpdates()
  const poll = api.getUpdates({ offset: (one?.update_id ?? 0) + 1, timeout: 30 })
  await playground.waitFor(() => playground.calls.length === 2)
  await new Promise((done) => setImmediate(done))

  const after = await openKept(await copyOf(folder))

  expect(await after.api.getUpdates()).toEqual([])
  playground.userSends({ userId: 5, text: 'two' })
  expect(await poll).toMatchObject([{ message: { text: 'two' } }])
})

test('what the bot does to a group outlives a crash: its topics, pins, title and members', async () => {
  const folder = await makeFolder()
  const { playground, api } = await openKept(folder)
  playground.addUser(ANN)
  playground.addUser({ id: 6, firstName: 'Bob' })
  playground.addUser({ id: 7, firstName: 'Eve' })
  playground.addGroup({
    id: TEAM,
    title: 'Team',
    members: [5, 6, 7],
    isForum: true,
    botStatus: 'administrator',
  })
  const sent = await api.sendMessage(TEAM, 'Look')
  const topic = await api.createForumTopic(TEAM, 'Ideas')
  await api.editForumTopic(TEAM, topic.message_thread_id, { name: 'Plans' })
  await api.pinChatMessage(TEAM, sent.message_id)
  await api.setChatTitle(TEAM, 'The team')
  await api.banChatMember(TEAM, 6)
  await api.restrictChatMember(TEAM, 7, { can_send_messages: false })

  const after = await openKept(await copyOf(folder))

  const chat = await after.api.getChat(TEAM)
  expect(chat).toMatchObject({ title: 'The team', pinned_message: { text: 'Look' } })
  expect(after.playground.topicName(TEAM, topic.message_thread_id)).toBe('Plans')
  expect(await after.api.getChatMember(TEAM, 6)).toMatchObject({ status: 'kicked' })
  expect(await after.api.getChatMember(TEAM, 7)).toEqual(await api.getChatMember(TEAM, 7))
})

// Promise: It is killed while a poll waits that has confirmed updates, or some wait for a webhook that is away
test('a webhook gets what waited for it when the playground is started again', async () => {
  const folder = await makeFolder()
  const seen: string[] = []
  let isUp = false
  const bot = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => (body += piece))
    request.on('end', () => {
      if (isUp) seen.push(JSON.parse(body).message.text)
      response.writeHead(isUp ? 200 : 503).end()
    })
  })
  await new Promise<void>((done) => bot.listen(0, '127.0.0.1', done))
  const { port } = bot.address() as AddressInfo
  const first = await openKept(folder)
  first.playground.addUser(ANN)
  await first.api.setWebhook(`http://127.0.0.1:${port}/hook`, { secret_token: 'abc' })
  first.playground.userSends({ userId: 5, text: 'Hello' })
  await first.playground.close()
  isUp = true

  const second = await openKept(folder)
  await second.playground.waitFor(() => seen.length > 0)
  bot.close()

  expect(seen).toEqual(['Hello'])
  expect(await second.api.getWebhookInfo()).toMatchObject({ pending_update_count: 0 })
  // Set before, it is no obstacle to being set again.
  await second.api.setWebhook(`http://127.0.0.1:${port}/other`)
})

// Promise: The disk is full
test('a write that fails is answered with 500, and done with the next one', async () => {
  const folder = await makeFolder()
  // As SQLite says it.
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' })
  let isFull = false
  const troubles: unknown[] = []
  const { playground, apiRoot, api } = await openKept(folder, {
    onTrouble: (error) => troubles.push(error),
    change: (store) => ({
      ...store,
      write: (writes) => {
        if (isFull) throw full
        store.write(writes)
      },
    }),
  })
  playground.addUser(ANN)
  await api.getMe()

  isFull = true
  const refused = await fetch(`${apiRoot}/bot${playground.token}/sendMessage?chat_id=5&text=One`)
  const page = await fetch(`${apiRoot}/playground/chats/5`)
  isFull = false
  await api.sendMessage(5, 'Two')

  expect([refused.status, page.status]).toEqual([500, 500])
  expect(troubles).toContain(full)
  const after = await openKept(await copyOf(folder))
  expect(after.playground.transcript(5).map(({ text }) => text)).toEqual(['One', 'Two'])
})

// Promise: A second process is started on it, or another version wrote it
test('one process has a playground: another is refused in one sentence', async () => {
  const folder = await makeFolder()
  await openKept(folder)

  await expect(openKept(folder)).rejects.toThrow(
    `Cannot start: the playground "${join(folder, '7000000001.sqlite')}" is in use by another process`,
  )
})

// Promise: A second process is started on it, or another version wrote it
test('what another version has written is left alone', async () => {
  const folder = await makeFolder()
  const other = new DatabaseSync(join(folder, '7000000001.sqlite'))
  other.exec('pragma user_version = 99')
  other.close()

  await expect(openKept(folder)).rejects.toThrow('is of another version of Kopeck')
})

// Promise: The file of a playground is damaged, or cut off
test.each([
  ['to nothing', () => 0, 'is empty, and was not when it was left'],
  ['in the middle', (size: number) => size / 2, 'is damaged: database disk image is malformed'],
])('a file that was cut %s is named, and not begun again', async (_, keep, problem) => {
  const folder = await makeFolder()
  const first = await openKept(folder)
  first.playground.addUser({ id: 5, firstName: 'Ann' })
  for (let sent = 0; sent < 20; sent++) await first.api.sendMessage(5, 'word '.repeat(800))
  await first.playground.close()
  const path = join(folder, '7000000001.sqlite')
  const size = Math.floor(keep((await stat(path)).size))
  await truncate(path, size)

  const refused = await openKept(folder).catch((error: Error) => error)

  expect(refused).toBeInstanceOf(PlaygroundRefusedError)
  expect(refused).toMatchObject({
    message: `Cannot start: the playground "${path}" ${problem}. Put a copy of it there, or remove it to begin a new one`,
  })
  expect((await stat(path)).size).toBe(size)
})

// Promise: The file of a playground is damaged, or cut off
test('a file that is none of a playground is named', async () => {
  const folder = await makeFolder()
  const path = join(folder, '7000000001.sqlite')
  await writeFile(path, 'words '.repeat(2_000))

  expect(() => openStore({ folder })).toThrow(
    `Cannot start: the playground "${path}" is damaged: file is not a database`,
  )
})

test('a first start that was killed just when it had made the file is no damage, and the file is closed to others', async () => {
  const folder = await makeFolder()
  const path = join(folder, '7000000001.sqlite')
  await writeFile(path, '', { mode: 0o644 })

  const { playground } = await openKept(folder)
  playground.addUser({ id: 5, firstName: 'Ann' })

  for (const name of [path, `${path}-wal`]) {
    expect((await stat(name)).mode & 0o777).toBe(0o600)
  }
})

test('a token of one’s own has a playground of its own, and is not written down', async () => {
  const folder = await makeFolder()
  const token = '4242:a-token-of-ones-own'
  const { playground } = await openKept(folder, { token })
  playground.addUser(ANN)
  await playground.close()

  const again = await openKept(folder, { token })
  const other = await openKept(folder)

  expect([again.playground.hasUser(5), other.playground.hasUser(5)]).toEqual([true, false])
  expect(await readFile(join(folder, '4242.sqlite'), 'latin1')).not.toContain('a-token-of')
})

function transcripts({ playground }: Awaited<ReturnType<typeof openKept>>) {
  return [playground.transcript(5), playground.transcript(TEAM)]
}

test('a keyboard with any fields, and a reaction with more than its emoji, do not keep it from starting', async () => {
  const folder = await makeFolder()
  const first = await openKept(folder)
  first.playground.addUser(ANN)
  const odd = { text: 'Yes', '@file': 'none', '@map': 1, '@object': { '@set': 2 } }
  const { message_id } = await first.api.sendMessage(5, 'Choose', {
    reply_markup: { keyboard: [[odd]] },
  })
  await fetch(`${first.apiRoot}/playground/chats/5/reactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      user_id: 5,
      message_id,
      reaction: { type: 'emoji', emoji: '👍', uniqueId: 'none', mime: '' },
    }),
  })
  await first.playground.close()

  const second = await openKept(folder)

  expect(second.playground.transcript(5)).toMatchObject([{ replyMarkup: { keyboard: [[odd]] } }])
})
