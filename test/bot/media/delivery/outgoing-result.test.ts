import { expect, test } from 'vitest'
import { toOutgoing } from '../../../../src/bot/media/delivery/outgoing-result.ts'
import { orderOf } from '../order-of.ts'

const SOURCE = { url: 'https://clips.example.com/1.mp4' }

test.each([
  ['720p', '1280:720', 1280, 720],
  ['720p', '720:1280', 720, 1280],
  ['1080p', '1280:720', 1920, 1080],
  ['1080p', '720:1280', 1080, 1920],
] as const)('a clip of %s and %s is %d × %d', (quality, aspect_ratio, width, height) => {
  const order = orderOf({ params: { prompt: 'a fox', duration: 5, quality, aspect_ratio } })

  expect(toOutgoing(order, { type: 'video', source: SOURCE, index: 0 })).toEqual({
    type: 'video',
    source: SOURCE,
    caption: 'a fox\n₽40.00',
    width,
    height,
    durationSeconds: 5,
  })
})

test('what a clip says of itself counts more than what was ordered', () => {
  const clip = { width: 960, height: 960, durationSeconds: 6 }

  const given = toOutgoing(orderOf(), { type: 'video', source: SOURCE, index: 0, clip })

  expect(given).toMatchObject(clip)
})

test('the shape of a clip from a picture is not guessed', () => {
  const params = { prompt: 'a fox', duration: 5, image_url: 'https://bot.example.com/p/1' }

  const given = toOutgoing(orderOf({ params }), { type: 'video', source: SOURCE, index: 0 })

  expect(given).toMatchObject({ durationSeconds: 5 })
  expect(given).not.toHaveProperty('width')
})

test('of several results the first has the words', () => {
  const given = toOutgoing(orderOf(), { type: 'document', source: SOURCE, index: 1 })

  expect(given).toEqual({ type: 'document', source: SOURCE })
})
