// The playground in a process of its own, with Telegram's limits. The bench sends what users ask, and receives every
// text that the bot shows.

import { createPlayground } from '../../src/playground/playground.ts'

/** A text of the bot that is new or was edited; `at` is in milliseconds since 1970, with fractions. */
export interface Shown {
  userId: number
  text: string
  at: number
}

const playground = createPlayground({ token: process.env.BOT_TOKEN, flood: 'real' })

playground.onChange((change) => {
  if (change.kind !== 'sent' && change.kind !== 'edited') return
  const { chatId: userId, messageId } = change
  const message = playground.transcript(userId).find(({ id }) => id === messageId)
  if (message?.from !== 'bot') return
  const at = performance.timeOrigin + performance.now()
  process.send?.({ userId, text: message.text ?? '', at } satisfies Shown)
})
process.on('message', ({ userId, text }: { userId: number; text: string }) => {
  if (!playground.hasUser(userId)) playground.addUser({ id: userId, firstName: 'Bench' })
  playground.userSends({ userId, text })
})
process.once('SIGTERM', () => process.exit(0))

const { apiRoot } = await playground.listen()
process.stdout.write(`${JSON.stringify({ msg: 'ready', address: apiRoot })}\n`)
