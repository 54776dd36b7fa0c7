import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

test('commands are kept separately by scope and language', async () => {
  const { api, playground } = await openPlayground()
  const english = [{ command: 'start', description: 'Begin' }]
  const russian = [{ command: 'start', description: 'Начать' }]

  await api.setMyCommands(english)
  await api.setMyCommands(russian, { language_code: 'ru' })
  await api.setMyCommands(english, { scope: { type: 'chat', chat_id: 5 } })

  expect(await api.getMyCommands()).toEqual(english)
  expect(await api.getMyCommands({ language_code: 'ru' })).toEqual(russian)
  expect(await api.getMyCommands({ language_code: 'de' })).toEqual([])
  await api.deleteMyCommands({ language_code: 'ru' })
  expect(playground.commands()).toEqual([
    { scope: { type: 'default' }, languageCode: '', commands: english },
    { scope: { type: 'chat', chat_id: 5 }, languageCode: '', commands: english },
  ])
})

test('commands are refused for their names, descriptions, languages and scopes', async () => {
  const { refusalOf } = await openPlayground()
  const set = (command: string, description = 'a', rest: object = {}) =>
    refusalOf('setMyCommands', { commands: [{ command, description }], ...rest })

  expect(await set('/start')).toBe('ok')
  expect(await set('')).toBe('Bad Request: command must be non-empty')
  expect(await set('a'.repeat(33))).toBe('Bad Request: command length must not exceed 32')
  expect(await set('Start')).toBe('Bad Request: BOT_COMMAND_INVALID')
  expect(await set('a', ' ')).toBe('Bad Request: command description must be non-empty')
  expect(await set('a', 'a'.repeat(257))).toBe(
    'Bad Request: command description length must not exceed 256',
  )
  expect(await set('a', 'a', { language_code: 'rus' })).toBe(
    'Bad Request: invalid language code specified',
  )
  expect(await set('a', 'a', { scope: { type: 'chat_administrators', chat_id: 5 } })).toBe(
    "Bad Request: can't use specified scope in private chats",
  )
  expect(await refusalOf('setMyCommands', { commands: 'x' })).toBe(
    "Bad Request: can't parse commands JSON object",
  )
})
