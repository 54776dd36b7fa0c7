import type { Playground, PlaygroundOptions } from '../../src/playground/playground.ts'
import { createPlayground } from '../../src/playground/playground.ts'
import type { PlaygroundMessage } from '../../src/playground/world/message.ts'

/** A playground that listens, and what its users do in these tests. */
export async function openTelegram(options: PlaygroundOptions = {}) {
  const playground = createPlayground(options)
  const { apiRoot } = await playground.listen()
  return {
    playground,
    env: { TELEGRAM_API_ROOT: apiRoot, BOT_TOKEN: playground.token, ALLOWED_USER_IDS: '*' },
    say(userId: number, text: string): number {
      if (!playground.hasUser(userId)) {
        playground.addUser({ id: userId, firstName: `User ${userId}`, languageCode: 'en' })
      }
      return playground.userSends({ userId, text }).message_id
    },
    answers: (userId: number, afterId: number): PlaygroundMessage[] =>
      answersIn(playground, userId, afterId),
    videos: (userId: number): PlaygroundMessage[] =>
      playground.transcript(userId).filter(({ video }) => video !== undefined),
    close: () => playground.close(),
  }
}

export type Telegram = Awaited<ReturnType<typeof openTelegram>>

function answersIn(playground: Playground, userId: number, afterId: number): PlaygroundMessage[] {
  return playground.transcript(userId).filter(({ id, from }) => from === 'bot' && id > afterId)
}
