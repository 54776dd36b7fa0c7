import { expect, test } from 'vitest'
import { COMMANDS } from '../../../src/bot/commands/list.ts'
import { type ListReader, listShown } from '../../../src/bot/commands/shown-commands.ts'
import { createTexts, LANGUAGES } from '../../../src/bot/locales/texts.ts'
import { offerVariables } from '../../../src/bot/media/options/offer-texts.ts'
import { MEDIA_KINDS, type MediaKind } from '../../../src/contract/media.ts'
import { ADMIN, setUp, useCommands, VIEWER } from './commands-setup.ts'

useCommands()

const EVERYBODYS = ['new', 'chats', 'model', 'video', 'image', 'usage', 'settings', 'help']
const ADMINS = [...EVERYBODYS, 'spend', 'access', 'dashboard']

/** The columns and the lines of a phone: a message of half its height leaves the question above it in view. */
const PHONE_COLUMNS = 40
const HALF_PHONE_LINES = 18

test.each<[string, ListReader, string[]]>([
  ['a user', { isPrivate: true, role: undefined }, EVERYBODYS],
  ['a viewer', { isPrivate: true, role: 'viewer' }, [...EVERYBODYS, 'spend', 'dashboard']],
  ['an admin', { isPrivate: true, role: 'admin' }, ADMINS],
  [
    'an admin in a group',
    { isPrivate: false, role: 'admin' },
    ['new', 'model', 'video', 'image', 'usage', 'help'],
  ],
])('the menu of %s has few commands, and all others work', (_who, reader, expected) => {
  const { listed, others } = listShown(COMMANDS, MEDIA_KINDS, reader)

  expect(listed.map(({ name }) => name)).toEqual(expected)
  expect(others.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['sound', 'retry', 'format']),
  )
})

test.each<[MediaKind[], string[]]>([
  [
    ['video', 'image', 'sound'],
    ['video', 'image'],
  ],
  [['sound'], ['sound']],
  [
    ['video', 'sound'],
    ['video', 'sound'],
  ],
  [['image'], ['image']],
  [[], []],
])(
  'of what is sold, %j, the menu has %j: the card of pictures leads to sounds',
  (kinds, expected) => {
    const { listed } = listShown(COMMANDS, kinds, { isPrivate: true, role: undefined })

    const media: readonly string[] = MEDIA_KINDS
    expect(listed.map(({ name }) => name).filter((name) => media.includes(name))).toEqual(expected)
  },
)

test.each(LANGUAGES)('no phone cuts a line of the menu: %s', (languageCode) => {
  const texts = createTexts()
  const offers = offerVariables(MEDIA_KINDS, { languageCode, texts })
  const { listed } = listShown(COMMANDS, MEDIA_KINDS, { isPrivate: true, role: 'admin' })

  const lines = listed.map(
    ({ name }) => `/${name} ${texts.t(languageCode, `command-${name}`, offers)}`,
  )

  expect(lines.filter(({ length }) => length > PHONE_COLUMNS)).toEqual([])
})

test.each(LANGUAGES)(
  '/help takes half a phone at most, also for admins: %s',
  async (languageCode) => {
    const { send, answerTo } = await setUp({ adminLanguageCode: languageCode })

    for (const userId of [undefined, ADMIN]) {
      const help = await answerTo(await send('/help', { ...(userId && { userId }), languageCode }))
      const lines = (help ?? '').split('\n')
      const rows = lines.map(({ length }) => Math.max(1, Math.ceil(length / PHONE_COLUMNS)))

      expect(rows.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(HALF_PHONE_LINES)
    }
  },
)

test.each([
  ['a user', undefined],
  ['a viewer', VIEWER],
  ['an admin', ADMIN],
])(
  '/help lists the menu but itself, and its second page every other command of %s',
  async (_who, id) => {
    const { send, press, answerTo } = await setUp()
    const namesIn = (text = '') => [...text.matchAll(/^\/(\w+) — /gm)].map(([, name]) => name)
    const role = id === ADMIN ? 'admin' : id === VIEWER ? 'viewer' : undefined
    const { listed, others } = listShown(COMMANDS, MEDIA_KINDS, { isPrivate: true, role })

    const userId = await send('/help', { ...(id && { userId: id }) })
    const first = await answerTo(userId)
    await press(userId, 'More »')
    const second = await answerTo(userId)
    await press(userId, '« Back')

    expect(namesIn(first)).toEqual(listed.map(({ name }) => name).filter((name) => name !== 'help'))
    expect(namesIn(second)).toEqual(others.map(({ name }) => name))
    expect(second).toContain('Edit a question that was answered')
    expect(await answerTo(userId)).toBe(first)
  },
)

test('no two commands share a name', () => {
  expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length)
})
