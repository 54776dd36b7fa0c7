import { expect, test } from 'vitest'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import {
  CHAT_UNREACHABLE,
  CHAT_UNREACHABLE_EARLY,
  type OrderFailure,
  OUTCOME_UNKNOWN,
  OVERDUE,
  refused,
  TASK_LOST,
  taskFailed,
  UNDELIVERABLE,
} from '../../../../src/bot/media/order/order-failure.ts'
import { failureText, statusText } from '../../../../src/bot/media/order/order-texts.ts'
import { orderOf } from '../order-of.ts'

const texts = createTexts()

test.each<[string, OrderFailure, number | null, string, string]>([
  ['402', refused(402, 'Needs 40'), null, 'too little money', 'не хватает денег'],
  ['422', refused(422), null, 'description isn’t accepted', 'описание не принимается'],
  ['422 with words', refused(422, 'prompt: too rude'), null, 'too rude', 'too rude'],
  ['429', refused(429), null, 'didn’t move for too long', 'слишком долго не двигалась'],
  ['502', refused(502), null, 'couldn’t be started', 'Начать этот заказ не удалось'],
  ['503', refused(503), null, 'Nothing could be made for too long', 'Слишком долго'],
  [
    'a task that failed',
    taskFailed({ code: 0, message: '' }),
    1,
    'couldn’t be made',
    'не получился',
  ],
  [
    'a task whose code is one of HTTP',
    taskFailed({ code: 402, message: 'Why' }),
    1,
    'given:\nWhy',
    'Причина:\nWhy',
  ],
  [
    'an unknown outcome',
    OUTCOME_UNKNOWN,
    null,
    '₽40.00 is in your spend as an estimate',
    'оценка, 40,00 ₽',
  ],
  ['the deadline has passed', OVERDUE, 1, 'far too long', 'слишком долго'],
  ['a lost task', TASK_LOST, 1, 'was lost', 'потерялся'],
  [
    'a chat that took nothing',
    CHAT_UNREACHABLE,
    1,
    '₽40.00 stays in your spend',
    'остаётся 40,00 ₽',
  ],
  [
    'a chat that could not be answered in',
    CHAT_UNREACHABLE_EARLY,
    null,
    'Nothing was charged',
    'Ничего не списано',
  ],
  ['a clip that cannot be fetched', UNDELIVERABLE, 1, 'couldn’t fetch it', 'не удалось'],
])('%s is shown in both languages', (_name, { code, message = null }, taskId, english, russian) => {
  const facts = { state: 'failed', errorCode: code, errorMessage: message, taskId } as const

  const inEnglish = failureText(
    orderOf({ ...facts, user: { language: null, languageCode: 'en' } }),
    texts,
  )
  const inRussian = failureText(
    orderOf({ ...facts, user: { language: null, languageCode: 'ru' } }),
    texts,
  )

  expect(inEnglish).toContain(english)
  expect(inRussian.replaceAll('\u00a0', ' ')).toContain(russian)
})

test.each([
  ['image', 'The picture couldn’t be made', 'Картинка не получилась'],
  ['sound', 'The sound couldn’t be made', 'Звук не получился'],
] as const)('a failed %s is called what it is', (kind, english, russian) => {
  const facts = { kind, state: 'failed', errorCode: 0, taskId: 1, params: { prompt: 'x' } } as const
  const languages = ['en', 'ru'].map((languageCode) => ({ language: null, languageCode }))

  const shown = languages.map((user) => failureText(orderOf({ ...facts, user }), texts))

  expect(shown[0]).toContain(english)
  expect(shown[1]).toContain(russian)
})

test('the service’s own words are cut', () => {
  const { message } = taskFailed({ code: 1, message: '🦊'.repeat(1000) })

  expect([...(message ?? '')]).toHaveLength(300)
})

test('an order that need not wait goes to the service at once', () => {
  expect(statusText(orderOf(), { texts })).toContain('on its way to be made')
})

test.each([
  [1, 20_000, 'You’re next in the queue, about 20 s.'],
  [7, 130_000, 'Place in the queue: 7, about 2 min.'],
])('position %d in the queue, %d ms from its turn, reads "%s"', (position, waitMs, words) => {
  expect(statusText(orderOf(), { texts, position: { position, waitMs, isAway: false } })).toContain(
    words,
  )
})

test('an order from a picture is shown as one: the clip takes the shape of that', () => {
  const params = { prompt: 'it wakes up', image_url: 'https://bot.example.org/pictures/1' }

  const shown = ['en', 'ru'].map((languageCode) => {
    const user = { language: null, languageCode }
    return statusText(orderOf({ state: 'generating', params, user }), { texts })
  })

  expect(shown[0]).toContain('5 s, 720p, from a picture')
  expect(shown[1]).toContain('5 с, 720p, из картинки')
})
