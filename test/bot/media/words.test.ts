import { expect, test } from 'vitest'
import type { MediaOptions } from '../../../src/bot/media/catalog.ts'
import { readWords, type WordsRead } from '../../../src/bot/media/words.ts'
import { MEDIA_KINDS, type MediaKind } from '../../../src/contract/tasks.ts'

const NOTHING = 'nothing but a description'

/** The text after a command; the options understood of it, or asked back: "7s? 5 s or 10 s"; and the description. */
const WORDINGS: readonly (readonly [MediaKind, text: string, as: string, prompt: string])[] = [
  ['video', '10s a fox', '10 s', 'a fox'],
  ['video', 'a fox — 10 s.', '10 s', 'a fox'],
  ['video', 'a fox (10s)', '10 s', 'a fox'],
  ['video', 'duration: 10s, a fox', '10 s', 'a fox'],
  ['video', 'лиса бежит, 10 секунд', '10 s', 'лиса бежит'],
  ['video', 'видео на 10 секунд: лиса', '10 s', 'лиса'],
  ['video', '10 seconds of silence', '10 s', '10 seconds of silence'],
  ['video', '5s a race over 10s', '5 s', 'a race over 10s'],
  ['video', 'a fox in 1080p', '1080p', 'a fox'],
  ['video', '1080р лиса', '1080p', 'лиса'],
  ['video', 'a fox, HD', '720p', 'a fox'],
  ['video', 'a fox --ar 9:16', '9:16', 'a fox'],
  ['video', 'лиса, вертикально', '9:16', 'лиса'],
  ['video', 'portrait of a fox', '9:16', 'portrait of a fox'],
  ['video', '1280:720 a fox', '16:9', 'a fox'],
  ['video', '10s, 720p, portrait: a fox', '10 s, 720p, 9:16', 'a fox'],
  ['video', '1920x1080 a fox', '1080p, 16:9', 'a fox'],
  ['video', '10s, 9:16.', '10 s, 9:16', ''],
  ['video', '  a fox,\n  running  ', NOTHING, 'a fox,\n  running'],
  ['video', '10 seconds to midnight', NOTHING, '10 seconds to midnight'],
  ['video', 'a train leaves at 9:16', NOTHING, 'a train leaves at 9:16'],
  ['video', 'town square', NOTHING, 'town square'],
  ['video', '5 собак', NOTHING, '5 собак'],
  ['video', 'a fox, 10s, running', NOTHING, 'a fox, 10s, running'],
  ['video', 'a 4k fox runs', NOTHING, 'a 4k fox runs'],
  ['video', '7s a fox', '7s? 5 s or 10 s', 'a fox'],
  ['video', 'лиса, 15с.', '15с? 5 s or 10 s', 'лиса'],
  ['video', '-5s a fox', '-5s? 5 s or 10 s', 'a fox'],
  ['video', 'a fox in 4k', '4k? 720p or 1080p', 'a fox'],
  ['video', '1080 elephants', '1080? 720p or 1080p', 'elephants'],
  [
    'video',
    'a countdown from 10 seconds',
    '10 seconds? 5 s or 10 s',
    'a countdown from 10 seconds',
  ],
  ['video', '10-second countdown', '10-second? 5 s or 10 s', 'countdown'],
  ['video', 'the last 10 seconds', '10 seconds? 5 s or 10 s', 'the last 10 seconds'],
  ['video', 'лиса в 9:16', '9:16? 16:9 or 9:16', 'лиса в 9:16'],
  ['video', '1:1 a fox', '1:1? 16:9 or 9:16', 'a fox'],
  ['video', '5s 10s a fox', '5s, 10s? 5 s or 10 s', 'a fox'],
  ['video', '10s 1080p a fox', '10s; 1080p? 5 s, 1080p or 10 s, 720p', 'a fox'],
  ['image', 'квадрат, лиса', '1:1', 'лиса'],
  ['image', '10s a fox', NOTHING, '10s a fox'],
  ['image', 'a fox, 4:3', '4:3? 1:1 or 16:9 or 9:16', 'a fox'],
  ['sound', '12s rain', '12 s', 'rain'],
  ['sound', 'rain, 60s', '60s? 5 s or 10 s or 20 s or 30 s', 'rain'],
]

test.each(WORDINGS)('/%s %j is understood as "%s"', (kind, text, as, prompt) => {
  const read = readWords(kind, text)

  expect(describe(read)).toBe(as)
  expect(read.prompt).toBe(prompt)
})

test('what a user has set counts where a choice does not go with it', () => {
  const set = { quality: '1080p' } as const

  expect(describe(readWords('video', 'a fox', set))).toBe(NOTHING)
  expect(describe(readWords('video', '7s a fox', set))).toBe('7s? 5 s or 10 s, 720p')
  expect(describe(readWords('video', '10s 720p a fox', set))).toBe('10 s, 720p')
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

function describe({ options, questions, choices }: WordsRead): string {
  const understood = write(options)
  if (questions.length === 0) return understood || NOTHING
  const asked = questions.map(({ written }) => written.join(', ')).join('; ')
  const answers = choices.map(write).join(' or ')
  return `${understood && `${understood}; `}${asked}? ${answers}`
}

function write({ duration, quality, shape }: MediaOptions): string {
  const texts = [duration === undefined ? undefined : `${duration} s`, quality, shape]
  return texts.filter((one) => one !== undefined).join(', ')
}
