import { expect, test } from 'vitest'
import { database, useCommands } from '../../commands/commands-setup.ts'
import { openChat } from './card-setup.ts'

useCommands()

const INSTEAD = 'Make a sound instead'

test('the card of pictures becomes one of sounds by a tap, with what its user chose there last', async () => {
  const { send, press, reply, cardIn, created } = await openChat()
  const userId = await send('/image')
  await database.prisma.mediaSetting.create({
    data: { userId, kind: 'sound', params: { duration: 20 } },
  })
  const { id, buttons } = cardIn(userId)
  expect(buttons.at(-1)).toEqual([INSTEAD])

  await press(userId, INSTEAD)

  expect(cardIn(userId)).toMatchObject({
    id,
    text: expect.stringMatching(/^A sound: 20 s — ₽3\.00/),
  })
  expect(cardIn(userId).buttons.flat()).not.toContain(INSTEAD)
  await reply(userId, 'rain', { to: id })
  expect(created).toMatchObject([
    { media: { kind: 'sound', request: { prompt: 'rain', duration: 20 } } },
  ])
})
