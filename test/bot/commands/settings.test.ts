import { expect, test } from 'vitest'
import { BORIS, createBotSetup } from '../bot-setup.ts'
import { createPresser } from '../people/access-setup.ts'
import { ADMIN, addSpender, buttonsOf, database, setUp, useCommands } from './commands-setup.ts'

useCommands()

const GROUP = -75

test('/settings is one message: each button opens its step there, and all lead back', async () => {
  const { send, press, playground } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1n })
  await send('/settings', { userId })
  const shown = () => playground.transcript(userId).at(-1)
  const { id, text } = shown() ?? {}
  const buttons = [
    'Instruction for the model',
    'Language',
    'How answers look',
    'Costs shown',
    'Delete what you keep about me',
  ]
  expect(text).toBe('What would you like to change?')
  expect(buttonsOf(shown())).toEqual(buttons.map((button) => [button]))

  const steps = []
  for (const button of buttons) {
    await press(userId, button)
    steps.push(shown()?.text?.split(/[:.?]/)[0])
    expect(buttonsOf(shown()).at(-1)).toEqual(['« Settings'])
    await press(userId, '« Settings')
    expect(shown()).toMatchObject({ id, text })
  }

  expect(steps).toEqual([
    'In this chat the model follows no instruction',
    'Which language should I speak',
    'Answers here are plain text, and rich messages where they have tables, formulas, checklists, folded parts or headings of several levels',
    'An answer says what it cost and what the next message will cost, each if it is ₽5',
    'Delete everything I keep about you',
  ])
})

test('a step shows its choice, which holds', async () => {
  const { send, press, playground } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1n })
  await send('/settings', { userId })
  const choose = async (step: string, choice: string) => {
    await press(userId, step)
    await press(userId, choice)
    const chosen = buttonsOf(playground.transcript(userId).at(-1)).flat()
    await press(userId, '« Settings')
    return chosen
  }

  expect(await choose('Instruction for the model', 'Answer in short sentences')).toContain(
    'Remove instruction',
  )
  expect(await choose('How answers look', 'Plain text')).toContain('✓ Plain text')
  expect(await choose('Costs shown', 'Never')).toContain('✓ Never')

  const select = { costNote: true } as const
  expect(await database.prisma.user.findUniqueOrThrow({ where: { id: userId }, select })).toEqual({
    costNote: 'off',
  })
  expect(await choose('Costs shown', 'As for everyone')).toContain('✓ As for everyone')
})

test('a user’s own settings stay out of groups', async () => {
  const { send, playground, handleAll } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1n })
  await send('hello', { userId })
  playground.addGroup({ id: GROUP, title: 'Friends', members: [userId] })

  for (const text of ['/settings', '/language', '/costnote']) {
    playground.userSends({ userId, chatId: GROUP, text })
    await handleAll()
    expect(playground.transcript(GROUP).at(-1)).toMatchObject({
      text: expect.stringContaining('our private chat'),
    })
    expect(buttonsOf(playground.transcript(GROUP).at(-1))).toEqual([])
  }
})

test.each([
  ['/costnote from 2,50 ₽', /₽2\.50 or more\. This is your own choice/],
  ['/costnote always', /^Every answer/],
  ['/costnote OFF', /^Answers don’t say/],
  ['/costnote allways', /^Send \/costnote always/],
])('"%s" of a user is answered with %s', async (text, expected) => {
  const { send, answerTo } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1n })

  expect(await answerTo(await send(text, { userId }))).toMatch(expected)
})

test('what admins set for all holds for who chose nothing, or chose it again', async () => {
  const { send, answerTo } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1n })
  const answersTo = async (text: string) => answerTo(await send(text, { userId }))
  await send('/admin costnote 7', { userId: ADMIN })

  expect(await answersTo('/costnote')).toMatch(/₽7\.00 or more\. This is the default/)
  expect(await answersTo('/costnote off')).toMatch(/^Answers don’t say/)
  expect(await answersTo('/costnote default')).toMatch(/₽7\.00 or more\. This is the default/)
  expect(await database.prisma.change.count({ where: { adminId: ADMIN } })).toBe(1)
})

test('/format shows how answers look in the chat, and sets it by a word or a button', async () => {
  const { send, press, answerTo, playground } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1n })
  const chosen = () => database.prisma.chat.findUnique({ where: { id: userId } })

  expect(await answerTo(await send('/format', { userId }))).toMatch(/rich messages where they have/)
  expect(await chosen()).toBeNull()
  expect(await answerTo(await send('/format PLAIN', { userId }))).toMatch(/are plain text: tables/)
  expect(await chosen()).toMatchObject({ format: 'plain' })

  await press(userId, 'Rich')

  const last = playground.transcript(userId).at(-1)
  expect(last?.text).toMatch(/^Answers here are rich messages\. Some apps/)
  expect(buttonsOf(last)).toEqual([['Automatic'], ['Plain text', '✓ Rich'], ['« Settings']])
  expect(await chosen()).toMatchObject({ format: 'rich' })
})

test('/language changes what every text is written in, and back to Telegram’s', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  const { press } = createPresser(setup)
  const { playground } = setup

  playground.userSends({ userId: BORIS, text: '/language' })
  await playground.waitFor(() => setup.textsIn(BORIS).length === 1)
  expect(setup.textsIn(BORIS)[0]).toContain('На каком языке')
  expect(await press(BORIS, 'English')).toBe('I’ll speak English from now on.')
  playground.userSends({ userId: BORIS, text: '/usage' })
  await playground.waitFor(() => setup.textsIn(BORIS).length === 2)
  expect(setup.textsIn(BORIS)[1]).toContain('Your spend\nToday: ₽0.00')

  expect(await press(BORIS, 'As in Telegram')).toContain('по-русски')
  playground.userSends({ userId: BORIS, text: '/usage' })
  await playground.waitFor(() => setup.textsIn(BORIS).length === 3)
  expect(setup.textsIn(BORIS)[2]).toContain('Ваши расходы')
})
