import { ServiceError } from '../../../client/errors.ts'
import {
  type ConversationSize,
  type ConversationSizeDeps,
  measureConversation,
} from '../../conversation/conversation-size.ts'
import { NoModelError } from '../../models.ts'
import { formatMoney } from '../../spend/format.ts'
import type { OwnSpend, SpendReports } from '../../spend/reports.ts'
import type { Command, CommandDefinition } from '../command.ts'

interface UsageDeps extends ConversationSizeDeps {
  reports: Pick<SpendReports, 'ofUser'>
}

/** Tells users what they have spent, and what the next message here will cost. */
export const usageCommand: CommandDefinition<UsageDeps> = {
  name: 'usage',
  audience: 'everybody',
  create: (deps) => ({
    async handle(command) {
      const { user, answer } = command
      const spend = await deps.reports.ofUser(BigInt(user.id))
      const size = await measure(deps, command)
      const paragraphs = [...describeSpend(spend, command), ...describeSize(size, command)]
      await answer(paragraphs.join('\n\n'))
    },
  }),
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

function describeSpend(spend: OwnSpend, { user, t }: Command): string[] {
  const money = (microRub: bigint) => formatMoney(microRub, user.languageCode)
  const sums = t('usage', {
    today: money(spend.todayMicroRub),
    month: money(spend.monthMicroRub),
    total: money(spend.totalMicroRub),
  })
  if (spend.estimatedMicroRub === 0n) return [sums]
  return [sums, t('usage-estimated', { estimated: money(spend.estimatedMicroRub) })]
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
