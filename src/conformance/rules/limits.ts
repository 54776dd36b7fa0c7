import { inRoubles } from '../money.ts'
import { type Finding, failed, notSeen, passed, type Rule } from '../rule.ts'
import type { Answer, Ask } from '../wire.ts'
import { describeAnswer } from '../wire.ts'

const MINUTE_MS = 60_000
const CHATS_MAX = 30
const SECRETS_MAX = 10
const POLL_MS = 3_100

/** How often may be asked. These ask more often, and use up what a minute allows. */
export const LIMIT_RULES: readonly Rule[] = [
  {
    id: 'limit-polls',
    needs: 'limits',
    async judge({ wire, clock, task, hasCreation }) {
      const asked = 'a task, twice at once'
      const taskId = (await hasCreation()) ? (await task()).taskId : undefined
      if (taskId === undefined) return notSeen(asked, 'no task')
      await clock.sleep(POLL_MS)
      const request = { method: 'GET', path: `/task/${taskId}`, isPaced: false } as const
      return judgeLimit(asked, [await wire.ask(request), await wire.ask(request)])
    },
  },
  {
    id: 'limit-secrets',
    needs: 'limits',
    async judge({ wire, clock }) {
      await clock.sleep(MINUTE_MS)
      const request = { method: 'GET', path: '/callback/secret' } as const
      return judgeLimit(
        `${SECRETS_MAX + 1} callback secrets`,
        await askAll(wire, request, SECRETS_MAX),
      )
    },
  },
  {
    id: 'limit-chats',
    needs: 'limits',
    async judge({ wire, clock, toChatRequest, readBalance }) {
      const asked = `${CHATS_MAX + 1} chats in a minute`
      await clock.sleep(MINUTE_MS)
      const request = await toChatRequest({ max_tokens: 1 })
      const answers = await askAll(wire, request, CHATS_MAX - 1)
      const before = await readBalance()
      answers.push(await wire.ask({ ...request, isPaced: false }))
      const last = answers.at(-1)
      const after = await readBalance()
      // A chat may take so long that the first ones are a minute old.
      if (last !== undefined && last.status === 429 && before !== after) {
        return failed(
          asked,
          `429, and the balance moved by ${inRoubles((before ?? 0n) - (after ?? 0n))}`,
        )
      }
      return judgeLimit(asked, answers)
    },
  },
]

/** One more than `max`, none of which waits for the limit. */
async function askAll(
  wire: { ask: (request: Ask) => Promise<Answer> },
  request: Ask,
  max: number,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let count = 0; count <= max; count++) {
    answers.push(await wire.ask({ ...request, isPaced: false }))
  }
  return answers
}

/** The last one is above the limit; those before it need not all be below, where others use the account. */
function judgeLimit(asked: string, answers: readonly Answer[]): Finding {
  const last = answers.at(-1)
  if (last === undefined) return notSeen(asked, 'nothing was asked')
  const seen = `the last one ${describeAnswer(last)}`
  return (last.status === 429 ? passed : failed)(asked, seen)
}
