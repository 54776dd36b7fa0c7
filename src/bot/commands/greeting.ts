/** `/start`: greets a user, and in a private chat asks one of three examples after a tap. */
import { ServiceError } from '../../contract/client/service-error.ts'
import { estimatePromptTokens } from '../../contract/token-estimate.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { conversationOf } from '../conversations/conversations.ts'
import { measureConversation, type SizeApp, withSystemPrompt } from '../conversations/history.ts'
import type { Replies } from '../conversations/replies.ts'
import { offerVariables } from '../media/option-texts.ts'
import type { MediaPrices } from '../media/prices.ts'
import { NoModelError } from '../models.ts'
import { SHORT_TURN } from '../spend/costs.ts'
import { formatAbout } from '../spend/format.ts'
import type { Outbox } from '../telegram/send.ts'
import type { Texts } from '../texts/texts.ts'
import type { Command, CommandDefinition, Press } from './command.ts'

interface GreetingApp extends SizeApp {
  prices: Pick<MediaPrices, 'kinds'>
  outbox: Pick<Outbox, 'send'>
  replies: Pick<Replies, 'replyOnce'>
  texts: Texts
}

const EXAMPLES = [1, 2, 3] as const
const EXAMPLE_DATA = new RegExp(`^example:([${EXAMPLES.join('')}])$`)

export const startCommand: CommandDefinition<GreetingApp> = {
  name: 'start',
  audience: 'everybody',
  async handle(app, command) {
    const { chatId, user, t, answer } = command
    const isPrivate = chatId > 0
    const offers = offerVariables(app.prices.kinds(), { ...user, texts: app.texts })
    const paragraphs = [
      t('start', { name: user.firstName }),
      ...(await describeModel(app, command)),
      ...(offers.offered === 'some' ? [t('start-media', offers)] : []),
      t(isPrivate ? 'start-examples' : 'start-help'),
    ]
    const buttons = EXAMPLES.map((number) => [
      { text: t(`example-${number}`), callback_data: `example:${number}` },
    ])
    await answer(paragraphs.join('\n\n'), {
      ...(isPrivate && { keyboard: { inline_keyboard: buttons } }),
    })
  },
  presses: [{ data: EXAMPLE_DATA, press: askExample }],
}

/**
 * Asks an example in the name of the user who tapped, once. A tap writes no message, so the bot writes the turn's
 * prompt. If the process dies during that send, the chat has the message twice, and only one is answered.
 */
async function askExample(app: GreetingApp, press: Press): Promise<void> {
  const { chatId, threadId, messageId: greetingId, match, user, t, notify, runTurn } = press
  if (chatId < 0) return notify()
  const question = t(`example-${match[1]}`)
  const originKey = `example ${chatId} ${greetingId} ${match[1]}`
  const writePrompt = async () => {
    const text = t('example-asked', { question })
    const { messageId } = await app.outbox.send({ chatId, threadId, text })
    const sentAt = await readTime(app.prisma)
    return { chatId, threadId, messageId, text: question, sentAt, user }
  }
  await runTurn(async (facts) => {
    const wasAsked = await app.replies.replyOnce(originKey, writePrompt, facts)
    await notify(wasAsked ? t('example-again') : undefined)
  })
}

/** Describes the model; shows its name even while the service is away. */
async function describeModel(app: SizeApp, command: Command): Promise<string[]> {
  const { models, systemPrompt } = app
  const { t, user } = command
  try {
    const { model: chosen } = await conversationOf(app, command)
    await models.ready()
    const model = models.choose(chosen)
    const size = await measureConversation(app, command)
    const before = size?.tokens ?? estimatePromptTokens(withSystemPrompt([], systemPrompt))
    const { promptTokens, completionTokens } = SHORT_TURN
    const tokens = { promptTokens: before + promptTokens, completionTokens }
    const costMicroRub = models.price(model, tokens)
    // An unknown price is 0.
    if (costMicroRub === 0n) return [t('start-model', { model })]
    const amount = formatAbout(costMicroRub, user.languageCode)
    return [t('start-price', { model, amount })]
  } catch (error) {
    if (error instanceof ServiceError || error instanceof NoModelError) return []
    throw error
  }
}
