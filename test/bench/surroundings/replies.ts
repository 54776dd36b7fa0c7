import type { AnswerShape } from './answer-shape.ts'
import type { Exchange } from './local-service.ts'

/** A user's question, and what was seen of its reply. Instants are of `performance.now()`. */
export interface Reply {
  userId: number
  text: string
  shape: AnswerShape
  /** How long the answer is after each delta. */
  ends: readonly number[]
  askedAt: number
  /** Every text of the bot in the chat. */
  shows: { chars: number; at: number }[]
}

/** The figures of one reply, in milliseconds. */
export interface ReplyFigures {
  /** The time from the update to the first text, less the time that the model thought. */
  toFirstText: number | undefined
  /** The time from the first delta to the first text. */
  firstDeltaToText: number | undefined
  /** The time from the last delta to the whole text. */
  toWhole: number | undefined
  /** The age at each refresh of the oldest piece that it added: how long that had been there unseen. */
  ages: number[]
}

export function createReply(userId: number, shape: AnswerShape): Reply {
  let chars = 0
  const ends = Array.from({ length: shape.deltas }, (_, index) => {
    chars += deltaOf(index).length
    return chars
  })
  const text = `Question of ${userId}: what does a kopeck buy?`
  return { userId, text, shape, ends, askedAt: Number.NaN, shows: [] }
}

/** Plain words: what a bot makes of formatting is not the subject. */
export function deltaOf(index: number): string {
  return index === 0 ? 'Answer:' : ` a kopeck buys thing ${index}`
}

export function isWhole({ ends, shows }: Reply): boolean {
  return (shows.at(-1)?.chars ?? 0) >= (ends.at(-1) ?? 0)
}

/** @param exchange The completion as the service saw it. */
export function readReply(
  { ends, shape, askedAt, shows }: Reply,
  exchange: Exchange | undefined,
): ReplyFigures {
  const { deltasAt = [], lastDeltaAt } = exchange ?? {}
  const firstAt = deltasAt[0] ?? Number.POSITIVE_INFINITY
  const shown = shows.filter(({ at }) => at >= firstAt)
  const whole = shown.find(({ chars }) => chars >= (ends.at(-1) ?? 0))
  const ages: number[] = []
  let pieces = 0
  for (const [index, { chars, at }] of shown.entries()) {
    const unseenAt = deltasAt[pieces]
    if (unseenAt === undefined) break
    if (index > 0) ages.push(at - unseenAt)
    while (pieces < ends.length && (ends[pieces] ?? 0) <= chars) pieces += 1
  }
  return {
    toFirstText: shown[0] && shown[0].at - askedAt - shape.firstDeltaAfterMs,
    firstDeltaToText: shown[0] && shown[0].at - firstAt,
    toWhole: whole && lastDeltaAt && whole.at - lastDeltaAt,
    ages,
  }
}
