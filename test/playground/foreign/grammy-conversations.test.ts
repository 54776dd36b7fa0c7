import {
  type Conversation,
  type ConversationFlavor,
  conversations,
  createConversation,
} from '@grammyjs/conversations'
import { type Context, InlineKeyboard, type SessionFlavor, session } from 'grammy'
import { expect, test } from 'vitest'
import { openGrammyBot } from './grammy-bots.ts'

// Promise: A bot on grammY, Telegraf or node-telegram-bot-api is given the playground's address
test('a conversation asks for a name, waits for it and greets', async () => {
  const { bot, ann, poll } = await openGrammyBot<ConversationFlavor<Context>>()
  async function greeting(conversation: Conversation, ctx: Context) {
    await ctx.reply('What is your name?')
    const { message } = await conversation.waitFor('message:text')
    await ctx.reply(`Welcome, ${message.text}!`)
  }
  bot.use(conversations())
  bot.use(createConversation(greeting))
  bot.command('start', (ctx) => ctx.conversation.enter('greeting'))
  await poll()

  await ann.says('/start')

  expect(await ann.says('Ann')).toMatchObject({ text: 'Welcome, Ann!' })
})

type Outside = ConversationFlavor<Context & SessionFlavor<{ trips: string[] }>>

test('a conversation takes a form step by step, keeps it in a session, and can be left', async () => {
  const { bot, ann, poll } = await openGrammyBot<Outside>()
  async function trip(conversation: Conversation<Outside>, ctx: Context) {
    await ctx.reply('Where to?')
    const town = await conversation.form.text()
    await ctx.reply('How many days?')
    const days = await conversation.form.int({ otherwise: (one) => one.reply('A number, please') })
    const question = await ctx.reply('Shall I note it?', {
      reply_markup: new InlineKeyboard().text('Yes', 'yes').text('No', 'no'),
    })
    const pressed = await conversation.waitForCallbackQuery(['yes', 'no'])
    await pressed.answerCallbackQuery('Right')
    const isWanted = pressed.match === 'yes'
    if (isWanted) {
      await conversation.external((outside) => {
        outside.session.trips.push(`${town}, ${days} days`)
      })
    }
    await ctx.api.editMessageText(
      question.chat.id,
      question.message_id,
      isWanted ? 'Noted' : 'As you like',
    )
  }
  bot.use(session({ initial: (): { trips: string[] } => ({ trips: [] }) }))
  bot.use(conversations())
  bot.command('cancel', async (ctx) => {
    await ctx.conversation.exitAll()
    await ctx.reply('Left')
  })
  bot.use(createConversation<Outside, Context>(trip))
  bot.command('trip', (ctx) => ctx.conversation.enter('trip'))
  bot.command('list', (ctx) => ctx.reply(ctx.session.trips.join('\n') || 'Nothing yet'))
  await poll()

  await ann.says('/trip')
  expect(await ann.says('/cancel')).toMatchObject({ text: 'Left' })
  await ann.says('/trip')
  await ann.says('Omsk')
  expect(await ann.says('many')).toMatchObject({ text: 'A number, please' })
  const question = await ann.says('3')
  expect(await ann.presses(question, 'Yes')).toBe('Right')
  await ann.sees('Noted')

  expect(ann.labels(question)).toEqual([])
  expect(await ann.says('/list')).toMatchObject({ text: 'Omsk, 3 days' })
})
