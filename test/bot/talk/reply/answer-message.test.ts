import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import { createAnswerMessage } from '../../../../src/bot/talk/reply/answer-message.ts'
import { CallRefusedError, ChatUnreachableError } from '../../../../src/bot/telegram/errors.ts'

const CTX = { update: { update_id: 1 }, sender: { id: 101, firstName: 'Anna' } }
const THREAD = { chatId: 101, threadId: 0 }

function createMediaSetup(error: Error) {
  const lines: string[] = []
  const { answerTurn } = createAnswerMessage({
    replies: { reply: fail, recordEdit: fail, stop: fail },
    readPrompt: fail,
    chats: { isNewAlbum: fail },
    outbox: { send: () => Promise.reject(error) },
    texts: createTexts(),
    sells: () => true,
    log: pino({}, { write: (line: string) => void lines.push(line) }),
    factsOf: () => ({
      isFirst: true,
      isLate: false,
      isBeside: false,
      parts: [],
      onRecorded: () => {},
    }),
    onUnsettled: () => {},
  })
  return { lines, apologize: () => answerTurn(CTX, THREAD, fail) }
}

async function fail(): Promise<never> {
  throw new Error('Cannot answer')
}

test('a user who blocked the bot meanwhile misses the apology, and that is no error', async () => {
  const { lines, apologize } = createMediaSetup(new ChatUnreachableError(101, 'bot was blocked'))

  await apologize()

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'message not answered', updateId: 1 },
    { msg: 'sentence maybe not shown', chatId: 101, code: 'chat_unreachable' },
  ])
})

test('an apology that was refused is a failed update', async () => {
  const refused = new CallRefusedError({ method: 'sendMessage', status: 400, reason: 'odd' })
  const { apologize } = createMediaSetup(refused)

  await expect(apologize()).rejects.toBe(refused)
})
