import { expect, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { openPlayground } from '../open-playground.ts'

const CONFLICT =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'

test('an offset forgets what lies before it, unless it is far past the end', async () => {
  const clock = createManualClock()
  const { api, playground } = await openPlayground({ clock })
  for (const text of ['a', 'b', 'c']) playground.userSends({ userId: 5, text })
  const poll = async (offset: number) => {
    clock.advance(1_000)
    return (await api.getUpdates({ offset })).map(({ message }) => message?.text)
  }
  const first = (await api.getUpdates())[0]?.update_id ?? 0

  expect(await poll(first + 100)).toEqual(['a', 'b', 'c'])
  expect(await poll(first + 1)).toEqual(['b', 'c'])
  expect(await poll(0)).toEqual(['b', 'c'])
  expect(await poll(-1)).toEqual(['c'])
  expect(await poll(0)).toEqual(['c'])
  expect(await poll(first + 3)).toEqual([])
})

test('a waiting poll is answered by the first update', async () => {
  const { api, playground } = await openPlayground()
  const poll = api.getUpdates({ timeout: 50 })
  await playground.waitFor(({ calls }) => calls.length === 1)

  playground.userSends({ userId: 5, text: '/start' })

  expect(await poll).toMatchObject([
    {
      message: {
        text: '/start',
        from: { id: 5, first_name: 'Ann', is_bot: false },
        chat: { id: 5, type: 'private' },
        entities: [{ type: 'bot_command', offset: 0, length: 6 }],
      },
    },
  ])
})

test('of two waiting polls the older one loses', async () => {
  const { call, playground } = await openPlayground()
  const older = call('getUpdates', { timeout: 30 })
  await playground.waitFor(({ calls }) => calls.length === 1)

  const newer = call('getUpdates', { timeout: 30 })

  expect(await older).toMatchObject({ status: 409, body: { description: CONFLICT } })
  playground.userSends({ userId: 5, text: 'hello' })
  expect((await newer).body.result).toHaveLength(1)
})

test('one answer holds at most 100 updates, the next ones follow', async () => {
  const { api, playground } = await openPlayground()
  for (let count = 0; count < 120; count++) playground.userSends({ userId: 5, text: 'short' })

  const first = await api.getUpdates({ limit: 1_000 })
  const rest = await api.getUpdates({ offset: (first.at(-1)?.update_id ?? 0) + 1 })

  expect([first.length, rest.length]).toEqual([100, 20])
})

test('allowed_updates decides when an update is made, and stays until it is changed', async () => {
  const clock = createManualClock()
  const { api, call, playground } = await openPlayground({ clock })
  const poll = async (params: object) => {
    clock.advance(5_000)
    const { result } = (await call('getUpdates', params)).body
    return (result as object[]).length
  }
  const { message_id } = await api.sendMessage(5, 'a', {
    reply_markup: { inline_keyboard: [[{ text: 'b', callback_data: 'c' }]] },
  })

  await poll({ allowed_updates: ['Message', 'unheard_of'] })
  playground.presses({ userId: 5, messageId: message_id, data: 'c' })
  expect(await poll({ allowed_updates: 'rubbish' })).toBe(0)
  playground.userSends({ userId: 5, text: 'hello' })
  expect(await poll({ allowed_updates: [] })).toBe(1)
  playground.presses({ userId: 5, messageId: message_id, data: 'c' })
  expect(await poll({})).toBe(2)
})
