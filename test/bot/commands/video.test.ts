import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { setUp, useCommands } from './commands-setup.ts'

useCommands({ confirmFromMicroRub: 100_000_000n })

test('/video answers a description that is too long with the limit', async () => {
  const { send, answerTo, handle, created, playground } = await setUp()
  const userId = await send('hello')
  const message = playground.userSends({ userId, text: '/video a fox' })

  // No client sends as much in one message; the limit is the service's all the same.
  Object.assign(message, { text: `/video ${'🦊'.repeat(5001)}` })
  await handle({ update_id: 1, message } as Update)

  expect(await answerTo(userId)).toContain('has 5,001 characters; the most is 5,000')
  expect(created).toEqual([])
})

test.each([
  [
    '/video 9:16 1080p a fox\nin the snow',
    { prompt: 'a fox\nin the snow', duration: 5, quality: '1080p', aspect_ratio: '720:1280' },
    { label: 'vidgen-1080p-5s', priceMicroRub: 70_500_000n },
  ],
  [
    '/image vertical, a fox',
    { prompt: 'a fox', aspect_ratio: '9:16' },
    { label: 'imagegen', priceMicroRub: 5_000_000n },
  ],
  [
    '/sound 12 секунд дождь',
    { prompt: 'дождь', duration: 12 },
    { label: 'soundgen', priceMicroRub: 3_000_000n },
  ],
])('%j orders what was asked for at its price', async (text, request, priced) => {
  const { send, created } = await setUp()

  const userId = await send(text)

  const origin = { originKey: expect.stringMatching(`^message ${userId} \\d+$`), threadId: 0 }
  const user = { id: userId, firstName: 'Anna', languageCode: 'en' }
  expect(created).toMatchObject([
    { ...origin, ...priced, user, chatId: userId, media: { request }, statusMessageId: null },
  ])
})

test('/video says that no videos are made, without asking the service', async () => {
  const { send, answerTo, created } = await setUp({
    reportedPrices: new Map([
      ['imagegen', 5_000_000n],
      ['soundgen', 3_000_000n],
    ]),
  })

  const answer = await answerTo(await send('/video a fox'))

  expect(answer).toBe('I don’t make videos, but I make images and sounds: /image or /sound')
  expect(created).toEqual([])
})

test('/video below a photo orders a video from it, which takes its shape', async () => {
  const offered: unknown[] = []
  const { send, created, playground, handleAll } = await setUp({
    offer: async (picture) => {
      offered.push(picture)
      return { status: 'offered', imageUrl: 'https://bot.example.org/pictures/1' }
    },
  })
  const userId = await send('hello')

  const photo = { bytes: Buffer.from('a photo') }
  playground.userSends({ userId, photo, caption: '/video 10s it wakes up' })
  await handleAll()

  expect(offered).toEqual([
    expect.objectContaining({ type: 'picture', fileId: expect.any(String), sizeBytes: 7 }),
  ])
  expect(created.map(({ media }) => media.request)).toEqual([
    {
      prompt: 'it wakes up',
      duration: 10,
      quality: '720p',
      image_url: 'https://bot.example.org/pictures/1',
    },
  ])
})

test.each([
  ['no_public_url', 'this bot needs a public address'],
  ['too_large', 'more than 20 MB, or than 8000 pixels a side'],
  ['gone', 'Send it again'],
] as const)('/video says in words why a picture is not taken: %s', async (status, words) => {
  const { send, answerTo, created, playground, handleAll } = await setUp({
    offer: async () => ({ status }),
  })
  const userId = await send('hello')

  const photo = { bytes: Buffer.from('a photo') }
  playground.userSends({ userId, photo, caption: '/video it wakes up' })
  await handleAll()

  expect(await answerTo(userId)).toContain(words)
  expect(created).toEqual([])
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

  expect(await answerTo(userId)).toContain('Only a video can be made from a picture')
  expect(created).toEqual([])
})
