import { Composer } from 'grammy'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { readTime } from '../../../platform/database/prisma.ts'
import type { Texts } from '../../locales/texts.ts'
import { pressedMessageOf } from '../../telegram/addressing/chat-thread.ts'
import type { BotContext } from '../../telegram/addressing/sender.ts'
import type { UpdateFacts } from '../../telegram/inbox/leased-handling.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import type { AnswerTurn } from '../reply/answer-message.ts'
import type { Replies } from '../reply/replies.ts'
import type { Reply } from '../reply/run-turn.ts'
import { EXAMPLE_DATA } from './example-questions.ts'

export interface ExampleButtonsDeps {
  prisma: PrismaClient
  replies: Pick<Replies, 'reply'>
  answerTurn: AnswerTurn
  outbox: Pick<Outbox, 'send' | 'answerButton'>
  texts: Texts
}

interface Example {
  chatId: number
  greetingId: number
  example: number
}

/**
 * Handles the examples below a greeting: a user who taps one asks it.
 *
 * A tap writes no message, so the bot writes one, which is the turn's prompt. An example of
 * a greeting is asked once, and a tap that is handled again after a crash goes on with its turn. Where the process died
 * just as the message was sent, the chat has it twice; nothing was asked before it was recorded.
 */
export function createExampleButtons(deps: ExampleButtonsDeps): Composer<BotContext> {
  const { prisma, replies, answerTurn, outbox, texts } = deps
  const composer = new Composer<BotContext>()
  composer.chatType('private').callbackQuery(EXAMPLE_DATA, async (ctx) => {
    const greeting = pressedMessageOf(ctx)
    if (greeting === undefined) return outbox.answerButton(ctx.callbackQuery.id)
    const number = Number(ctx.match[1])
    await answerTurn(ctx, greeting, (facts) => ask(ctx, { greeting, number }, facts))
  })
  return composer

  async function ask(
    ctx: BotContext & { callbackQuery: { id: string } },
    {
      greeting,
      number,
    }: { greeting: NonNullable<ReturnType<typeof pressedMessageOf>>; number: number },
    facts: UpdateFacts,
  ): Promise<Reply | undefined> {
    const { chatId, threadId, messageId: greetingId } = greeting
    const { sender: user, callbackQuery } = ctx
    const t = (key: string, variables?: { question: string }) =>
      texts.t(user.languageCode, key, variables)
    const question = t(`example-${number}`)
    const example = { chatId, greetingId, example: number }
    const asked = await findQuestion(example)
    await outbox.answerButton(
      callbackQuery.id,
      asked === undefined ? undefined : t('example-again'),
    )
    const messageId =
      asked ?? (await writeQuestion(example, threadId, t('example-asked', { question })))
    const readPrompt = async () => {
      return { chatId, threadId, messageId, text: question, sentAt: await readTime(prisma), user }
    }
    return replies.reply({ chatId, messageId }, readPrompt, facts)
  }

  async function findQuestion(example: Example): Promise<number | undefined> {
    const found = await prisma.askedExample.findUnique({
      where: { chatId_greetingId_example: example },
      select: { questionId: true },
    })
    return found?.questionId
  }

  async function writeQuestion(example: Example, threadId: number, text: string): Promise<number> {
    const { messageId: questionId } = await outbox.send({ chatId: example.chatId, threadId, text })
    await prisma.askedExample.create({ data: { ...example, questionId } })
    return questionId
  }
}
