import { expect, test } from 'vitest'
import type { MediaOptions } from '../../../src/bot/media/catalog.ts'
import { readWords, type WordsRead } from '../../../src/bot/media/words.ts'
import { MEDIA_KINDS, type MediaKind } from '../../../src/contract/tasks.ts'

const NOTHING = 'nothing but a description'

/** The text after a command; the options understood of it and the words that are asked about; and the description. */
const WORDINGS: readonly (readonly [MediaKind, text: string, as: string, prompt: string])[] = [
  ['video', '10s a fox', '10 s', 'a fox'],
  ['video', 'a fox — 10 s.', '10 s', 'a fox'],
  ['video', 'лиса бежит, 10 секунд', '10 s', 'лиса бежит'],
  ['video', '1080р лиса', '1080p', 'лиса'],
  ['video', '9:16 1080p a fox', '1080p, 9:16', 'a fox'],
  ['video', 'a fox, hd, 10s', '10 s', 'a fox, hd'],
  ['video', 'лиса, вертикально', '9:16', 'лиса'],
  ['video', 'portrait of a fox', NOTHING, 'portrait of a fox'],
  ['video', '10s, 720p, portrait: a fox', '10 s, 720p, 9:16', 'a fox'],
  ['video', '10s, 9:16.', '10 s, 9:16', ''],
  ['video', '  a fox,\n  running  ', NOTHING, 'a fox,\n  running'],
  ['video', 'town square', NOTHING, 'town square'],
  ['video', '5 собак', NOTHING, '5 собак'],
  ['video', '1980s disco', NOTHING, '1980s disco'],
  ['video', '10-second countdown', NOTHING, '10-second countdown'],
  ['video', 'a fox, 5-10s', NOTHING, 'a fox, 5-10s'],
  ['video', 'a fox, 10s, running', NOTHING, 'a fox, 10s, running'],
  ['video', '10 seconds to midnight', '10 seconds?', '10 seconds to midnight'],
  ['video', '10 seconds of silence', '10 seconds?', '10 seconds of silence'],
  ['video', '5s a race over 10s', '5 s; 10s?', 'a race over 10s'],
  ['video', 'a train leaves at 9:16', '9:16?', 'a train leaves at 9:16'],
  ['video', '7s a fox', '7s?', '7s a fox'],
  ['video', 'лиса, 15с.', '15с?', 'лиса, 15с.'],
  ['video', 'the last 10 seconds', '10 seconds?', 'the last 10 seconds'],
  ['video', 'лиса в 9:16', '9:16?', 'лиса в 9:16'],
  ['video', '5s 10s a fox', '5 s; 10s?', '10s a fox'],
  ['image', 'квадрат, лиса', '1:1', 'лиса'],
  ['image', '10s a fox', NOTHING, '10s a fox'],
  ['image', 'a fox, 4:3', '4:3?', 'a fox, 4:3'],
  ['sound', '12s rain', '12 s', 'rain'],
  ['sound', 'rain, 1 minute', '1 minute?', 'rain, 1 minute'],
]

test.each(WORDINGS)('/%s %j is understood as "%s"', (kind, text, as, prompt) => {
  const read = readWords(kind, text)

  expect(describe(read)).toBe(as)
  expect(read.prompt).toBe(prompt)
})

/** A step for each pair of characters would take minutes. */
test('a text of any length is read in a time that grows with it', () => {
  const made = ['x', ' ', ',', '(', '1', '4k,', '10s ', '(hd ', '9:16,a fox,', 'a - ', 'in ', '5-']
  const texts = made.flatMap((part) => {
    const long = part.repeat(200_000)
    return [long, `a fox${long}10s`, `10s${long}a fox`]
  })

  for (const text of texts) {
    for (const kind of MEDIA_KINDS) {
      expect(readWords(kind, text).prompt.length).toBeLessThanOrEqual(text.length)
    }
  }
})

function describe({ options, unclear }: WordsRead): string {
  const asked = unclear.length > 0 ? [`${unclear.join(', ')}?`] : []
  return [...write(options), ...asked].join('; ') || NOTHING
}

function write({ duration, quality, shape }: MediaOptions): string[] {
  const texts = [duration === undefined ? undefined : `${duration} s`, quality, shape]
  const written = texts.filter((one) => one !== undefined)
  return written.length === 0 ? [] : [written.join(', ')]
}
