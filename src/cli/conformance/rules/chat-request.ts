import { describeAnswer, type WireAnswer } from '../answer.ts'
import { inRoubles } from '../money.ts'
import { failed, notSeen, passed, type Rule } from '../rule.ts'
import { CHAT_PATH } from '../scenes/chat-scenes.ts'
import type { Scenes } from '../scenes/scenes.ts'
import { hasDetailText, judgeRefusals } from './refusals.ts'

const MILLION = 1_000_000n
const TOKENS_MAX = 1_000_000n

/** Rules about chat requests. A wrong one costs nothing. */
export const CHAT_REQUEST_RULES: readonly Rule[] = [
  {
    id: 'chat-model',
    needs: 'nothing',
    judge: (scenes) =>
      judgeRefusals({
        'a chat without model': ask(scenes, { model: undefined }),
        'of an unknown model': ask(scenes, { model: 'no-such-model' }),
        'with a number as model': ask(scenes, { model: 7 }),
      }),
  },
  {
    id: 'chat-messages',
    needs: 'nothing',
    judge: (scenes) =>
      judgeRefusals({
        'a chat without messages': ask(scenes, { messages: undefined }),
        'with a text as messages': ask(scenes, { messages: 'hello' }),
      }),
  },
  {
    id: 'chat-message',
    needs: 'nothing',
    judge: (scenes) =>
      judgeRefusals({
        'a message without role': ask(scenes, { messages: [{ content: 'hello' }] }),
        'without content': ask(scenes, { messages: [{ role: 'user' }] }),
        'with a number as content': ask(scenes, { messages: [{ role: 'user', content: 1 }] }),
      }),
  },
  {
    id: 'chat-max-tokens',
    needs: 'nothing',
    judge: (scenes) =>
      judgeRefusals({
        'max_tokens that is a text': ask(scenes, { max_tokens: 'many' }),
        'that is no whole number': ask(scenes, { max_tokens: 1.5 }),
      }),
  },
  {
    id: 'chat-422',
    needs: 'nothing',
    async judge({ account, toChatRequest, wire }) {
      const asked = 'a wrong chat, plain and streamed, between two looks at the balance'
      const wrong = [false, true].map((stream) => toChatRequest({ messages: undefined, stream }))
      const requests = await Promise.all(wrong)
      const [before, after] = await account.alone(async () => {
        const balance = await account.readBalance()
        for (const request of requests) await wire.ask(request)
        return [balance, await account.readBalance()]
      })
      if (before === undefined || after === undefined) return notSeen(asked, 'no balance')
      if (before === after) return passed(asked, 'the balance stays')
      return failed(asked, `the balance moved by ${inRoubles(after - before)}`)
    },
  },
  {
    id: 'chat-402',
    needs: 'chat',
    judge: (scenes) => scenes.account.alone(() => judgeTooDear(scenes)),
  },
]

/** Judged over every refused chat of the run. */
export const CHAT_ERROR_RULES: readonly Rule[] = [
  {
    id: 'chat-errors',
    needs: 'nothing',
    isOverAll: true,
    async judge({ wire }) {
      const asked = 'every chat that was refused'
      const refused = wire.answers.filter(
        ({ ask: { path }, status }) => path === CHAT_PATH && status >= 402,
      )
      const wrong = refused.find((answer) => !hasDetailText(answer))
      if (refused.length === 0) return notSeen(asked, 'none was')
      if (wrong === undefined) return passed(asked, `${refused.length} with {detail: string}`)
      return failed(asked, `${wrong.status} without a text as detail`)
    },
  },
]

/** Asks for more tokens than the balance pays for. */
async function judgeTooDear({ account, findDearestModel, toChatRequest, wire }: Scenes) {
  const asked = 'a chat whose max_tokens cost more than the balance'
  const balance = await account.readBalance()
  const { id: model, completionMicroRubPer1m: price = 0n } = (await findDearestModel()) ?? {}
  if (balance === undefined || price === 0n) return notSeen(asked, 'no balance, or no price')
  // A quarter more than the balance, so that no estimate of the prompt matters.
  const tokens = (balance * 5n * MILLION) / (4n * price) + 1n
  if (tokens > TOKENS_MAX) return notSeen(asked, 'the balance covers all that can be asked for')
  const request = await toChatRequest({ model, max_tokens: Math.max(1, Number(tokens)) })
  const answer = await wire.ask(request)
  if (answer.status === 422) return notSeen(asked, describeAnswer(answer))
  const after = await account.readBalance()
  if (answer.status !== 402) return failed(asked, describeAnswer(answer))
  return after === balance
    ? passed(asked, describeAnswer(answer))
    : failed(asked, '402, and the balance moved')
}

function ask(
  { account, toChatRequest }: Pick<Scenes, 'account' | 'toChatRequest'>,
  fields: Record<string, unknown>,
): () => Promise<WireAnswer> {
  return async () => await account.ask(await toChatRequest(fields))
}
