// The playground in a process of its own, with Telegram's limits in force. It talks to the bench over
// IPC: what users send comes in, what they see goes out.

import { createPlayground } from '../../../src/playground/playground.ts'
import type { FromTelegram, ToTelegram } from './telegram-messages.ts'

const playground = createPlayground({ flood: 'real' })
const { apiRoot } = await playground.listen()

playground.onChange((change) => {
  if (change.kind === 'sent' || change.kind === 'edited') {
    const { chatId, messageId } = change
    const message = playground.transcript(chatId).find(({ id }) => id === messageId)
    if (message?.from === 'bot')
      post({ type: 'shown', chatId, text: message.text ?? '', at: now() })
  }
})

process.on('message', (message: ToTelegram) => {
  if (message.type === 'ask') {
    const { userId, text } = message
    if (!playground.hasUser(userId)) playground.addUser({ id: userId, firstName: 'Bench' })
    playground.userSends({ userId, text })
  } else {
    // The record keeps the last 10,000 calls, of the heaviest load some 6,000.
    const calls = playground.calls.filter(({ chatId }) => chatId !== 0)
    const floods = calls.filter(({ status }) => status === 429).length
    const mostInASecond = countMost(calls.map(({ at }) => at))
    post({ type: 'figures', calls: calls.length, floods, mostInASecond })
  }
})
process.on('disconnect', () => void playground.close())
post({ type: 'ready', apiRoot, token: playground.token })

/** Counts the most calls in any stretch of a second. */
function countMost(instants: readonly number[]): number {
  let first = 0
  let most = 0
  for (const [last, at] of instants.entries()) {
    while (at - (instants[first] ?? at) >= 1000) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

function post(message: FromTelegram): void {
  process.send?.(message)
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
