import { expect, test } from 'vitest'
import { listShown } from '../../../src/bot/commands/help.ts'
import { COMMANDS } from '../../../src/bot/commands/list.ts'
import { chooseModel, conversationOf } from '../../../src/bot/conversations/conversations.ts'
import { MEDIA_KINDS, type MediaKind } from '../../../src/contract/tasks.ts'
import { ADMIN, database, setUp, useCommands, VIEWER } from './commands-setup.ts'

useCommands()

const WORDS = {
  'vidgen-720p-5s': /\/video|\bvideos?\b|ролик/i,
  imagegen: /\/image|\bpictures?\b|картин/i,
  soundgen: /\/sound|\bsounds?\b|звук/i,
}

test.each([
  {
    labels: ['vidgen-720p-5s', 'imagegen', 'soundgen'],
    en: ['I can also make videos, images and sounds: send /video, /image or /sound and'],
    ru: ['Ещё я создаю ролики, картинки и звуки: отправьте /video, /image или /sound и'],
  },
  {
    labels: ['imagegen'],
    en: ['I can also make images: send /image and'],
    ru: ['Ещё я создаю картинки: отправьте /image и'],
  },
  { labels: [], en: [], ru: [] },
])(
  'where nothing but $labels is sold besides answers, /start and /help have a word of nothing else',
  async ({ labels, ...said }) => {
    const reportedPrices = new Map(labels.map((label) => [label, 5_000_000n]))
    const { send, answerTo } = await setUp({ reportedPrices })
    const unsold = Object.entries(WORDS).filter(([label]) => !labels.includes(label))

    for (const languageCode of ['en', 'ru'] as const) {
      const start = await answerTo(await send('/start', { languageCode }))
      const help = await answerTo(await send('/help', { languageCode }))
      const text = `${start}\n${help}`

      for (const words of said[languageCode]) expect(text).toContain(words)
      for (const [, words] of unsold) expect(text).not.toMatch(words)
    }
  },
)

test('/help lists the commands of a role for those who have it, in private', async () => {
  const { send, answerTo, playground, handleAll } = await setUp()
  playground.addGroup({ id: -80, title: 'Friends', members: [ADMIN] })

  const forUser = await answerTo(await send('/help'))
  const forAdmin = await answerTo(await send('/help', { userId: ADMIN }))
  const forViewer = await answerTo(await send('/help', { userId: VIEWER }))
  playground.userSends({ userId: ADMIN, chatId: -80, text: '/help' })
  await handleAll()
  const forGroup = await answerTo(-80)

  expect(forUser).toContain('/usage')
  expect(forUser).not.toContain('/spend')
  expect(forAdmin).toMatch(/\/spend.+\/users/s)
  expect(forViewer).toContain('/spend')
  expect(forViewer).not.toContain('/allow')
  expect(forGroup).toMatch(/^Mention me or reply to me.+\/usage/s)
  expect(forGroup).not.toMatch(/\/settings|\/spend/)
})

test('a command with our name counts, one with another name is passed over', async () => {
  const { send, answerTo, playground, passedOn } = await setUp()

  const ours = await send('/Stop@Kopeck_Playground_Bot')
  const others = await send('/stop@another_bot')

  expect(await answerTo(ours)).toBe('Nothing is being written right now.')
  expect(playground.transcript(others)).toHaveLength(1)
  expect(passedOn).toEqual([])
})

test('what is no command goes on, also with a command in its middle', async () => {
  const { send, passedOn } = await setUp()

  for (const text of ['hello', 'what does /help do?', '/ 5', '/вид']) await send(text)

  expect(passedOn).toEqual(['hello', 'what does /help do?', '/ 5', '/вид'])
})

test.each(['/video a fox', '/stop'])(
  'a forwarded "%s" is what somebody else wrote, and goes on as that',
  async (text) => {
    const { send, handleAll, playground, passedOn, created } = await setUp()
    const userId = await send('hello')
    const said = playground.transcript(userId).length

    playground.userSends({ userId, text, forwardFrom: 'Vera' })
    await handleAll()

    expect(passedOn).toEqual(['hello', text])
    expect(playground.transcript(userId)).toHaveLength(said + 1)
    expect(created).toEqual([])
  },
)

test.each(['/picture a fox', '/balance', '/spend', '/admin balance off', '/limit default 1 day'])(
  '"%s" is unknown to a user',
  async (text) => {
    const { send, answerTo } = await setUp()

    expect(await answerTo(await send(text))).toContain('I don’t know this command')
  },
)

test('/new begins a conversation with the same model', async () => {
  const { send, answerTo } = await setUp()
  const userId = await send('hello')
  const thread = { chatId: userId, threadId: 0 }
  await chooseModel(database, thread, 'alpha-small')
  const before = await conversationOf(database, thread)

  await send('/new', { userId })

  const after = await conversationOf(database, thread)
  expect(after.id).toBeGreaterThan(before.id)
  expect(after.model).toBe('alpha-small')
  expect(await answerTo(userId)).toBe('New conversation.')
})

test('/new keeps the instruction, and says so', async () => {
  const { send, answerTo } = await setUp()
  const userId = await send('/system Be brief.')

  await send('/new', { userId })
  expect(await answerTo(userId)).toContain('Your instruction stays: /system')

  expect(await answerTo(await send('/system', { userId }))).toContain('Be brief.')
})

test('/stop ends the turn of its chat thread', async () => {
  const stopped: unknown[] = []
  const { send, answerTo } = await setUp({
    stopTurn: async (thread, actor) => {
      stopped.push([thread, actor])
      return 'stopped'
    },
  })

  const userId = await send('/stop')

  expect(stopped).toEqual([
    [
      { chatId: userId, threadId: 0 },
      { userId, isAdmin: false },
    ],
  ])
  expect(await answerTo(userId)).toBe('Stopped.')
})

test.each(['/allow 101', '/block 101', '/role 101 admin', '/admin'])(
  '"%s" is unknown to a viewer',
  async (text) => {
    const { send, answerTo } = await setUp()

    expect(await answerTo(await send(text, { userId: VIEWER }))).toContain('this command')
  },
)

test.each<MediaKind[][]>([[['video', 'image', 'sound']], [['video', 'sound']], [[]]])(
  'of what is sold, %j, the menu has the commands',
  (kinds) => {
    const { listed } = listShown(COMMANDS, kinds, { isPrivate: true, role: undefined })

    const media: readonly string[] = MEDIA_KINDS
    expect(listed.map(({ name }) => name).filter((name) => media.includes(name))).toEqual(kinds)
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
