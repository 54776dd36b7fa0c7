import { expect, test } from 'vitest'
import { parseVideoCommand } from '../../../../src/bot/media/options/video-options.ts'

const PLAIN = { duration: 5, quality: '720p', aspect_ratio: '1280:720' }

test.each([
  // Nothing but a prompt.
  ['a fox in the snow', 'a fox in the snow', {}],
  ['  a fox,\n  running  ', 'a fox,\n  running', {}],
  ['лиса бежит', 'лиса бежит', {}],
  // Options before it.
  ['10s a fox', 'a fox', { duration: 10 }],
  ['5 s a fox', 'a fox', {}],
  ['10sec a fox', 'a fox', { duration: 10 }],
  ['10 сек. лиса', 'лиса', { duration: 10 }],
  ['10с лиса', 'лиса', { duration: 10 }],
  ['1080p a fox', 'a fox', { quality: '1080p' }],
  ['1080P a fox', 'a fox', { quality: '1080p' }],
  ['1080р лиса', 'лиса', { quality: '1080p' }],
  ['9:16 a fox', 'a fox', { aspect_ratio: '720:1280' }],
  ['720:1280 a fox', 'a fox', { aspect_ratio: '720:1280' }],
  ['16:9 a fox', 'a fox', {}],
  ['1280:720 a fox', 'a fox', {}],
  ['portrait a fox', 'a fox', { aspect_ratio: '720:1280' }],
  ['10s, 720p, portrait: a fox', 'a fox', { duration: 10, aspect_ratio: '720:1280' }],
  ['portrait 10s 720p a fox', 'a fox', { duration: 10, aspect_ratio: '720:1280' }],
  ['10s\na fox', 'a fox', { duration: 10 }],
  // Options behind it, and on both sides.
  ['a fox 10s', 'a fox', { duration: 10 }],
  ['a fox runs. 10 s', 'a fox runs.', { duration: 10 }],
  ['a fox, 10s 9:16', 'a fox', { duration: 10, aspect_ratio: '720:1280' }],
  ['a fox 10s portrait', 'a fox', { duration: 10, aspect_ratio: '720:1280' }],
  ['a fox portrait 10s', 'a fox', { duration: 10, aspect_ratio: '720:1280' }],
  ['a fox, portrait', 'a fox', { aspect_ratio: '720:1280' }],
  ['a fox\nportrait', 'a fox', { aspect_ratio: '720:1280' }],
  ['1080p a fox 9:16', 'a fox', { quality: '1080p', aspect_ratio: '720:1280' }],
  // The prompt's own words.
  ['a 10s countdown on a 1080p screen in 16:9', 'a 10s countdown on a 1080p screen in', {}],
  ['a countdown of 10s shown on a wall', 'a countdown of 10s shown on a wall', {}],
  ['10s 5s of rain', '5s of rain', { duration: 10 }],
  ['5s a race over 10s', 'a race over 10s', {}],
  ['7s a fox', '7s a fox', {}],
  ['4k 10s a fox', '4k 10s a fox', {}],
  ['16:10 a fox', '16:10 a fox', {}],
  ['10seconds a fox', '10seconds a fox', {}],
  ['110s', '110s', {}],
  ['5 собак', '5 собак', {}],
  // A word that is both counts and stays.
  ['portrait of a fox', 'portrait of a fox', { aspect_ratio: '720:1280' }],
  ['10s portrait of a fox', 'portrait of a fox', { duration: 10, aspect_ratio: '720:1280' }],
  ["my grandmother's portrait", "my grandmother's portrait", { aspect_ratio: '720:1280' }],
  ['a wide landscape', 'a wide landscape', {}],
  ['a portraitist', 'a portraitist', {}],
])('"%s"', (text, prompt, options) => {
  const command = parseVideoCommand(text)

  expect(command).toMatchObject({ status: 'ok', request: { prompt, ...PLAIN, ...options } })
})

test.each([
  ['a fox', 'vidgen-720p-5s'],
  ['10s a fox', 'vidgen-720p-10s'],
  ['1080p a fox', 'vidgen-1080p-5s'],
])('"%s" goes by the price of %s', (text, label) => {
  expect(parseVideoCommand(text)).toMatchObject({ label })
})

test.each(['', '   ', '10s', '9:16 720p', 'portrait'])('"%s" has no prompt', (text) => {
  expect(parseVideoCommand(text)).toEqual({ status: 'no_prompt' })
})

test.each(['10s 1080p a fox', '1080p a fox 10s', '10s 1080p'])('"%s" is not offered', (text) => {
  expect(parseVideoCommand(text)).toEqual({ status: 'not_offered' })
})

test('a prompt is counted in code points, without its options', () => {
  expect(parseVideoCommand(`10s ${'🦊'.repeat(5000)}`)).toMatchObject({ status: 'ok' })
  expect(parseVideoCommand(`10s ${'🦊'.repeat(5001)}`)).toEqual({
    status: 'too_long',
    length: 5001,
    limit: 5000,
  })
})
