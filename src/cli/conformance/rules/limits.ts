import type { Clock } from '../../../platform/time/clock.ts'
import { type Finding, failed, notSeen, passed, type Rule } from '../rule.ts'
import type { Ask, Wire, WireAnswer } from '../wire.ts'

const MINUTE_MS = 60_000
const CHATS_MAX = 30
const SECRETS_MAX = 10
const POLL_MS = 3_000
/** Added to a wait, so that earlier requests are surely older than the span. */
const MARGIN_MS = 100

/** Rules about rate limits. Judging them asks more often than is allowed, and uses up what a minute allows. */
export const LIMIT_RULES: readonly Rule[] = [
  {
    id: 'limit-polls',
    needs: 'limits',
    async judge({ wire, clock, task, hasCreation }) {
      const asked = 'a task, twice at once'
      const taskId = (await hasCreation()) ? (await task()).taskId : undefined
      if (taskId === undefined) return notSeen(asked, 'no task')
      const request = { method: 'GET', path: `/task/${taskId}` } as const
      return await judgeLimit(asked, request, { max: 1, spanMs: POLL_MS, wire, clock })
    },
  },
  {
    id: 'limit-secrets',
    needs: 'limits',
    async judge({ wire, clock }) {
      const asked = `${SECRETS_MAX + 1} callback secrets at once`
      const request = { method: 'GET', path: '/callback/secret' } as const
      return await judgeLimit(asked, request, { max: SECRETS_MAX, spanMs: MINUTE_MS, wire, clock })
    },
  },
  {
    id: 'limit-chats',
    needs: 'limits',
    async judge({ wire, clock, toChatRequest }) {
      const asked = `${CHATS_MAX + 1} chats at once`
      const request = await toChatRequest({ max_tokens: 1 })
      return await judgeLimit(asked, request, { max: CHATS_MAX, spanMs: MINUTE_MS, wire, clock })
    },
  },
]

/**
 * Asks once more than is allowed, all at once: a chat may take seconds, and the first of them would be a minute
 * old before the last. The more are refused the more others ask with the account.
 */
async function judgeLimit(
  asked: string,
  request: Ask,
  { max, spanMs, wire, clock }: { max: number; spanMs: number; wire: Wire; clock: Clock },
): Promise<Finding> {
  await clock.sleep(spanMs + MARGIN_MS)
  const ask = (): Promise<WireAnswer> => wire.ask({ ...request, isPaced: false })
  const answers = await Promise.all(Array.from({ length: max + 1 }, ask))
  const refused = answers.filter(({ status }) => status === 429).length
  return (refused > 0 ? passed : failed)(asked, `${refused} refused with 429`)
}
