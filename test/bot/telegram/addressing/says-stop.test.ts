import { expect, test } from 'vitest'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import { saysStop } from '../../../../src/bot/telegram/addressing/says-stop.ts'

const texts = createTexts()

test.each([
  ['en', 'stop'],
  ['en', 'Stop!!'],
  ['en', ' STOP. 🛑'],
  ['ru', 'стоп'],
  ['ru', 'Стоп, пожалуйста'],
  ['ru', '«Хватит!»'],
  ['ru', 'Stop'],
])('in %s "%s" says nothing but stop', (language, text) => {
  expect(saysStop(text, texts.t(language, 'stop-words'))).toBe(true)
})

test.each([
  ['en', 'stop the war'],
  ['en', 'When does the bus stop?'],
  ['en', 'стоп'],
  ['ru', 'стоп-кран'],
  ['ru', 'Что значит «стоп»?'],
  ['ru', '!!!'],
])('in %s "%s" says something else', (language, text) => {
  expect(saysStop(text, texts.t(language, 'stop-words'))).toBe(false)
})
