import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import TelegramBot from 'node-telegram-bot-api'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../platform/http/free-port.ts'
import { asAnn } from '../playground/foreign/people.ts'
import { PIXEL } from '../playground/foreign/pixel.ts'
import { openPlayground } from '../playground/open-playground.ts'

async function openPollingBot() {
  const { playground, apiRoot } = await openPlayground()
  const bot = startPolling(playground.token, apiRoot)
  return { playground, bot, ann: asAnn(playground) }
}

/** Has a bot poll until the playground closes: that ends its last poll, as an error. */
function startPolling(token: string, baseApiUrl: string): TelegramBot {
  const bot = new TelegramBot(token, { polling: { interval: 1 }, baseApiUrl })
  bot.on('polling_error', () => {})
  onTestFinished(() => {
    void bot.stopPolling()
  })
  return bot
}

test('a node-telegram-bot-api bot answers texts and edits its message when a button is pressed', async () => {
  const { bot, ann } = await openPollingBot()
  bot.onText(/^\/echo (.+)/, ({ chat }, match) => {
    void bot.sendMessage(chat.id, match?.[1] ?? '', {
      reply_markup: { inline_keyboard: [[{ text: 'Louder', callback_data: 'louder' }]] },
    })
  })
  bot.on('callback_query', async ({ id, message }) => {
    await bot.answerCallbackQuery(id, { text: 'Louder!' })
    await bot.editMessageText((message?.text ?? '').toUpperCase(), {
      chat_id: message?.chat.id,
      message_id: message?.message_id,
    })
  })

  const shown = await ann.says('/echo привет & all')
  expect(shown).toMatchObject({ text: 'привет & all' })
  expect(await ann.presses(shown, 'Louder')).toBe('Louder!')

  expect(await ann.sees('ПРИВЕТ & ALL')).toMatchObject({ id: shown.id })
})

test('a node-telegram-bot-api bot asks by ForceReply and hears the reply', async () => {
  const { bot, ann } = await openPollingBot()
  bot.onText(/\/start/, ({ chat }) => void ask(chat.id))
  async function ask(chatId: number) {
    const asked = await bot.sendMessage(chatId, 'Your name?', {
      reply_markup: { force_reply: true },
    })
    bot.onReplyToMessage(chatId, asked.message_id, ({ text, message_id }) =>
      bot.sendMessage(chatId, `Hello ${text}`, { reply_to_message_id: message_id }),
    )
  }

  const question = await ann.says('/start')

  expect(await ann.says('Ann', question.id)).toMatchObject({
    text: 'Hello Ann',
    replyToMessageId: expect.any(Number),
  })
})

test('a node-telegram-bot-api bot sends files from streams and memory, and fetches what it is sent', async () => {
  const { playground, bot, ann } = await openPollingBot()
  const folder = await mkdtemp(join(tmpdir(), 'playground-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const bytes = randomBytes(300_000)
  bot.on('document', async ({ chat, document }) => {
    const link = await bot.getFileLink(document?.file_id ?? '')
    const linked = Buffer.from(await (await fetch(link)).arrayBuffer())
    const path = await bot.downloadFile(document?.file_id ?? '', folder)
    const isWhole = linked.equals(bytes) && (await readFile(path)).equals(bytes)
    await bot.sendMessage(chat.id, isWhole ? 'Whole' : 'Broken')
    const picture = { filename: 'picture.png', contentType: 'image/png' }
    await bot.sendPhoto(chat.id, Readable.from([PIXEL]), { caption: 'a stream' }, picture)
    await bot.sendDocument(
      chat.id,
      bytes,
      { caption: 'memory' },
      { filename: 'имя "с" кавычками.bin', contentType: 'application/octet-stream' },
    )
    await bot.sendMediaGroup(chat.id, [
      { type: 'photo', media: PIXEL as never, caption: 'an album' },
      { type: 'photo', media: PIXEL as never },
    ])
  })

  playground.userSends({ userId: 5, document: { bytes, fileName: 'file.bin' } })

  await ann.sees('Whole')
  expect((await ann.sees('a stream')).photo).toMatchObject({
    bytes: PIXEL,
    fileName: 'picture.png',
  })
  expect((await ann.sees('memory')).document).toMatchObject({
    bytes,
    fileName: 'имя "с" кавычками.bin',
  })
  expect((await ann.sees('an album')).photo).toMatchObject({ bytes: PIXEL })
})

// Promise: A bot on grammY, Telegraf or node-telegram-bot-api is given the playground's address
test('a node-telegram-bot-api bot hears by its webhook, and one that polls again takes it away', async () => {
  const { playground, apiRoot } = await openPlayground()
  const ann = asAnn(playground)
  const port = Number(await findFreePort())
  const hooked = new TelegramBot(playground.token, {
    webHook: { port, host: '127.0.0.1' },
    baseApiUrl: apiRoot,
  })
  onTestFinished(() => hooked.closeWebHook())
  hooked.on('message', ({ chat }) => hooked.sendMessage(chat.id, 'by webhook'))
  await hooked.setWebHook(`http://127.0.0.1:${port}/bot${playground.token}`)

  expect(await ann.says('hello')).toMatchObject({ text: 'by webhook' })
  const polling = startPolling(playground.token, apiRoot)
  polling.on('message', ({ chat }) => polling.sendMessage(chat.id, 'by polling'))
  await playground.waitFor(({ calls }) =>
    calls.some(({ method, status }) => method === 'setWebHook' && status === 200),
  )
  await expect.poll(async () => (await hooked.getWebHookInfo()).url).toBe('')

  expect(await ann.says('hello')).toMatchObject({ text: 'by polling' })
})
