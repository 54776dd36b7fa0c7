import TelegramBot from 'node-telegram-bot-api'
import { Telegram } from 'telegraf'
import { expect, test } from 'vitest'
import { PIXEL } from '../playground/foreign/pixel.ts'
import { openPlayground } from '../playground/open-playground.ts'

const TEAM = -1_001_000_000_001
const FILE = { filename: 'a.bin', contentType: 'application/octet-stream' }

async function openChats() {
  const { playground, apiRoot } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob' })
  playground.addGroup({
    id: TEAM,
    title: 'Team',
    members: [5, 6],
    isForum: true,
    botStatus: 'administrator',
  })
  const { message_id: messageId } = playground.userSends({ userId: 5, text: 'hello' })
  return { playground, apiRoot, messageId }
}

function refusedCalls({ calls }: Awaited<ReturnType<typeof openChats>>['playground']) {
  return calls.flatMap(({ method, body }) =>
    body?.ok === false ? [[method, body.description]] : [],
  )
}

// Promise: A bot on grammY, Telegraf or node-telegram-bot-api is given the playground's address
test('Telegraf calls what common bots call, each in its own way of writing parameters', async () => {
  const { playground, apiRoot, messageId } = await openChats()
  const bot = new Telegram(playground.token, { apiRoot })

  const sent = await bot.sendMessage(5, '<b>bold</b>', { parse_mode: 'HTML' })
  await bot.sendPoll(TEAM, 'Tea?', ['Yes', 'No'], { is_anonymous: false })
  await bot.sendQuiz(5, '2 + 2', ['3', '4'], { correct_option_id: 1 })
  await bot.sendDice(5, { emoji: '🎯' })
  await bot.sendLocation(5, 55.75, 37.62)
  await bot.sendVenue(5, 55.75, 37.62, 'Square', 'Red')
  await bot.sendContact(5, '+79990000000', 'Ann')
  await bot.sendVoice(5, { source: Buffer.from('OggS'), filename: 'a.ogg' })
  await bot.sendAnimation(5, { source: PIXEL, filename: 'a.gif' })
  await bot.sendVideoNote(5, { source: Buffer.from('DATA'), filename: 'a.mp4' })
  await bot.copyMessage(TEAM, 5, messageId)
  await bot.copyMessages(TEAM, 5, [messageId, sent.message_id])
  await bot.forwardMessage(TEAM, 5, messageId)
  await bot.setMessageReaction(5, messageId, [{ type: 'emoji', emoji: '👍' }])
  await bot.pinChatMessage(5, messageId)
  await bot.unpinAllChatMessages(5)
  await bot.setMyCommands([{ command: 'start', description: 'Begin' }])
  await bot.getMyCommands()
  await bot.setMyDescription('A bot')
  await bot.setChatMenuButton({ chatId: 5, menuButton: { type: 'commands' } })
  const topic = await bot.createForumTopic(TEAM, 'Plans')
  await bot.editForumTopic(TEAM, topic.message_thread_id, { name: 'Plans 2' })
  await bot.closeForumTopic(TEAM, topic.message_thread_id)
  await bot.getChatMembersCount(TEAM)
  await bot.getChatAdministrators(TEAM)
  await bot.restrictChatMember(TEAM, 6, { permissions: { can_send_messages: false } })
  await bot.promoteChatMember(TEAM, 6, { can_pin_messages: true })
  await bot.banChatMember(TEAM, 6)
  await bot.unbanChatMember(TEAM, 6)
  await bot.setChatTitle(TEAM, 'The team')
  await bot.deleteMessages(5, [sent.message_id])

  expect(refusedCalls(playground)).toEqual([])
  expect(await bot.getChat(TEAM)).toMatchObject({ title: 'The team', type: 'supergroup' })
  expect(await bot.getChatMember(TEAM, 6)).toMatchObject({ status: 'left', user: { id: 6 } })
})

test('node-telegram-bot-api calls what common bots call, with JSON in forms and queries', async () => {
  const { playground, apiRoot, messageId } = await openChats()
  const bot = new TelegramBot(playground.token, { baseApiUrl: apiRoot })

  const sent = await bot.sendMessage(5, '*bold*', {
    parse_mode: 'Markdown',
    disable_web_page_preview: true,
    entities: [],
  })
  await bot.sendPoll(TEAM, 'Tea?', ['Yes', 'No'], { is_anonymous: false })
  await bot.sendDice(5)
  await bot.sendLocation(5, 55.75, 37.62)
  await bot.sendContact(5, '+79990000000', 'Ann')
  await bot.sendVoice(5, Buffer.from('OggS'), {}, { ...FILE, filename: 'a.ogg' })
  await bot.sendAudio(5, Buffer.from('ID3'), { title: 'Song' }, { ...FILE, filename: 'a.mp3' })
  await bot.sendAnimation(5, PIXEL)
  await bot.sendSticker(5, Buffer.from('RIFF'), {}, { ...FILE, filename: 'a.webp' })
  const { message_id: document } = await bot.sendDocument(5, PIXEL, { caption: 'one' }, FILE)
  await bot.editMessageCaption('two', { chat_id: 5, message_id: document })
  await bot.copyMessage(TEAM, 5, messageId)
  await bot.forwardMessage(TEAM, 5, messageId)
  await bot.setMessageReaction(5, messageId, { reaction: [{ type: 'emoji', emoji: '🔥' }] })
  await bot.pinChatMessage(5, messageId)
  await bot.unpinChatMessage(5, { message_id: messageId })
  await bot.setMyCommands([{ command: 'start', description: 'Begin' }], {
    scope: { type: 'all_private_chats' },
  })
  await bot.getMyCommands()
  await bot.getUserProfilePhotos(5)
  await bot.getChatMemberCount(TEAM)
  await bot.getChatAdministrators(TEAM)
  await bot.exportChatInviteLink(TEAM)
  await bot.banChatMember(TEAM, 6)
  await bot.sendChatAction(5, 'typing')
  await bot.deleteMessage(5, sent.message_id)

  expect(refusedCalls(playground)).toEqual([])
  expect(await bot.getChatMember(TEAM, 6)).toMatchObject({ status: 'kicked' })
})
