import { describeAnswer } from '../answer.ts'
import { inRoubles } from '../money.ts'
import { LIMITS } from '../paces.ts'
import { type Finding, failed, notSeen, passed, type Rule } from '../rule.ts'
import type { Burst } from '../scenes/limit-scenes.ts'
import { VIDEO, VIDEO_PATH } from '../scenes/wrong-clips.ts'

/** Rules about rate limits. Judging them asks more often than is allowed, and uses up what a minute allows. */
export const LIMIT_RULES: readonly Rule[] = [
  {
    id: 'limit-polls',
    needs: 'limits',
    async judge({ allTasks, limits, account }) {
      const asked = 'a task, twice at once'
      const [task] = await allTasks()
      if (task?.creation.taskId === undefined) return notSeen(asked, 'no task')
      // Its other polls are over by then.
      await task.whole()
      const path = `/task/${task.creation.taskId}`
      const request = { method: 'GET', path, apiKey: account.apiKey } as const
      return judgeBurst(asked, await limits.burst(request, LIMITS.polls))
    },
  },
  {
    id: 'limit-secrets',
    needs: 'limits',
    async judge({ limits, limitsFree }) {
      await limitsFree()
      const asked = `${LIMITS.secrets.max + 1} callback secrets at once`
      const request = { method: 'GET', path: '/callback/secret' } as const
      return judgeBurst(asked, await limits.burst(request, LIMITS.secrets))
    },
  },
  {
    id: 'limit-clips',
    needs: 'limits',
    async judge({ limits, limitsFree, options, prices, budget }) {
      await limitsFree()
      const asked = `${LIMITS.clips.max + 1} clips at once`
      const request = { method: 'POST', path: `/${VIDEO_PATH}` } as const
      const wrong = await limits.burst({ ...request, body: {} }, LIMITS.clips)
      if (wrong.refused > 0) return judgeBurst(`${asked}, of nothing`, wrong)
      if (!options.withVideo)
        return notSeen(asked, 'requests that are refused do not count: --video')
      const price = [...((await prices()) ?? [])].find(([label]) => label.startsWith('vidgen'))?.[1]
      budget.take('3 clips', price && price * BigInt(LIMITS.clips.max))
      return judgeBurst(asked, await limits.burst({ ...request, body: VIDEO }, LIMITS.clips))
    },
  },
  {
    id: 'limit-chats',
    needs: 'limits',
    judge: async (scenes) =>
      judgeBurst(`${LIMITS.chats.max + 1} chats at once`, await scenes.chatBurst()),
  },
  {
    id: 'chat-429',
    needs: 'limits',
    async judge(scenes) {
      const asked = 'the balance around chats of which some are refused with 429'
      const { refused, before, after, costMicroRub } = await scenes.chatBurst()
      if (refused === 0) return notSeen(asked, 'none was')
      if (before === undefined || after === undefined) return notSeen(asked, 'no balance')
      if (costMicroRub === undefined) return notSeen(asked, 'not every answer told its cost')
      const one = await scenes.plainChat()
      const isToldRight =
        one.before !== undefined &&
        one.after !== undefined &&
        one.costMicroRub !== undefined &&
        scenes.account.hasMovedBy(one.costMicroRub, one.before, one.after)
      // Another rule judges what is taken for one that is answered.
      if (!isToldRight) return notSeen(asked, 'answers do not cost what they tell')
      const moved = inRoubles(before - after)
      if (scenes.limited.hasMovedBy(costMicroRub, before, after))
        return passed(asked, `${moved} for those taken`)
      return failed(asked, `${moved}, and those taken cost ${inRoubles(costMicroRub)}`)
    },
  },
  {
    id: 'limit-over',
    needs: 'limits',
    async judge(scenes) {
      const asked = 'a chat a minute after the limit was met'
      const { refused } = await scenes.chatBurst()
      if (refused === 0) return notSeen(asked, 'the limit was not met')
      const answer = await scenes.limits.afterMinute()
      return (answer.status === 429 ? failed : passed)(asked, describeAnswer(answer))
    },
  },
]

/** As many as are allowed, and no more: neither fewer nor all. */
function judgeBurst(asked: string, { taken, refused, max }: Burst): Finding {
  const seen = `${taken} taken, ${refused} refused with 429`
  return taken === max ? passed(asked, seen) : failed(asked, `${seen}: ${max} are allowed`)
}
