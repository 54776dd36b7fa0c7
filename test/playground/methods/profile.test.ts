import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

const RUSSIAN = { language_code: 'ru' } as const

test('a language without texts of its own has those of no language, and an empty text takes its own away', async () => {
  const { api } = await openPlayground()
  const russian = async () => (await api.getMyDescription(RUSSIAN)).description

  expect(await api.getMyDescription()).toEqual({ description: '' })
  await api.setMyDescription('Talks')
  expect(await russian()).toBe('Talks')
  await api.setMyDescription('Говорит', RUSSIAN)
  expect(await russian()).toBe('Говорит')
  await api.setMyDescription('', RUSSIAN)
  expect(await russian()).toBe('Talks')
})

test('the name and the descriptions are separate, and each has its length', async () => {
  const { api, refusalOf } = await openPlayground()

  expect((await api.getMyName()).name).toBe((await api.getMe()).first_name)
  expect(await refusalOf('setMyName', { name: 'a'.repeat(65) })).toContain('Bad Request')
  expect(await refusalOf('setMyDescription', { description: 'a'.repeat(513) })).toContain(
    'too long',
  )
  expect(await refusalOf('setMyShortDescription', { short_description: 'a'.repeat(120) })).toBe(
    'ok',
  )
  expect(await api.getMyShortDescription()).toEqual({ short_description: 'a'.repeat(120) })
  expect(await api.getMyDescription()).toEqual({ description: '' })
})
