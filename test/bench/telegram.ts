// The playground in a process of its own, with Telegram's limits. The bench sends what users ask, and receives every
// text that the bot shows.

import { createPlayground } from '../../src/playground/playground.ts'

/** A text of the bot that is new or was edited; `at` is in milliseconds since 1970, with fractions. */
export interface Shown {
  userId: number
  messageId: number
  text: string
  at: number
}

/** Calls of the bot since the last count, except those that fetch updates. */
export interface CallCount {
  calls: number
  refused: number
}

const REFUSED_SHARE = Number(process.env.REFUSED_SHARE)
const playground = createPlayground({ token: process.env.BOT_TOKEN, flood: 'real' })
playground.fault({
  kind: '429',
  retryAfter: 1,
  times: Number.POSITIVE_INFINITY,
  when: ({ chat_id }) => chat_id !== undefined && Math.random() < REFUSED_SHARE,
})
let counted = 0

playground.onChange((change) => {
  if (change.kind !== 'sent' && change.kind !== 'edited') return
  const { chatId: userId, messageId } = change
  const message = playground.transcript(userId).find(({ id }) => id === messageId)
  if (message?.from !== 'bot') return
  const at = performance.timeOrigin + performance.now()
  process.send?.({ userId, messageId, text: message.text ?? '', at } satisfies Shown)
})
process.on('message', (message: { userId: number; text: string } | 'count') => {
  if (message === 'count') return void process.send?.(count())
  const { userId, text } = message
  if (!playground.hasUser(userId)) playground.addUser({ id: userId, firstName: 'Bench' })
  playground.userSends({ userId, text })
})
process.once('SIGTERM', () => process.exit(0))

const { apiRoot } = await playground.listen()
process.stdout.write(`${JSON.stringify({ msg: 'ready', address: apiRoot })}\n`)

function count(): CallCount {
  const since = playground.calls.filter(({ seq }) => seq > counted)
  counted = since.at(-1)?.seq ?? counted
  const calls = since.filter(({ method }) => method.toLowerCase() !== 'getupdates')
  return { calls: calls.length, refused: calls.filter(({ status }) => status === 429).length }
}
