import { expect, test } from 'vitest'
import {
  CATALOG,
  complete,
  exists,
  labelOf,
  labelsOf,
  optionNames,
  readLabel,
  shownValues,
  toOptions,
  toRequest,
} from '../../../../src/bot/media/options/catalog.ts'
import { MEDIA_KINDS } from '../../../../src/contract/media.ts'
import { findVideoProblems, type VideoRequest } from '../../../../src/contract/video.ts'

test.each(MEDIA_KINDS)('the defaults of %s can be ordered, and buttons show them', (kind) => {
  const { defaults } = CATALOG[kind]

  expect(exists(kind, defaults)).toBe(true)
  for (const name of optionNames(kind)) expect(shownValues(kind, name)).toContain(defaults[name])
})

test('1080p with 10 s does not exist', () => {
  expect(exists('video', { duration: 10, quality: '1080p' })).toBe(false)
  expect(labelsOf('video').map(({ label }) => label)).toEqual([
    'vidgen-720p-5s',
    'vidgen-720p-10s',
    'vidgen-1080p-5s',
  ])
})

test('readLabel() finds what each label stands for, and nothing for a model or an unknown label', () => {
  for (const kind of MEDIA_KINDS)
    for (const { label, options } of labelsOf(kind))
      expect(readLabel(label)).toEqual({ kind, options })
  expect(['alpha-large', 'vidgen-4k-60s'].map(readLabel)).toEqual([undefined, undefined])
})

test.each([
  ['video', { duration: 7 }],
  ['video', { shape: '1:1' }],
  ['image', { duration: 5 }],
  ['sound', { duration: 31 }],
  ['sound', { duration: 0.5 }],
  ['sound', { duration: -5 }],
] as const)('%s with %j cannot be ordered', (kind, options) => {
  expect(exists(kind, options)).toBe(false)
  expect(() => toRequest(kind, { prompt: 'a fox', options })).toThrow(RangeError)
})

test('complete() puts defaults instead of what a kind does not have', () => {
  const given = { duration: 7, quality: '1080p', shape: '1:1' } as const

  expect(complete('video', given)).toEqual({ duration: 5, quality: '1080p', shape: '16:9' })
  expect(complete('image', given)).toEqual({ shape: '1:1' })
  expect(complete('sound', given)).toEqual({ duration: 7 })
})

test.each([
  ['video', { duration: 10, quality: '720p', shape: '9:16' }, 'vidgen-720p-10s'],
  ['image', { shape: '9:16' }, 'imagegen'],
  ['sound', { duration: 12 }, 'soundgen'],
] as const)('a request of %s says which options it orders', (kind, options, label) => {
  const media = toRequest(kind, { prompt: 'a fox', options })

  expect(toOptions(media)).toEqual(options)
  expect(labelOf(kind, options)).toBe(label)
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
