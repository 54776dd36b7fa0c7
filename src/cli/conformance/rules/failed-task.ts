import { isJsonObject } from '../../../platform/http/json.ts'
import { describeAnswer } from '../answer.ts'
import type { Settled } from '../customer.ts'
import { inRoubles } from '../money.ts'
import { type Finding, failed, notSeen, passed, type Rule } from '../rule.ts'
import { PROVIDER_STATUSES } from './refusals.ts'

/** Rules about tasks that fail, and creations that the provider refuses. */
export const FAILED_TASK_RULES: readonly Rule[] = [
  {
    id: 'task-fail',
    needs: 'failed',
    async judge({ failedTask }) {
      const asked = 'polls of a task that is to fail'
      const { answer, end, polls, taskId } = await failedTask()
      if (taskId === undefined) return notSeen(asked, describeAnswer(answer))
      const last = polls.at(-1)
      if (end !== 'fail' || last === undefined)
        return notSeen(asked, `it ended in ${end ?? 'nothing'}`)
      const body = isJsonObject(last.json) ? last.json : {}
      if (!isTaskError(body.error)) return failed(asked, 'a fail without code and message')
      if (body.result_urls !== null) return failed(asked, 'a fail whose result_urls are not null')
      return passed(asked, JSON.stringify(body.error))
    },
  },
  {
    id: 'task-refund',
    needs: 'failed',
    async judge({ failedTask, options }) {
      const asked = 'the balance after a task that failed'
      const { before, end, refunded } = await failedTask()
      if (end !== 'fail') return notSeen(asked, 'none did')
      return judgeRefund(asked, before, refunded, options.settleMs)
    },
  },
  {
    id: 'creation-refused',
    needs: 'rejected',
    async judge({ rejectedTask }) {
      const asked = 'a creation that the provider refuses'
      const { answer } = await rejectedTask()
      const seen = describeAnswer(answer)
      if (answer.status < 500) return notSeen(asked, seen)
      return (PROVIDER_STATUSES.includes(answer.status) ? passed : failed)(asked, seen)
    },
  },
  {
    id: 'creation-refund',
    needs: 'rejected',
    async judge({ rejectedTask, options }) {
      const asked = 'the balance after a creation that the provider refused'
      const { answer, before, refunded } = await rejectedTask()
      if (answer.status === 200) return notSeen(asked, 'none was')
      return judgeRefund(asked, before, refunded, options.settleMs)
    },
  },
]

/** Judges whether a price came back. */
function judgeRefund(
  asked: string,
  before: bigint | undefined,
  { balance, lateMs }: Settled,
  settleMs: number,
): Finding {
  if (before === undefined || balance === undefined) return notSeen(asked, 'no balance')
  if (balance === before) return passed(asked, `the price is back after ${inSeconds(lateMs)} s`)
  const lost = inRoubles(before - balance)
  return failed(asked, `${lost} are not back after ${inSeconds(settleMs)} s`)
}

function isTaskError(error: unknown): boolean {
  return isJsonObject(error) && Number.isInteger(error.code) && typeof error.message === 'string'
}

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(1)
}
