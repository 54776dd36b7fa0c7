import { expect, test } from 'vitest'
import { exists, labelsOf, optionNames, toRequest } from '../../../src/bot/media/catalog.ts'
import { findVideoProblems, type VideoRequest } from '../../../src/contract/tasks.ts'

test('1080p with 10 s does not exist', () => {
  expect(exists('video', { duration: 10, quality: '1080p' })).toBe(false)
  expect(labelsOf('video').map(({ label }) => label)).toEqual([
    'vidgen-720p-5s',
    'vidgen-720p-10s',
    'vidgen-1080p-5s',
  ])
})

test.each([
  ['video', { duration: 7 }],
  ['sound', { duration: 31 }],
] as const)('%s with %j cannot be ordered', (kind, options) => {
  expect(exists(kind, options)).toBe(false)
  expect(() => toRequest(kind, { prompt: 'a fox', options })).toThrow(RangeError)
})

test('a video from a picture is asked for without a shape', () => {
  const options = { duration: 10, shape: '9:16' } as const

  const { request } = toRequest('video', {
    prompt: 'It runs',
    options,
    imageUrl: 'https://a.test/b',
  })

  expect(request).toEqual({
    prompt: 'It runs',
    duration: 10,
    quality: '720p',
    image_url: 'https://a.test/b',
  })
  expect(findVideoProblems(request as VideoRequest)).toEqual([])
  expect(optionNames('video', { hasPicture: true })).toEqual(['duration', 'quality'])
})
