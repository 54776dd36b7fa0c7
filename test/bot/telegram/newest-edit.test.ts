import { expect, test } from 'vitest'
import { carelessCalls } from '../careless-calls.ts'
import { ANNA, createOutboxSetup, passUntil } from './outbox-setup.ts'

test('eight edits of one message in 2 s take five calls: an edit that waits is replaced, and all end with the newest', async () => {
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
    clock.advance(240)
    return tap(text)
  })
  await clock.untilAsleep()
  expect(texts()).toEqual(['1', '2', '3', '4'])
  clock.advance(40)
  outcomes.push(...(await Promise.all(others)))

  expect(clock.now()).toBe(7000)
  expect(outcomes).toEqual(Array(8).fill('shown'))
  expect(texts()).toEqual(['1', '2', '3', '4', '8'])
  expect(playground.transcript(ANNA)).toMatchObject([{ text: '8', replyMarkup: keyboardOf('8') }])
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

function keyboardOf(text: string) {
  return { inline_keyboard: [[{ text, callback_data: text }]] }
}
