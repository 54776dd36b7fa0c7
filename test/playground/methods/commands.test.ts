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
