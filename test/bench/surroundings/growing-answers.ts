import { makeAnswer } from '../../bot/rich-text/answers.ts'
import { type Checkout, importFrom } from '../checkout.ts'

type Layouts = typeof import('../../../src/bot/talk/reply/draft/lay-out-reply.ts')

/** A model of 50 deltas a second, in a chat that takes an edit a second. */
const DELTA_CHARS = 4
const DELTAS_AN_EDIT = 50
/** Edits are measured around a length, over about as much text as a message or two have. */
const AROUND_CHARS_MAX = 4_000
const ANSWERS = 12
const WARM_UP_ANSWERS = 3

/**
 * Has answers grow and lays out each of their edits, as the bot does before it calls Telegram.
 *
 * @returns The CPU of one edit with its deltas at each of the lengths, in microseconds.
 */
export async function measureEdits(
  checkout: Checkout,
  lengths: readonly number[],
): Promise<number[]> {
  const path = 'src/bot/talk/reply/draft/lay-out-reply.ts'
  const { createReplyLayout } = await importFrom<Layouts>(checkout, path)
  const taken = lengths.map(() => ({ us: 0, edits: 0 }))
  for (let seed = 1 - WARM_UP_ANSWERS; seed <= ANSWERS; seed += 1) {
    const answer = makeAnswer(seed + WARM_UP_ANSWERS, Math.max(...lengths) + AROUND_CHARS_MAX)
    const layOut = createReplyLayout()
    let text = ''
    while (text.length < answer.length) {
      const before = process.cpuUsage()
      for (let delta = 0; delta < DELTAS_AN_EDIT; delta += 1) {
        text += answer.slice(text.length, text.length + DELTA_CHARS)
      }
      layOut({ text }, { formatting: 'auto', isInterim: true })
      const { user, system } = process.cpuUsage(before)
      for (const [index, length] of lengths.entries()) {
        const around = Math.min(length / 2, AROUND_CHARS_MAX)
        const figures = taken[index]
        if (seed < 1 || !figures || Math.abs(text.length - length) > around) continue
        figures.us += user + system
        figures.edits += 1
      }
    }
  }
  return taken.map(({ us, edits }) => us / edits)
}
