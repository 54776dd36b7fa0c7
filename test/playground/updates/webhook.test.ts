import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { startServer } from '../../platform/http/local-server.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { openPlayground } from '../open-playground.ts'

/** A server that a bot would have for its webhook. It may take its time until it answers with a status. */
async function openBotServer(answer: (update: Update) => number | Promise<number> = () => 200) {
  const { baseUrl, requests } = await startServer(async (response, { body }) => {
    response.writeHead(await answer(JSON.parse(body))).end()
  })
  const updates = () => requests.map(({ body }): Update => JSON.parse(body))
  return { url: baseUrl, requests, updates }
}

test('updates are posted with the secret, and getUpdates is refused meanwhile', async () => {
  const { api, refusalOf, playground } = await openPlayground()
  const bot = await openBotServer()
  playground.userSends({ userId: 5, text: 'early' })

  await api.setWebhook(bot.url, { secret_token: 'shh' })
  playground.userSends({ userId: 5, text: 'late' })
  await expect.poll(() => bot.requests.length).toBe(2)

  expect(bot.updates().map(({ message }) => message?.text)).toEqual(['early', 'late'])
  expect(bot.requests[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-telegram-bot-api-secret-token': 'shh',
  })
  expect(await refusalOf('getUpdates', {})).toBe(
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  )
  await api.deleteWebhook()
  await expect.poll(() => api.getUpdates()).toEqual([])
})

test('an update waits for the earlier ones of its chat, not for other chats', async () => {
  const { api, playground } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob' })
  const gate = Promise.withResolvers<void>()
  const bot = await openBotServer(async (update) => {
    if (update.message?.text === 'a1') await gate.promise
    return 200
  })
  await api.setWebhook(bot.url)

  playground.userSends({ userId: 5, text: 'a1' })
  playground.userSends({ userId: 5, text: 'a2' })
  playground.userSends({ userId: 6, text: 'b1' })
  const texts = () => bot.updates().map(({ message }) => message?.text)
  await expect.poll(() => texts().toSorted()).toEqual(['a1', 'b1'])
  gate.resolve()
  await expect.poll(() => texts().at(-1)).toBe('a2')
})

test('a pressed button does not wait for the messages of its chat', async () => {
  const { api, playground } = await openPlayground()
  const { message_id: messageId } = await api.sendMessage(5, 'a', {
    reply_markup: { inline_keyboard: [[{ text: 'b', callback_data: 'c' }]] },
  })
  const gate = Promise.withResolvers<void>()
  const bot = await openBotServer(async (update) => {
    if (update.message) await gate.promise
    return 200
  })
  await api.setWebhook(bot.url)

  playground.userSends({ userId: 5, text: 'hello' })
  playground.presses({ userId: 5, messageId, data: 'c' })
  const kinds = () => bot.updates().map((update) => Object.keys(update)[1])
  await expect.poll(kinds).toEqual(['message', 'callback_query'])
  gate.resolve()
})

test('a webhook that fails gets its update again, at once and then after 2 s', async () => {
  const clock = createManualClock()
  const { api, playground } = await openPlayground({ clock })
  const bot = await openBotServer(() => (bot.requests.length < 3 ? 500 : 200))
  await api.setWebhook(bot.url)

  playground.userSends({ userId: 5, text: 'hello' })
  await expect.poll(() => bot.requests.length).toBe(2)
  await clock.untilAsleep()
  clock.advance(2_000)

  await expect.poll(() => bot.requests.length).toBe(3)
})
