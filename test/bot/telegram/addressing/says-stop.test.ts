import { expect, test } from 'vitest'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import { saysStop } from '../../../../src/bot/telegram/addressing/says-stop.ts'

const texts = createTexts()

test.each([
  ['en', 'stop'],
  ['ru', 'стоп'],
  ['ru', 'Стоп, пожалуйста'],
  ['ru', '«Хватит!»'],
])('in %s "%s" says nothing but stop', (language, text) => {
  expect(saysStop(text, texts.t(language, 'stop-words'))).toBe(true)
})

test.each([
  ['en', 'stop the war'],
  ['en', 'стоп'],
  ['ru', 'стоп-кран'],
  ['ru', 'Что значит «стоп»?'],
])('in %s "%s" says something else', (language, text) => {
  expect(saysStop(text, texts.t(language, 'stop-words'))).toBe(false)
})
