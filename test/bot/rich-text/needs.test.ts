import { expect, test } from 'vitest'
import { layOutMarkdown, type RichLayout } from '../../../src/bot/rich-text/layout.ts'
import { CORPUS } from './corpus.ts'

const PLAIN_CHARS = 3000

function layOut(text: string, isInterim = false, after?: RichLayout) {
  return layOutMarkdown(text, { after, isInterim, plainChars: PLAIN_CHARS })
}

test.each(CORPUS.map((answer, index) => ({ index, ...answer })))(
  'answer $index ($kind) has to be rich for $needs',
  ({ text, needs }) => {
    const { parts } = layOut(text)

    expect([...new Set(parts.flatMap((part) => part.needs))]).toEqual(needs)
  },
)

test.each(CORPUS.map(({ text, kind }, index) => ({ index, kind, text })))(
  'answer $index ($kind) becomes rich once at most while it grows, and ends as it would at once',
  ({ text }) => {
    const needed: boolean[][] = []
    let layout: RichLayout | undefined
    for (let length = 1; length <= text.length; length += text.length > 1000 ? 7 : 1) {
      layout = layOut(text.slice(0, length), true, layout)
      for (const [index, { needs }] of layout.parts.entries()) {
        const before = needed[index] ?? []
        needed[index] = before
        if (before.at(-1) !== needs.length > 0) before.push(needs.length > 0)
      }
    }
    const whole = layOut(text, false, layout)

    for (const changes of needed) {
      expect([[false], [true], [false, true]]).toContainEqual(changes)
    }
    expect(whole.parts).toEqual(layOut(text).parts)
    expect(whole.parts.map(({ needs }) => needs.length > 0)).toEqual(
      needed.map((all) => all.at(-1)),
    )
  },
)
