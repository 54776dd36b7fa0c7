import type { ModelInfo } from '../../../contract/client/read-answers.ts'
import { describeAnswer } from '../answer.ts'
import { inRoubles, isRoundingOf } from '../money.ts'
import { type Finding, failed, judgeProblems, notSeen, passed, type Rule } from '../rule.ts'
import type { ChatScene } from '../scenes/chat-scenes.ts'
import type { Scenes } from '../scenes/scenes.ts'

const PLAIN = 'a plain chat'
const BOTH = 'a plain chat and streamed ones'

/** Refusals of a chat that is right, by which the service keeps its rules all the same. */
const NO_ANSWER_STATUSES = [402, 429, 502, 503]

/** A balance that moves so soon has not waited. */
const LATE_MS = 400

const TEXTS = ['request_id', 'model', 'content', 'finish_reason']
const NUMBERS = ['cost_rub', 'cost_coins']

/** Rules about the answer of a chat, and its cost. */
export const CHAT_RESPONSE_RULES: readonly Rule[] = [
  {
    id: 'chat-plain',
    needs: 'chat',
    async judge({ plainChat }) {
      const { answer, facts } = await plainChat()
      if (facts !== undefined) return passed(PLAIN, '200 with one JSON body')
      const isExcused = NO_ANSWER_STATUSES.includes(answer.status)
      return (isExcused ? notSeen : failed)(PLAIN, describeAnswer(answer))
    },
  },
  {
    id: 'chat-fields',
    needs: 'chat',
    judge: ({ plainChat }) =>
      judgeAnswered(PLAIN, [plainChat], {
        findProblem: findMissing,
        describe: () => 'every field',
      }),
  },
  {
    id: 'chat-usage',
    needs: 'chat',
    judge: (scenes) =>
      judgeAnswered(BOTH, chatsOf(scenes), {
        findProblem: findWrongUsage,
        describe: ({ usage }) => `${usage?.promptTokens} + ${usage?.completionTokens}`,
      }),
  },
  {
    id: 'finish-reason',
    needs: 'chat',
    async judge({ plainChat }) {
      const reason = (await plainChat()).facts?.finish_reason
      const seen = JSON.stringify(reason) ?? 'none'
      if (reason === 'stop' || reason === 'length') return passed(PLAIN, seen)
      // The interface names one reason, and says that there are others.
      return (reason === '' ? failed : notSeen)(PLAIN, seen)
    },
  },
  {
    id: 'chat-cost-coins',
    needs: 'chat',
    judge: (scenes) =>
      judgeAnswered(BOTH, chatsOf(scenes), {
        findProblem: ({ facts }) =>
          facts?.cost_coins === facts?.cost_rub ? undefined : `cost_coins is ${facts?.cost_coins}`,
        describe: ({ facts }) => `both ${facts?.cost_rub}`,
      }),
  },
  { id: 'chat-cost', needs: 'chat', judge: judgeCharge },
  {
    id: 'billing-prices',
    needs: 'chat',
    async judge(scenes) {
      const model = await scenes.findModel()
      const asked = `usage times the prices of ${model?.id}`
      if (model?.promptMicroRubPer1m === undefined) return notSeen(asked, 'no prices')
      return await judgeAnswered(asked, chatsOf(scenes), {
        findProblem: (scene) => findWrongCost(scene, model),
        describe: ({ costMicroRub }) =>
          costMicroRub === undefined ? 'no cost' : inRoubles(costMicroRub),
      })
    },
  },
  {
    id: 'billing-history',
    needs: 'chat',
    async judge({ plainChat, streamedChat }) {
      const asked = 'a chat of one message, and one with two before the same'
      const [short, long] = [(await plainChat()).usage, (await streamedChat()).usage]
      if (short === undefined || long === undefined) return notSeen(asked, 'no usage')
      const seen = `${short.promptTokens} and ${long.promptTokens} prompt tokens`
      return (long.promptTokens > short.promptTokens ? passed : failed)(asked, seen)
    },
  },
]

type Chats = Pick<Scenes, 'plainChat' | 'streamedChat' | 'dearerChat'>

function chatsOf({ plainChat, streamedChat, dearerChat }: Chats) {
  return [plainChat, streamedChat, dearerChat]
}

function findMissing({ facts = {} }: ChatScene): string | undefined {
  const missing = [
    ...TEXTS.filter((name) => typeof facts[name] !== 'string'),
    ...NUMBERS.filter((name) => typeof facts[name] !== 'number'),
    ...(facts.usage === undefined ? ['usage'] : []),
  ]
  return missing.length === 0 ? undefined : `not as it should be: ${missing.join(', ')}`
}

function findWrongUsage({ facts, usage }: ChatScene): string | undefined {
  // The rules of the two answers ask whether there is a usage at all.
  if (facts?.usage === undefined) return undefined
  if (usage === undefined) return 'no whole numbers of tokens'
  const { promptTokens, completionTokens, totalTokens } = usage
  const isSum = totalTokens === promptTokens + completionTokens
  return isSum ? undefined : `${promptTokens} and ${completionTokens} make ${totalTokens}`
}

function findWrongCost({ usage, costMicroRub }: ChatScene, model: ModelInfo): string | undefined {
  const { promptMicroRubPer1m: prompt, completionMicroRubPer1m: completion } = model
  const isTold = prompt !== undefined && completion !== undefined
  if (!isTold || usage === undefined || costMicroRub === undefined) return undefined
  const { promptTokens, cachedPromptTokens = 0, completionTokens } = usage
  const cached = model.cachedPromptMicroRubPer1m ?? prompt
  const exact =
    BigInt(promptTokens - cachedPromptTokens) * prompt +
    BigInt(cachedPromptTokens) * cached +
    BigInt(completionTokens) * completion
  if (isRoundingOf(costMicroRub, exact)) return undefined
  return `${promptTokens} and ${completionTokens} tokens for ${inRoubles(costMicroRub)}`
}

/** Judges whether the balance changed by the cost that was stated. */
async function judgeCharge(scenes: Scenes): Promise<Finding> {
  const asked = `the balance around ${BOTH}`
  const priced = (await playAll(chatsOf(scenes))).flatMap(
    ({ before, after, costMicroRub, lateMs }) =>
      before === undefined || after === undefined || costMicroRub === undefined
        ? []
        : [{ before, after, costMicroRub, lateMs }],
  )
  if (priced.length === 0) return notSeen(asked, 'no balance, or no cost')
  const wrong = priced.find(
    ({ before, after, costMicroRub }) => !scenes.account.hasMovedBy(costMicroRub, before, after),
  )
  if (wrong !== undefined) {
    const { before, after, costMicroRub } = wrong
    return failed(asked, `told ${inRoubles(costMicroRub)}, moved by ${inRoubles(before - after)}`)
  }
  const moved = priced.map(({ before, after }) => before - after)
  if (moved.every((each) => each === 0n) && priced.some(({ costMicroRub }) => costMicroRub > 0n)) {
    return notSeen(asked, 'less than a kopeck, and the balance shows no less')
  }
  const late = Math.max(...priced.map(({ lateMs }) => lateMs))
  const seen = `moved by ${moved.map(inRoubles).join(' and ')}`
  return passed(asked, late < LATE_MS ? seen : `${seen}, ${(late / 1000).toFixed(1)} s late`)
}

async function playAll(plays: readonly (() => Promise<ChatScene>)[]): Promise<ChatScene[]> {
  const scenes: ChatScene[] = []
  for (const play of plays) scenes.push(await play())
  return scenes
}

/** Judges those chats that were answered. */
async function judgeAnswered(
  asked: string,
  plays: readonly (() => Promise<ChatScene>)[],
  look: {
    findProblem: (scene: ChatScene) => string | undefined
    describe: (scene: ChatScene) => string
  },
): Promise<Finding> {
  const answered = (await playAll(plays)).filter(({ facts }) => facts !== undefined)
  if (answered.length === 0) return notSeen(asked, 'no chat was answered')
  const seen = answered.map(look.describe).join(', ')
  return judgeProblems(asked, answered.map(look.findProblem), seen)
}
