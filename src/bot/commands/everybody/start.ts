import { ServiceError } from '../../../contract/client/service-error.ts'
import { estimatePromptTokens } from '../../../contract/token-estimate.ts'
import { conversationOf } from '../../conversations/conversations.ts'
import { measureConversation, type SizeApp, withSystemPrompt } from '../../conversations/history.ts'
import type { Texts } from '../../locales/texts.ts'
import { offerVariables } from '../../media/options/offer-texts.ts'
import type { MediaPrices } from '../../media/order/prices.ts'
import { NoModelError } from '../../models/models.ts'
import { formatAbout } from '../../spend/format.ts'
import { SHORT_TURN } from '../../spend/typical-costs.ts'
import { exampleKeyboard } from '../../talk/examples/example-questions.ts'
import type { Command, CommandDefinition } from '../command.ts'

interface StartApp extends SizeApp {
  prices: Pick<MediaPrices, 'kinds'>
  texts: Texts
}

/**
 * Says what the bot is for and makes, which model answers and what a message costs about; in a private chat some examples can be
 * tapped. Telegram's own Start button sends it.
 */
export const startCommand: CommandDefinition<StartApp> = {
  name: 'start',
  audience: 'everybody',
  handle: greet,
}

async function greet(app: StartApp, command: Command): Promise<void> {
  const { chatId, user, t, answer } = command
  const isPrivate = chatId > 0
  const offers = offerVariables(app.prices.kinds(), { ...user, texts: app.texts })
  const paragraphs = [
    t('start', { name: user.firstName }),
    ...(await describeModel(app, command)),
    ...(offers.offered === 'some' ? [t('start-media', offers)] : []),
    t(isPrivate ? 'start-examples' : 'start-help'),
  ]
  await answer(paragraphs.join('\n\n'), { ...(isPrivate && { keyboard: exampleKeyboard(t) }) })
}

/** Describes the model; its name needs no service, and is shown also while the service is away. */
async function describeModel(app: SizeApp, command: Command): Promise<string[]> {
  const { t, user } = command
  try {
    const { model, costMicroRub } = await estimateShortTurn(app, command)
    // A price that is not known is 0.
    if (costMicroRub === 0n) return [t('start-model', { model })]
    const amount = formatAbout(costMicroRub, user.languageCode)
    return [t('start-price', { model, amount })]
  } catch (error) {
    if (error instanceof ServiceError || error instanceof NoModelError) return []
    throw error
  }
}

async function estimateShortTurn(
  app: SizeApp,
  command: Command,
): Promise<{ model: string; costMicroRub: bigint }> {
  const { models, systemPrompt } = app
  const { model: chosen } = await conversationOf(app, command)
  await models.ready()
  const model = models.choose(chosen)
  const size = await measureConversation(app, command)
  const before = size?.tokens ?? estimatePromptTokens(withSystemPrompt([], systemPrompt))
  const { promptTokens, completionTokens } = SHORT_TURN
  const tokens = { promptTokens: before + promptTokens, completionTokens }
  return { model, costMicroRub: models.price(model, tokens) }
}
