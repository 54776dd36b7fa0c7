import { expect, test } from 'vitest'
import { addCharge } from '../../spend/add-charge.ts'
import { addSpender, database, setUp, useCommands } from '../commands-setup.ts'

useCommands()

const NAME = '@kopeck_playground_bot'
let lastGroup = -70

async function setUpGroup({ started = true }: { started?: boolean } = {}) {
  const setup = await setUp()
  const { playground } = setup
  const group = --lastGroup
  const userId = await addSpender({ amountMicroRub: 10_000_000n })
  const other = await addSpender({ amountMicroRub: 500_000n })
  playground.addUser({ id: userId, firstName: 'Anna', languageCode: 'en', started })
  playground.addGroup({ id: group, title: 'Friends', members: [userId] })
  await addCharge(database.prisma, { userId, chatId: group, amountMicroRub: 2_000_000n })
  await addCharge(database.prisma, { userId: other, chatId: group, amountMicroRub: 1_000_000n })
  const ask = async (as?: 'group') => {
    const text = `/usage${NAME}`
    const { message_id } = playground.userSends({ userId, chatId: group, text, ...(as && { as }) })
    await setup.handleAll()
    return message_id
  }
  const answersIn = (chatId: number) =>
    playground.transcript(chatId).filter(({ from }) => from === 'bot')
  return { group, userId, ask, answersIn }
}

test('/usage in a group shows what the group spent, and its user privately what they spent', async () => {
  const { group, userId, ask, answersIn } = await setUpGroup()

  const asked = await ask()

  expect(answersIn(group)).toEqual([
    expect.objectContaining({
      replyToMessageId: asked,
      text: expect.stringMatching(/^This group’s spend\nToday: ₽3\.00\n(.|\n)*private chat\.$/),
    }),
  ])
  expect(answersIn(group)[0]?.text).not.toMatch(/10\.00|12\.00/)
  expect(answersIn(userId)).toEqual([
    expect.objectContaining({ text: expect.stringMatching(/^Your spend\nToday: ₽12\.00\n/) }),
  ])
})

test('/usage in a group says so where its user never wrote to the bot privately', async () => {
  const { group, userId, ask, answersIn } = await setUpGroup({ started: false })

  await ask()

  expect(answersIn(group).at(-1)?.text).toContain('press Start and send /usage there')
  expect(answersIn(userId)).toEqual([])
})
