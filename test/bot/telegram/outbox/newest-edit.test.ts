import { expect, test } from 'vitest'
import { FormattingRefusedError } from '../../../../src/bot/telegram/errors.ts'
import { createOutbox } from '../../../../src/bot/telegram/outbox/outbox.ts'
import type { ChatCallTime } from '../../../../src/bot/telegram/pacing/stored-paces.ts'
import type { ManualClock } from '../../../platform/time/manual-clock.ts'
import { carelessCalls } from '../../careless-calls.ts'
import { ANNA, createOutboxSetup, GROUP } from './outbox-setup.ts'

test('eight edits of one message in 2.1 s take five calls, a burst and one when it is paid back, and all end with the newest', async () => {
  const { outbox, clock, playground, callsOf } = await createOutboxSetup()
  const target = await outbox.send({ chatId: ANNA, text: '0' })
  clock.advance(5000)
  const tap = (text: string) => outbox.edit(target, text, { keyboard: keyboardOf(text) })
  const texts = () => callsOf('editMessageText').map(({ params }) => params.text)
  const outcomes: string[] = []

  for (const text of ['1', '2', '3']) {
    outcomes.push(await tap(text))
    clock.advance(300)
  }
  const fourth = tap('4')
  await clock.untilAsleep()
  clock.advance(100)
  outcomes.push(await fourth)
  const others = ['5', '6', '7', '8'].map((text) => {
    clock.advance(275)
    return tap(text)
  })
  await clock.untilAsleep()
  clock.advance(1899)
  await clock.untilAsleep()
  expect(texts()).toEqual(['1', '2', '3', '4'])
  clock.advance(1)
  outcomes.push(...(await Promise.all(others)))

  expect(clock.now()).toBe(9000)
  expect(outcomes).toEqual(Array(8).fill('shown'))
  expect(texts()).toEqual(['1', '2', '3', '4', '8'])
  expect(playground.transcript(ANNA)).toMatchObject([{ text: '8', replyMarkup: keyboardOf('8') }])
})

test('a newer edit waits where it came: what was sent meanwhile goes before it', async () => {
  const { outbox, clock, playground, callsOf } = await createOutboxSetup()
  const target = await outbox.send({ chatId: ANNA, text: 'status' })
  await Promise.all(['b', 'c'].map((text) => outbox.send({ chatId: ANNA, text })))

  const ended = Promise.all([
    outbox.edit(target, 'half done'),
    outbox.editKeyboard(target, keyboardOf('Cancel')),
    outbox.send({ chatId: ANNA, text: 'result' }),
    outbox.edit(target, 'done'),
  ])

  expect(await passUntil(clock, ended)).toMatchObject(['shown', 'shown', { chatId: ANNA }, 'shown'])
  const methods = playground.calls.slice(3).map(({ method }) => method)
  expect(methods).toEqual(['sendMessage', 'editMessageText'])
  expect(callsOf('editMessageText')[0]?.params).toMatchObject({ text: 'done' })
})

test('a keyboard takes the place of an older one, but not of an edit, whose text it lacks', async () => {
  const { outbox, clock, playground } = await createOutboxSetup()
  const target = await outbox.send({ chatId: ANNA, text: 'a' })
  await Promise.all(['b', 'c'].map((text) => outbox.send({ chatId: ANNA, text })))

  const ended = Promise.all([
    outbox.edit(target, 'new', { keyboard: keyboardOf('1') }),
    outbox.editKeyboard(target, keyboardOf('2')),
    outbox.editKeyboard(target, keyboardOf('3')),
  ])

  expect(await passUntil(clock, ended)).toEqual(['shown', 'shown', 'shown'])
  const methods = playground.calls.slice(3).map(({ method }) => method)
  expect(methods).toEqual(['editMessageText', 'editMessageReplyMarkup'])
  const [first] = playground.transcript(ANNA)
  expect(first).toMatchObject({ text: 'new', replyMarkup: keyboardOf('3') })
})

test('an edit whose newer one is given up is made after all', async () => {
  const { outbox, clock, shown } = await createOutboxSetup()
  const target = await outbox.send({ chatId: ANNA, text: 'a' })
  await Promise.all(['b', 'c'].map((text) => outbox.send({ chatId: ANNA, text })))
  const stopped = new AbortController()
  const older = outbox.edit(target, 'older')
  const newer = outbox.edit(target, 'newer', { signal: stopped.signal })

  stopped.abort(new Error('stopped'))
  await expect(newer).rejects.toThrow('stopped')

  expect(await passUntil(clock, older)).toBe('shown')
  expect(shown(ANNA)).toEqual(['older', 'b', 'c'])
})

test('an edit whose newer one Telegram refuses is made after all, and one that was given up itself is not', async () => {
  const { outbox, clock, playground, shown, callsOf } = await createOutboxSetup()
  const target = await outbox.send({ chatId: ANNA, text: 'a' })
  await Promise.all(['b', 'c'].map((text) => outbox.send({ chatId: ANNA, text })))
  const description = "can't parse entities"
  playground.fault({ kind: 'refuse', status: 400, description, method: 'editMessageText' })
  const stopped = new AbortController()

  const ended = Promise.allSettled([
    outbox.edit(target, 'oldest', { signal: stopped.signal }),
    outbox.edit(target, 'older'),
    outbox.edit(target, 'newer'),
  ])
  stopped.abort(new Error('stopped'))

  expect(await passUntil(clock, ended)).toMatchObject([
    { status: 'rejected', reason: { message: 'stopped' } },
    { status: 'fulfilled', value: 'shown' },
    { status: 'rejected', reason: expect.any(FormattingRefusedError) },
  ])
  expect(shown(ANNA)).toEqual(['older', 'b', 'c'])
  expect(callsOf('editMessageText')).toHaveLength(2)
})

test('an edit that waits for the end of a 429 gives way to a newer one', async () => {
  const { outbox, clock, playground, callsOf } = await createOutboxSetup()
  const target = await outbox.send({ chatId: GROUP, text: 'a' })
  playground.fault({ kind: '429', retryAfter: 30, method: 'editMessageText' })
  const older = outbox.edit(target, 'older')
  await clock.untilAsleep()

  const newer = outbox.edit(target, 'newer')

  expect(await passUntil(clock, Promise.all([older, newer]))).toEqual(['shown', 'shown'])
  expect(callsOf('editMessageText').map(({ params }) => params.text)).toEqual(['older', 'newer'])
})

test('an edit that changes nothing is not made, and takes nothing of the pace', async () => {
  const { outbox, callsOf, playground } = await createOutboxSetup()
  const keyboard = keyboardOf('1')
  const target = await outbox.send({ chatId: ANNA, text: 'a', keyboard })

  for (let count = 0; count < 9; count++) {
    expect(await outbox.edit(target, { text: 'a' }, { keyboard: keyboardOf('1') })).toBe('shown')
    expect(await outbox.editKeyboard(target, keyboardOf('1'))).toBe('shown')
  }

  expect(await outbox.editKeyboard(target)).toBe('shown')
  expect(callsOf('editMessageText')).toEqual([])
  expect(playground.transcript(ANNA)).toMatchObject([{ text: 'a' }])
  expect(carelessCalls(playground)).toEqual([])
})

test('an edit is made where another process may have changed the message since, and after a minute', async () => {
  const { clock, api, callsOf } = await createOutboxSetup()
  let passOn = (_call: ChatCallTime) => {}
  const onCall = (listener: typeof passOn) => {
    passOn = listener
  }
  const outbox = createOutbox({ api, clock, paces: { record: () => {}, onCall } })
  const target = await outbox.send({ chatId: ANNA, text: 'a' })
  await createOutbox({ api, clock }).edit(target, 'b')

  passOn({ chatId: ANNA, at: clock.now() })
  await outbox.edit(target, 'a')
  await createOutbox({ api, clock }).edit(target, 'b')
  clock.advance(60_001)
  await outbox.edit(target, 'a')

  expect(callsOf('editMessageText').map(({ params }) => params.text)).toEqual(['b', 'a', 'b', 'a'])
})

test('an edit is made after one of which nobody knows whether it was done', async () => {
  const { outbox, clock, playground, callsOf, shown } = await createOutboxSetup()
  const target = await outbox.send({ chatId: ANNA, text: 'a' })
  playground.fault({ kind: 'dropAfter', method: 'editMessageText' })
  const stopped = new AbortController()
  const lost = outbox.edit(target, 'b', { signal: stopped.signal })
  await expect.poll(() => shown(ANNA)).toEqual(['b'])
  await clock.untilAsleep()
  stopped.abort(new Error('stopped'))
  await expect(lost).rejects.toThrow('stopped')

  const back = outbox.edit(target, 'a')

  expect(await passUntil(clock, back)).toBe('shown')
  expect(shown(ANNA)).toEqual(['a'])
  expect(callsOf('editMessageText')).toHaveLength(2)
})

function passUntil<T>(clock: ManualClock, ended: Promise<T>): Promise<T> {
  const passing = setInterval(() => clock.advance(100), 1)
  return ended.finally(() => clearInterval(passing))
}

function keyboardOf(text: string) {
  return { inline_keyboard: [[{ text, callback_data: text }]] }
}
