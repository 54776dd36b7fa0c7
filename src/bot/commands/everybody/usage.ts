import { ServiceError } from '../../../client/errors.ts'
import {
  type ConversationSize,
  type ConversationSizeDeps,
  measureConversation,
} from '../../conversation/conversation-size.ts'
import { NoModelError } from '../../models.ts'
import type { SpendPictures } from '../../spend/charts/spend-pictures.ts'
import { formatMoney } from '../../spend/format.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import type { Limits } from '../../spend/limits/limits.ts'
import type { Spenders } from '../../spend/reports/overview.ts'
import type { SpendReports } from '../../spend/reports/spend-reports.ts'
import type { TextBody } from '../../telegram/outbox/body.ts'
import { type AmountTable, toTextBody } from '../amount-table.ts'
import type { Command, CommandDefinition } from '../command.ts'
import { limitLines } from '../limit-lines.ts'

interface UsageDeps extends ConversationSizeDeps {
  reports: Pick<SpendReports, 'spenders'>
  spendPictures: Pick<SpendPictures, 'ofUser'>
  limits: Pick<Limits, 'ofSubject'>
  limitTexts: LimitTexts
  timeZone: string
}

/** Tells and draws what users have spent on what; tells what is left of their limits, and what the next message costs. */
export const usageCommand: CommandDefinition<UsageDeps> = {
  name: 'usage',
  audience: 'everybody',
  create: (deps) => ({
    async handle(command) {
      const { user, answer } = command
      const [body, picture] = await Promise.all([
        describe(deps, command),
        deps.spendPictures.ofUser(user.id, user.languageCode),
      ])
      await answer(body.text, { entities: body.entities, picture })
    },
  }),
}

async function describe(deps: UsageDeps, command: Command): Promise<TextBody> {
  const { user, t } = command
  // One after the other: what is charged meanwhile is never in a part and not in the whole.
  const today = await deps.reports.spenders({ span: 'today', userId: user.id })
  const month = await deps.reports.spenders({ span: 'month', userId: user.id })
  const total = await deps.reports.spenders({ span: 'all', userId: user.id })
  const limits = limitLines(await deps.limits.ofSubject(user.id), { ...deps, user, t })
  return toTextBody(
    [
      describeSums({ today, month, total }, command),
      ...describeMonth(month, command),
      ...describeEstimates(total, command),
      ...(limits.length > 0 ? [limits.join('\n')] : []),
      ...describeSize(await measure(deps, command), command),
    ],
    user.languageCode,
  )
}

function describeSums(
  { today, month, total }: Record<'today' | 'month' | 'total', Spenders>,
  { user, t }: Command,
): string {
  const money = ({ sum }: Spenders) => formatMoney(sum.amountMicroRub, user.languageCode)
  return t('usage', { today: money(today), month: money(month), total: money(total) })
}

/** What the month went to, and how much of it to reading again what had been said. */
function describeMonth({ sum, byKind, byItem }: Spenders, { user, t }: Command) {
  if (byKind.length === 0) return []
  const tables: AmountTable[] = [
    {
      heading: t('usage-kinds'),
      rows: byKind.map(({ kind, spend }) => ({ ...spend, label: t('spend-kind', { kind }) })),
    },
    {
      heading: t('usage-items'),
      rows: byItem.map(({ item, spend }) => ({ ...spend, label: item })),
    },
  ]
  const { amountMicroRub, historyMicroRub } = sum
  if (historyMicroRub <= 0n || historyMicroRub > amountMicroRub) return tables
  const amount = formatMoney(historyMicroRub, user.languageCode)
  const percent = Number((historyMicroRub * 100n) / amountMicroRub)
  return [...tables, t('usage-history', { amount, percent })]
}

function describeEstimates({ sum }: Spenders, { user, t }: Command): string[] {
  if (sum.estimatedMicroRub === 0n) return []
  const estimated = formatMoney(sum.estimatedMicroRub, user.languageCode)
  return [t('usage-estimated', { estimated })]
}

/** What was spent can be told without the service, too. */
async function measure(
  deps: ConversationSizeDeps,
  { chatId, threadId }: Command,
): Promise<ConversationSize | undefined> {
  try {
    return await measureConversation({ chatId, threadId }, deps)
  } catch (error) {
    if (error instanceof ServiceError || error instanceof NoModelError) return undefined
    throw error
  }
}

function describeSize(size: ConversationSize | undefined, { user, t }: Command): string[] {
  if (size === undefined) return []
  const { model, tokens, percent, costMicroRub } = size
  const length =
    percent === undefined
      ? t('usage-size', { tokens })
      : t('usage-size-share', { tokens, percent, model })
  if (costMicroRub === undefined) return [length]
  const amount = formatMoney(costMicroRub, user.languageCode)
  return [`${length}\n${t('usage-next', { amount })}`]
}
