import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InputFile, InputMediaBuilder, Keyboard, webhookCallback } from 'grammy'
import { expect, onTestFinished, test } from 'vitest'
import { openGrammyBot } from './grammy-bots.ts'
import { PIXEL } from './pixel.ts'

/** Has a bot listen for its webhook until the end of the test. */
async function listen(callback: ReturnType<typeof webhookCallback<never, 'http'>>) {
  const server = createServer(callback)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/`
}

test('a bot behind webhookCallback() shows a keyboard, takes it away and sends an album', async () => {
  const { playground, bot, ann } = await openGrammyBot()
  bot.command('start', (ctx) =>
    ctx.reply('Share it?', { reply_markup: new Keyboard().text('Yes').resized().oneTime() }),
  )
  bot.hears('Yes', (ctx) => ctx.reply('Thanks', { reply_markup: { remove_keyboard: true } }))
  bot.command('album', (ctx) =>
    ctx.replyWithMediaGroup([
      InputMediaBuilder.photo(new InputFile(PIXEL, 'one.png'), { caption: 'Two of them' }),
      InputMediaBuilder.photo(new InputFile(PIXEL, 'two.png')),
    ]),
  )
  const secretToken = 'only-telegram'
  await bot.api.setWebhook(await listen(webhookCallback(bot, 'http', { secretToken })), {
    secret_token: secretToken,
    allowed_updates: ['message'],
  })

  expect(await ann.says('/start')).toMatchObject({
    text: 'Share it?',
    replyMarkup: { keyboard: [[{ text: 'Yes' }]], resize_keyboard: true, one_time_keyboard: true },
  })
  expect(await ann.says('Yes')).toMatchObject({ text: 'Thanks' })
  expect(await ann.says('/album')).toMatchObject({
    caption: 'Two of them',
    photo: { size: PIXEL.length },
  })
  expect(playground.deliveries.every(({ status }) => status === 200)).toBe(true)
})
