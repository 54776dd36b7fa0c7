import type { Logger } from 'pino'
import { measureConversation, type SizeApp } from '../conversations/history.ts'
import { formatAbout, formatMoney } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import type { Limits } from '../spend/limits.ts'
import type { Overview, Reports } from '../spend/reports.ts'
import type { SpendPictures } from '../spend/spend-pictures.ts'
import type { Outbox } from '../telegram/send.ts'
import { sendBestEffort, sendPictured } from '../telegram/shortcuts.ts'
import type { Texts } from '../texts/texts.ts'
import {
  type AmountTable,
  limitLines,
  spentTables,
  toTextBody,
  withoutSingles,
} from './amount-table.ts'
import type { Command, CommandDefinition } from './command.ts'

interface UsageApp extends SizeApp {
  reports: Pick<Reports, 'overview'>
  spendPictures: Pick<SpendPictures, 'ofUser'>
  limits: Pick<Limits, 'ofSubject'>
  limitTexts: LimitTexts
  texts: Texts
  timeZone: string
  outbox: Pick<Outbox, 'send' | 'sendMedia'>
  log: Logger
}

type Speaker = Pick<Command, 'user' | 't'>

type Whose = { userId: number } | { chatId: number }

/**
 * Lists and draws what users have spent on what, what is left of their limits, and what the next message costs.
 *
 * In a group everybody reads the answer: it is of the group, and what is its user's own goes to their private chat.
 */
export const usageCommand: CommandDefinition<UsageApp> = {
  name: 'usage',
  audience: 'everybody',
  listed: 'everywhere',
  handle: (app, command) =>
    command.chatId < 0 ? answerGroup(app, command) : answerUser(app, command),
}

async function answerUser(app: UsageApp, command: Command): Promise<void> {
  const [{ paragraphs, picture }, size] = await Promise.all([
    describeUser(app, command),
    describeSize(app, command),
  ])
  const { text, entities } = toTextBody([...paragraphs, ...size], command.user.languageCode)
  await command.answer(text, { entities, picture })
}

async function answerGroup(app: UsageApp, command: Command): Promise<void> {
  const { chatId, user, answer, t } = command
  // An admin who writes in the name of the group has only the group's sums.
  const isUser = user.id > 0
  const [spend, size] = await Promise.all([
    describeSpend(app, { chatId }, command),
    describeSize(app, command),
  ])
  const own = isUser ? [t('usage-own-sent')] : []
  const { text, entities } = toTextBody([...spend, ...size, ...own], user.languageCode)
  await answer(text, { entities })
  if (isUser && !(await sendPrivately(app, command))) await answer(t('usage-own-unsent'))
}

async function sendPrivately(app: UsageApp, command: Command): Promise<boolean> {
  const { outbox, log } = app
  const { id: chatId, languageCode } = command.user
  const { paragraphs, picture } = await describeUser(app, command)
  const message = { chatId, picture, ...toTextBody(paragraphs, languageCode) }
  const send = () => sendPictured(outbox, message).then(() => true)
  const isSent = await sendBestEffort(send, { chatId, ifLost: 'usage maybe not sent', log })
  return isSent ?? false
}

async function describeUser(app: UsageApp, command: Command) {
  const { id: userId, languageCode } = command.user
  const [paragraphs, picture] = await Promise.all([
    describeSpend(app, { userId }, command),
    app.spendPictures.ofUser(userId, languageCode),
  ])
  return { paragraphs, picture }
}

async function describeSpend(
  app: UsageApp,
  whose: Whose,
  { user, t }: Speaker,
): Promise<(string | AmountTable)[]> {
  const { languageCode } = user
  // One after the other: what is charged meanwhile is never in a part and not in the whole.
  const today = await app.reports.overview({ span: 'today', ...whose })
  const month = await app.reports.overview({ span: 'month', ...whose })
  const total = await app.reports.overview({ span: 'all', ...whose })
  const subjectId = 'chatId' in whose ? whose.chatId : whose.userId
  const { limitTexts, timeZone } = app
  const held = await app.limits.ofSubject(subjectId)
  const limits = limitLines(held, { limitTexts, timeZone, user, t })
  const money = ({ sum }: Overview) => formatMoney(sum.amountMicroRub, languageCode)
  const sums = { today: money(today), month: money(month), total: money(total) }
  return [
    t('usage', { whose: 'chatId' in whose ? 'group' : 'user', ...sums }),
    ...describeMonth(month, app, { user, t }),
    ...describeEstimates(total, { user, t }),
    ...(limits.length > 0 ? [limits.join('\n')] : []),
  ]
}

function describeMonth(month: Overview, { texts }: Pick<UsageApp, 'texts'>, { user, t }: Speaker) {
  const { sum } = month
  const headings = { kinds: t('usage-kinds'), items: t('usage-items') }
  const tables = withoutSingles(
    spentTables(month, headings, { languageCode: user.languageCode, texts }),
    (what) => t('usage-only', { what }),
  )
  const { amountMicroRub, historyMicroRub } = sum
  if (historyMicroRub <= 0n || historyMicroRub > amountMicroRub) return tables
  const amount = formatMoney(historyMicroRub, user.languageCode)
  const percent = Number((historyMicroRub * 100n) / amountMicroRub)
  if (percent === 0) return tables
  return [...tables, t('usage-history', { amount, percent })]
}

function describeEstimates({ sum }: Overview, { user, t }: Speaker): string[] {
  if (sum.estimatedMicroRub === 0n) return []
  const estimated = formatMoney(sum.estimatedMicroRub, user.languageCode)
  return [t('usage-estimated', { estimated })]
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
