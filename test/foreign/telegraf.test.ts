import { Readable } from 'node:stream'
import { Input, Markup, Scenes, session, Telegraf } from 'telegraf'
import { message } from 'telegraf/filters'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../platform/http/free-port.ts'
import { asAnn } from '../playground/foreign/people.ts'
import { PIXEL } from '../playground/foreign/pixel.ts'
import { makeSelfSigned } from '../playground/foreign/self-signed.ts'
import { openPlayground } from '../playground/open-playground.ts'

async function openTelegrafBot<C extends Scenes.WizardContext = Scenes.WizardContext>() {
  const { playground, apiRoot } = await openPlayground()
  const bot = new Telegraf<C>(playground.token, { telegram: { apiRoot } })
  return { playground, bot, ann: asAnn(playground), launch }

  async function launch(options: Telegraf.LaunchOptions = {}): Promise<void> {
    const launched = bot.launch(options)
    onTestFinished(async () => {
      bot.stop()
      await launched
    })
    await playground.waitFor(({ calls }) =>
      calls.some(({ method }) => method === 'getUpdates' || method === 'setWebhook'),
    )
  }
}

test('a Telegraf bot that polls answers commands, actions and edits of its keyboard', async () => {
  const { bot, ann, launch } = await openTelegrafBot()
  let count = 0
  const keyboard = () =>
    Markup.inlineKeyboard([Markup.button.callback(`Pressed ${count}`, 'press')])
  bot.start((ctx) => ctx.reply('Press it', keyboard()))
  bot.help((ctx) => ctx.replyWithHTML('<b>/start</b> shows a button'))
  bot.hears(/^tell me about (.+)$/, (ctx) => ctx.reply(`${ctx.match[1]} is fine`))
  bot.action('press', async (ctx) => {
    count++
    await ctx.answerCbQuery(`${count}`)
    await ctx.editMessageReplyMarkup(keyboard().reply_markup)
  })
  await launch()

  const shown = await ann.says('/start')
  expect(await ann.presses(shown, 'Pressed 0')).toBe('1')
  await expect.poll(() => ann.labels(shown)).toEqual([['Pressed 1']])
  expect(await ann.says('/help')).toMatchObject({
    text: '/start shows a button',
    entities: [
      { type: 'bold', offset: 0, length: 6 },
      { type: 'bot_command', offset: 0, length: 6 },
    ],
  })
  expect(await ann.says('tell me about Omsk')).toMatchObject({ text: 'Omsk is fine' })
})

test('a Telegraf wizard keeps its step in a session until it is done', async () => {
  const { bot, ann, launch } = await openTelegrafBot()
  const trip = new Scenes.WizardScene<Scenes.WizardContext>(
    'trip',
    async (ctx) => {
      await ctx.reply('Where to?')
      return ctx.wizard.next()
    },
    async (ctx) => {
      const town = ctx.has(message('text')) ? ctx.message.text : 'nowhere'
      await ctx.reply(`A ticket to ${town}`, Markup.forceReply())
      return ctx.scene.leave()
    },
  )
  const stage = new Scenes.Stage<Scenes.WizardContext>([trip])
  bot.use(session())
  bot.use(stage.middleware())
  bot.command('trip', (ctx) => ctx.scene.enter('trip'))
  bot.on(message('text'), (ctx) => ctx.reply('Ask for a /trip'))
  await launch()

  expect(await ann.says('hello')).toMatchObject({ text: 'Ask for a /trip' })
  await ann.says('/trip')
  expect(await ann.says('Omsk')).toMatchObject({
    text: 'A ticket to Omsk',
    replyMarkup: { force_reply: true },
  })

  expect(await ann.says('and back')).toMatchObject({ text: 'Ask for a /trip' })
})

test('a Telegraf bot sends media by buffer, stream, URL and file id, alone and as an album', async () => {
  const { playground, bot, ann, launch } = await openTelegrafBot()
  bot.on(message('photo'), async (ctx) => {
    const fileId = ctx.message.photo.at(-1)?.file_id ?? ''
    const link = await ctx.telegram.getFileLink(fileId)
    await ctx.replyWithPhoto(Input.fromURLStream(link.href, 'again.png'), { caption: 'by link' })
    await ctx.replyWithPhoto(fileId, { caption: 'by id' })
    await ctx.replyWithDocument(Input.fromBuffer(PIXEL, 'картинка.png'), { caption: 'by buffer' })
    await ctx.replyWithDocument(
      Input.fromReadableStream(Readable.from([PIXEL.subarray(0, 9), PIXEL.subarray(9)]), 'a.png'),
      { caption: 'by stream' },
    )
    await ctx.replyWithMediaGroup([
      { type: 'photo', media: Input.fromBuffer(PIXEL), caption: 'as an album' },
      { type: 'photo', media: fileId },
    ])
  })
  await launch()

  playground.userSends({ userId: 5, photo: { bytes: PIXEL } })

  await expect.poll(() => playground.transcript(5).length).toBe(7)
  expect((await ann.sees('by link')).photo).toMatchObject({ bytes: PIXEL })
  expect((await ann.sees('by id')).photo).toMatchObject({ bytes: PIXEL })
  expect((await ann.sees('by buffer')).document).toMatchObject({
    fileName: 'картинка.png',
    bytes: PIXEL,
  })
  expect((await ann.sees('by stream')).document).toMatchObject({ fileName: 'a.png', bytes: PIXEL })
  expect((await ann.sees('as an album')).photo).toMatchObject({ bytes: PIXEL })
})

// Promise: A bot on grammY, Telegraf or node-telegram-bot-api is given the playground's address
test('a Telegraf bot launched with a webhook is reached by its own certificate', async () => {
  const { playground, bot, ann, launch } = await openTelegrafBot()
  const { key, cert } = makeSelfSigned('127.0.0.1')
  const port = Number(await findFreePort())
  bot.on(message('text'), async (ctx) => {
    await ctx.sendChatAction('typing')
    await ctx.reply(ctx.message.text.toUpperCase())
  })

  await launch({
    webhook: {
      domain: `127.0.0.1:${port}`,
      port,
      host: '127.0.0.1',
      tlsOptions: { key, cert },
      certificate: Input.fromBuffer(Buffer.from(cert), 'certificate.pem'),
      secretToken: 'only-telegram',
    },
  })

  expect(await ann.says('hello')).toMatchObject({ text: 'HELLO' })
  const info = await bot.telegram.getWebhookInfo()
  expect(info).toMatchObject({ has_custom_certificate: true, pending_update_count: 0 })
  expect(playground.deliveries).toMatchObject([{ status: 200 }])
  expect(playground.calls.some(({ method }) => method === 'sendChatAction')).toBe(true)
})
