import { measureConversation, type SizeApp } from '../conversations/history.ts'
import { formatAbout, formatMoney } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import type { Limits } from '../spend/limits.ts'
import type { Overview, Reports } from '../spend/reports.ts'
import type { SpendPictures } from '../spend/spend-pictures.ts'
import type { Texts } from '../texts/texts.ts'
import type { Command, CommandDefinition } from './command.ts'
import {
  type AmountTable,
  describeLimits,
  describeParts,
  type Reader,
  remarksOf,
  toTextBody,
} from './spend-text.ts'

interface UsageApp extends SizeApp {
  reports: Pick<Reports, 'overview'>
  spendPictures: Pick<SpendPictures, 'ofUser'>
  limits: Pick<Limits, 'ofSubject'>
  limitTexts: LimitTexts
  texts: Texts
  timeZone: string
}

/** Lists and draws a user's spending, in a group the group's; then the limits and the next message's cost. */
export const usageCommand: CommandDefinition<UsageApp> = {
  name: 'usage',
  audience: 'everybody',
  listed: 'everywhere',
  async handle(app, command) {
    const { chatId, user, t, answer } = command
    const isGroup = chatId < 0
    const [spend, size, picture] = await Promise.all([
      describeSpend(app, isGroup ? { chatId } : { userId: user.id }, command),
      describeSize(app, command),
      isGroup ? undefined : app.spendPictures.ofUser(user.id, user.languageCode),
    ])
    const paragraphs = [...spend, ...size, ...(isGroup ? [t('usage-own')] : [])]
    const { text, entities } = toTextBody(paragraphs, user.languageCode)
    await answer(text, { entities, picture })
  },
}

async function describeSpend(
  app: UsageApp,
  whose: { userId: number } | { chatId: number },
  reader: Reader,
): Promise<(string | AmountTable)[]> {
  const { reports, limits } = app
  // This order keeps every charge of a part in the whole.
  const today = await reports.overview({ span: 'today', ...whose })
  const month = await reports.overview({ span: 'month', ...whose })
  const total = await reports.overview({ span: 'all', ...whose })
  const isGroup = 'chatId' in whose
  const held = await limits.ofSubject(isGroup ? whose.chatId : whose.userId)
  const money = ({ sum }: Overview) => formatMoney(sum.amountMicroRub, reader.user.languageCode)
  const sums = { today: money(today), month: money(month), total: money(total) }
  return [
    reader.t('usage', { whose: isGroup ? 'group' : 'user', ...sums }),
    ...describeParts(month, app, reader),
    // Written off money concerns only admins: no user pays it.
    ...remarksOf({ ...month.sum, writtenOffMicroRub: 0n }, reader),
    ...describeLimits(held, app, reader),
  ]
}

async function describeSize(app: SizeApp, command: Command): Promise<string[]> {
  const { user, t } = command
  const size = await measureConversation(app, command)
  if (size === undefined) return []
  const { model, tokens, percent, costMicroRub } = size
  const length =
    percent === undefined
      ? t('usage-size', { tokens })
      : t('usage-size-share', { tokens, percent, model })
  if (costMicroRub === undefined) return [length]
  const amount = formatAbout(costMicroRub, user.languageCode)
  return [`${length}\n${t('usage-next', { amount })}`]
}
