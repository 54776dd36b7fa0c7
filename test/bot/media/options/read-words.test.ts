import { expect, test } from 'vitest'
import type { MediaOptions } from '../../../../src/bot/media/options/catalog.ts'
import { readWords, type WordsRead } from '../../../../src/bot/media/options/read-words.ts'
import { MEDIA_KINDS } from '../../../../src/contract/media.ts'
import { WORDINGS } from './wordings.ts'

const EACH = WORDINGS.flatMap(({ kind, as, texts }) =>
  texts.map(([text, prompt]) => ({ kind, text, as, prompt, shown: show(text) })),
)

test.each(EACH)('/$kind $shown is understood as $as', ({ kind, text, as, prompt }) => {
  const read = readWords(kind, text)

  expect(describe(read)).toBe(as)
  expect(read.prompt).toBe(prompt)
})

test('each reason to ask back has a sentence of its own', () => {
  const reasonsOf = (text: string) => readWords('video', text).questions.map(({ reason }) => reason)

  expect(reasonsOf('7s a fox')).toEqual(['no_value'])
  expect(reasonsOf('5s 10s a fox')).toEqual(['contradiction'])
  expect(reasonsOf('1080 elephants')).toEqual(['unclear'])
  expect(reasonsOf('10s 1080p a fox')).toEqual(['no_pair', 'no_pair'])
})

test('what a user has set counts where a choice does not go with it', () => {
  const set = { quality: '1080p' } as const

  expect(describe(readWords('video', 'a fox', set))).toBe('nothing but a description')
  expect(describe(readWords('video', '10s a fox', set))).toBe('10s? 5 s or 10 s, 720p')
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
  if (questions.length === 0) return understood || 'nothing but a description'
  const asked = questions.map(({ written }) => written.join(', ')).join('; ')
  const answers = choices.map(write).join(' or ')
  return `${understood && `${understood}; `}${asked}? ${answers}`
}

function write({ duration, quality, shape }: MediaOptions): string {
  const texts = [duration === undefined ? undefined : `${duration} s`, quality, shape]
  return texts.filter((one) => one !== undefined).join(', ')
}

function show(text: string): string {
  return text.trim().replace(/\s*\n\s*/, ' ⏎ ')
}
