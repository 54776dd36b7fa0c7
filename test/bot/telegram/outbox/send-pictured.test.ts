import { expect, test } from 'vitest'
import { sendPictured } from '../../../../src/bot/telegram/outbox/send-pictured.ts'
import { pngOf } from '../../../media-files.ts'
import { ANNA, createOutboxSetup } from './outbox-setup.ts'

const picture = pngOf({ width: 640, height: 480 })
const bold = [{ type: 'bold', offset: 0, length: 4 }] as const
const keyboard = { inline_keyboard: [[{ text: 'Less', callback_data: 'less' }]] }

test('a text with a picture is its caption, with its formatting and buttons', async () => {
  const { outbox, playground } = await createOutboxSetup()

  await sendPictured(outbox, {
    chatId: ANNA,
    text: 'Your spend',
    entities: [...bold],
    keyboard,
    picture,
  })

  const messages = playground.transcript(ANNA)
  expect(messages).toHaveLength(1)
  expect(messages[0]).toMatchObject({ caption: 'Your spend', photo: {}, replyMarkup: keyboard })
  expect(messages[0]?.entities).toEqual(bold)
})

test('a text that is too long for a caption goes before its picture', async () => {
  const { outbox, playground } = await createOutboxSetup()
  const text = 'ё'.repeat(1025)

  await sendPictured(outbox, { chatId: ANNA, text, picture })

  const [first, second] = playground.transcript(ANNA)
  expect(first?.text).toBe(text)
  expect(second?.photo).toBeDefined()
})

test.each([
  ['there is none', undefined],
  ['Telegram refuses it', new Uint8Array([1, 2, 3])],
])('a text goes without its picture where %s', async (_, given) => {
  const { outbox, playground } = await createOutboxSetup()

  await sendPictured(outbox, { chatId: ANNA, text: 'Your spend', picture: given })

  expect(playground.transcript(ANNA).map(({ text }) => text)).toEqual(['Your spend'])
})
