import { expect, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { openPlayground } from '../open-playground.ts'
import { openBotServer } from './bot-server.ts'

test('updates are posted with the secret, and getUpdates is refused meanwhile', async () => {
  const { api, refusalOf, playground } = await openPlayground()
  const bot = await openBotServer(() => ({}))
  playground.userSends({ userId: 5, text: 'early' })

  await api.setWebhook(bot.url, { secret_token: 'shh' })
  playground.userSends({ userId: 5, text: 'late' })
  await playground.waitFor(({ deliveries }) => deliveries.length === 2)

  expect(bot.received.map(({ update }) => update.message?.text)).toEqual(['early', 'late'])
  expect(bot.received[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-telegram-bot-api-secret-token': 'shh',
  })
  expect(bot.received[0]?.body).toMatch(/^\{"update_id":\d+,\n"message":/)
  expect(await refusalOf('getUpdates', {})).toBe(
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  )
  expect(await api.getWebhookInfo()).toEqual({
    url: bot.url,
    has_custom_certificate: false,
    pending_update_count: 0,
    max_connections: 40,
    ip_address: '127.0.0.1',
  })
  await api.deleteWebhook()
  expect(await api.getUpdates()).toEqual([])
})

test('setWebhook() ends a waiting poll, says what it did, and is refused twice within a second', async () => {
  const clock = createManualClock()
  const { call, playground } = await openPlayground({ clock })
  const bot = await openBotServer(() => ({}))
  const poll = call('getUpdates', { timeout: 30 })
  await playground.waitFor(({ calls }) => calls.length === 1)
  const set = async () => {
    const { body } = await call('setWebhook', { url: bot.url })
    return body.description
  }

  expect(await set()).toBe('Webhook was set')
  expect((await poll).body.description).toBe('Conflict: terminated by setWebhook request')
  expect(await set()).toBe('Too Many Requests: retry after 1')
  clock.advance(1_000)
  expect(await set()).toBe('Webhook is already set')
  expect((await call('setWebhook', { url: '' })).body.description).toBe('Webhook was deleted')
  expect((await call('deleteWebhook')).body.description).toBe('Webhook is already deleted')
})

// Promise: A webhook takes its time over a message, and its user presses a button meanwhile
test('an update waits for the earlier ones of its chat, not for other chats', async () => {
  const { api, playground } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob' })
  const gate = Promise.withResolvers<void>()
  const bot = await openBotServer(async ({ update }) => {
    if (update.message?.text === 'a1') await gate.promise
    return {}
  })
  await api.setWebhook(bot.url)

  playground.userSends({ userId: 5, text: 'a1' })
  playground.userSends({ userId: 5, text: 'a2' })
  playground.userSends({ userId: 6, text: 'b1' })
  await playground.waitFor(({ deliveries }) => deliveries.length === 1)

  const texts = () => bot.received.map(({ update }) => update.message?.text)
  await expect.poll(() => texts().toSorted()).toEqual(['a1', 'b1'])
  gate.resolve()
  await playground.waitFor(({ deliveries }) => deliveries.length === 3)
  expect(texts().at(-1)).toBe('a2')
})

// Promise: A webhook takes its time over a message, and its user presses a button meanwhile
test('a pressed button does not wait for the messages of its chat', async () => {
  const { api, playground } = await openPlayground()
  const { message_id: messageId } = await api.sendMessage(5, 'a', {
    reply_markup: { inline_keyboard: [[{ text: 'b', callback_data: 'c' }]] },
  })
  const gate = Promise.withResolvers<void>()
  const bot = await openBotServer(async ({ update }) => {
    if (update.message) await gate.promise
    return {}
  })
  await api.setWebhook(bot.url)

  playground.userSends({ userId: 5, text: 'hello' })
  playground.presses({ userId: 5, messageId, data: 'c' })
  await playground.waitFor(({ deliveries }) => deliveries.length === 1)

  expect(bot.received.map(({ update }) => Object.keys(update)[1])).toEqual([
    'message',
    'callback_query',
  ])
  gate.resolve()
  await playground.waitFor(({ deliveries }) => deliveries.length === 2)
})

test('the webhook gets updates of no more chats at a time than max_connections', async () => {
  const { api, playground } = await openPlayground()
  const gate = Promise.withResolvers<void>()
  const bot = await openBotServer(async () => {
    await gate.promise
    return {}
  })
  await api.setWebhook(bot.url, { max_connections: 2 })
  for (let id = 11; id < 15; id++) {
    playground.addUser({ id, firstName: `User ${id}` })
    playground.userSends({ userId: id, text: 'hello' })
  }

  await expect.poll(() => bot.received.length).toBe(2)
  gate.resolve()
  await playground.waitFor(({ deliveries }) => deliveries.length === 4)

  expect(bot.received).toHaveLength(4)
})

test('a failed webhook delivery is retried at once, then after 2 s and 4 s, and getWebhookInfo shows it', async () => {
  const clock = createManualClock()
  const { api, playground } = await openPlayground({ clock })
  const bot = await openBotServer(() => ({ status: bot.received.length < 4 ? 500 : 200 }))
  await api.setWebhook(bot.url)
  const startedAt = clock.now()

  playground.userSends({ userId: 5, text: 'hello' })
  for (const count of [2, 3, 4]) {
    await playground.waitFor(({ deliveries }) => deliveries.length === count)
    clock.advance(2_000 * (count - 1))
  }

  const info = await api.getWebhookInfo()
  expect(playground.deliveries.map(({ at, status }) => [at - startedAt, status])).toEqual([
    [0, 500],
    [0, 500],
    [2_000, 500],
    [6_000, 200],
  ])
  expect(info.last_error_message).toBe('Wrong response from the webhook: 500 Internal Server Error')
  expect(info.pending_update_count).toBe(0)
})

test('an update is brought again also where the timer of its pause is early', async () => {
  const clock = createManualClock()
  const early = { ...clock, now: () => clock.now() - (clock.now() === 2_000 ? 0.6 : 0) }
  const { api, playground } = await openPlayground({ clock: early })
  const statuses = [500, 500, 200].values()
  const bot = await openBotServer(() => ({ status: statuses.next().value ?? 200 }))
  await api.setWebhook(bot.url)
  playground.userSends({ userId: 5, text: 'again' })
  await playground.waitFor(({ deliveries }) => deliveries.length === 2)

  await clock.run(2_000)

  await playground.waitFor(({ deliveries }) => deliveries.length === 3)
})

test('a webhook is retried when its Retry-After says, and for a day at most', async () => {
  const clock = createManualClock()
  const { api, playground } = await openPlayground({ clock })
  const bot = await openBotServer(() => ({ status: 503, headers: { 'retry-after': '3600' } }))
  await api.setWebhook(bot.url)

  playground.userSends({ userId: 5, text: 'hello' })
  for (let count = 1; count <= 24; count++) {
    await playground.waitFor(({ deliveries }) => deliveries.length === count)
    clock.advance(3_600_000)
  }

  expect((await api.getWebhookInfo()).pending_update_count).toBe(0)
  expect(playground.deliveries).toHaveLength(24)
})

test('a webhook that takes a minute, or cannot be reached, has failed', async () => {
  const clock = createManualClock()
  const { api, playground } = await openPlayground({ clock })
  const never = Promise.withResolvers<object>()
  const bot = await openBotServer(() => never.promise)
  await api.setWebhook(bot.url)

  playground.userSends({ userId: 5, text: 'hello' })
  await expect.poll(() => bot.received.length).toBe(1)
  clock.advance(60_000)
  await playground.waitFor(({ deliveries }) => deliveries.length === 1)
  await api.setWebhook('http://127.0.0.1:1/')
  await playground.waitFor(({ deliveries }) => deliveries.length > 1)

  expect(playground.deliveries.slice(0, 2)).toMatchObject([
    { status: 0, error: 'Read timeout expired' },
    { status: 0, error: 'Connection refused' },
  ])
})

test('a webhook that answers 410 for 23 hours is removed', async () => {
  const clock = createManualClock()
  const { api, playground } = await openPlayground({ clock })
  const bot = await openBotServer(() => ({ status: 410, headers: { 'retry-after': '3600' } }))
  await api.setWebhook(bot.url)

  playground.userSends({ userId: 5, text: 'hello' })
  for (let count = 1; count <= 24; count++) {
    await playground.waitFor(({ deliveries }) => deliveries.length === count)
    clock.advance(3_600_000)
  }

  expect((await api.getWebhookInfo()).url).toBe('')
  expect(playground.deliveries).toHaveLength(24)
})

test('a webhook that takes an update between its answers of 410 stays', async () => {
  const clock = createManualClock()
  const { api, playground } = await openPlayground({ clock })
  const bot = await openBotServer(() => {
    const status = bot.received.length === 12 ? 200 : 410
    return { status, headers: { 'retry-after': '3600' } }
  })
  await api.setWebhook(bot.url)

  playground.userSends({ userId: 5, text: 'hello' })
  playground.userSends({ userId: 5, text: 'again' })
  for (let count = 1; count <= 25; count++) {
    await playground.waitFor(({ deliveries }) => deliveries.length >= count)
    if (count !== 12) clock.advance(3_600_000)
  }

  expect((await api.getWebhookInfo()).url).toBe(bot.url)
})

test('a method that the webhook answers with is carried out, unless it is deleteWebhook()', async () => {
  const { api, playground } = await openPlayground()
  const calls = [
    { method: 'sendMessage', chat_id: 5, text: 'from the answer' },
    { method: 'deleteWebhook' },
    {},
  ]
  const bot = await openBotServer(() => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls[bot.received.length - 1]),
  }))
  await api.setWebhook(bot.url)

  for (const _ of calls) playground.userSends({ userId: 5, text: 'hello' })
  await playground.waitFor(({ deliveries }) => deliveries.length === 3)
  await playground.waitFor(({ transcript }) => transcript(5).length === 4)

  expect(playground.transcript(5).filter(({ from }) => from === 'bot')).toMatchObject([
    { text: 'from the answer' },
  ])
  expect((await api.getWebhookInfo()).url).toBe(bot.url)
})

test('setWebhook() refuses an address, a secret or a certificate that Telegram would refuse', async () => {
  const clock = createManualClock()
  const { refusalOf } = await openPlayground({ webhooks: 'cloud', clock })
  const set = (url: string, more = {}) => {
    clock.advance(1_000)
    return refusalOf('setWebhook', { url, ...more })
  }
  const bad = (why: string) => `Bad Request: bad webhook: ${why}`

  expect(await set('ftp://bot.example')).toBe('Bad Request: invalid webhook URL specified')
  expect(await set('http://bot.example')).toBe(bad('An HTTPS URL must be provided for webhook'))
  expect(await set('https://bot.example:444')).toBe(
    bad('Webhook can be set up only on ports 80, 88, 443 or 8443'),
  )
  expect(await set('https://127.0.0.1')).toBe(bad('IP address 127.0.0.1 is reserved'))
  expect(await set('https://[2a00::1]')).toBe(bad('IPv6-only addresses are not allowed'))
  expect(await set('https://bot.example', { ip_address: '10.0.0.1' })).toBe(
    bad('IP address 10.0.0.1 is reserved'),
  )
  expect(await set('https://bot.example', { ip_address: 'nowhere' })).toBe(
    bad('Invalid IP address specified'),
  )
  expect(await set('https://bot.example', { secret_token: 'a'.repeat(257) })).toBe(
    'Bad Request: secret token is too long',
  )
  expect(await set('https://bot.example', { secret_token: 'a b' })).toBe(
    'Bad Request: secret token contains unallowed characters',
  )
  expect(await set('https://bot.example:8443', { secret_token: 'a-b_C' })).toBe('ok')
  expect(await set('bot.example')).toBe('ok')
})

// Promise: A webhook is set again, to an address that is refused
test('setWebhook() is refused twice within a second, also after a refusal, and a refusal leaves none', async () => {
  const clock = createManualClock()
  const { api, refusalOf } = await openPlayground({ clock })
  const bot = await openBotServer(() => ({}))
  await api.setWebhook(bot.url)
  clock.advance(1_000)

  const refused = await refusalOf('setWebhook', { url: 'ftp://bot.example' })
  const soon = await refusalOf('setWebhook', { url: bot.url })

  expect(refused).toBe('Bad Request: invalid webhook URL specified')
  expect(soon).toBe('Too Many Requests: retry after 1')
  expect((await api.getWebhookInfo()).url).toBe('')
})

test('setWebhook() forgets the failures of the webhook before, and drops what waits if asked to', async () => {
  const clock = createManualClock()
  const { api, call, playground } = await openPlayground({ clock })
  const bot = await openBotServer(() => ({ status: 500, headers: { 'retry-after': '60' } }))
  await api.setWebhook(bot.url)
  playground.userSends({ userId: 5, text: 'hello' })
  await playground.waitFor(({ deliveries }) => deliveries.length === 1)
  const failed = await api.getWebhookInfo()
  clock.advance(1_000)

  const { body } = await call('setWebhook', { url: bot.url, drop_pending_updates: true })

  expect(body.description).toBe('Webhook was set')
  expect(failed).toMatchObject({ pending_update_count: 1, last_error_date: expect.any(Number) })
  const info = await api.getWebhookInfo()
  expect(info).toMatchObject({ pending_update_count: 0 })
  expect(info).not.toHaveProperty('last_error_date')
})

test('a webhook is reached at the address that was given, with the name and password of its URL', async () => {
  const { api, playground } = await openPlayground()
  const bot = await openBotServer(() => ({}))
  const url = bot.url.replace('127.0.0.1', 'ann:s%20cret@bot.example')

  await api.setWebhook(url, { ip_address: '127.0.0.1' })
  playground.userSends({ userId: 5, text: 'hello' })
  await playground.waitFor(({ deliveries }) => deliveries.length === 1)

  expect(playground.deliveries).toMatchObject([{ status: 200 }])
  expect(bot.received[0]?.headers).toMatchObject({
    host: new URL(url).host,
    authorization: `Basic ${Buffer.from('ann:s cret').toString('base64')}`,
  })
  expect(await api.getWebhookInfo()).toMatchObject({ url, ip_address: '127.0.0.1' })
})
