import { expect, test } from 'vitest'
import { setUp, useCommands } from '../../commands-setup.ts'

useCommands()

test('/image orders a picture in the shape that was asked for', async () => {
  const { send, created } = await setUp()

  await send('/image vertical, a fox in the snow')

  expect(created).toMatchObject([
    {
      media: { kind: 'image', request: { prompt: 'a fox in the snow', aspect_ratio: '9:16' } },
      label: 'imagegen',
      priceMicroRub: 5_000_000n,
    },
  ])
})

test('/image in reply to a photo says what can be made from one', async () => {
  const { send, answerTo, created, playground, handleAll } = await setUp()
  const userId = await send('hello')

  playground.userSends({
    userId,
    photo: { bytes: Buffer.from('a photo') },
    caption: '/image a fox',
  })
  await handleAll()

  expect(await answerTo(userId)).toContain('Only a clip can be made from a picture')
  expect(created).toEqual([])
})
