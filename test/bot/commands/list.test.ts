import { expect, test } from 'vitest'
import { COMMANDS } from '../../../src/bot/commands/list.ts'
import { listShown } from '../../../src/bot/commands/shown-commands.ts'
import { MEDIA_KINDS, type MediaKind } from '../../../src/contract/media.ts'
import { ADMIN, setUp, useCommands, VIEWER } from './commands-setup.ts'

useCommands()

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
