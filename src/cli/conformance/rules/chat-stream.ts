import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import { describeAnswer } from '../answer.ts'
import { inRoubles } from '../money.ts'
import { type Finding, failed, judgeProblems, notSeen, passed, type Rule } from '../rule.ts'
import type { StreamScene } from '../scenes/chat-scenes.ts'
import { type EventLines, readChoice, readDelta } from '../scenes/events.ts'
import type { Scenes } from '../scenes/scenes.ts'

const STREAMED = 'a streamed chat'
const MILLION = 1_000_000n
/** Each of two holds may be rounded to a kopeck. */
const ROUNDED_MICRO_RUB = 20_000n
const FINAL_FIELDS = ['usage', 'cost_rub', 'cost_coins']

/** Rules about streamed answers. */
export const CHAT_STREAM_RULES: readonly Rule[] = [
  {
    id: 'stream-type',
    needs: 'chat',
    async judge({ streamedChat }) {
      const { answer, events } = await streamedChat()
      if (events !== undefined) return passed(STREAMED, `200 with ${answer.contentType}`)
      if (answer.status === 200) return failed(STREAMED, `200 with ${answer.contentType}`)
      return notSeen(STREAMED, describeAnswer(answer))
    },
  },
  {
    id: 'stream-events',
    needs: 'chat',
    judge: (scenes) => judgeStream(scenes, ({ problem }) => problem),
  },
  {
    id: 'stream-chunks',
    needs: 'chat',
    judge: (scenes) =>
      judgeStream(scenes, ({ chunks }) => {
        const ids = new Set(chunks.map(({ id }) => id))
        return ids.size > 1 ? 'chunks of one answer have several ids' : firstProblem(chunks)
      }),
  },
  {
    id: 'stream-deltas',
    needs: 'chat',
    async judge(scenes) {
      return await judgeStream(scenes, ({ chunks }) => {
        const before = chunks.slice(0, -1)
        if (before.every((chunk) => readDelta(chunk) === '')) return 'no text before the last chunk'
        const early = before.find((chunk) => readChoice(chunk)?.finish_reason !== null)
        return early && 'a finish_reason before the last chunk'
      })
    },
  },
  {
    id: 'stream-final',
    needs: 'chat',
    judge: (scenes) =>
      judgeStream(scenes, ({ chunks }) => {
        const final = chunks.at(-1) ?? {}
        const missing = FINAL_FIELDS.filter((name) => final[name] === undefined)
        if (typeof readChoice(final)?.finish_reason !== 'string') missing.unshift('finish_reason')
        if (missing.length > 0) return `the last chunk has no ${missing.join(', ')}`
        if (readDelta(final) !== '') return 'the last chunk has text'
        const early = chunks.slice(0, -1).flatMap(Object.keys)
        const tooEarly = FINAL_FIELDS.find((name) => early.includes(name))
        return tooEarly && `${tooEarly} before the last chunk`
      }),
  },
  {
    id: 'stream-done',
    needs: 'chat',
    judge: (scenes) =>
      judgeStream(scenes, ({ data }) =>
        data.at(-1) === '[DONE]' ? undefined : 'it does not end with data: [DONE]',
      ),
  },
  {
    id: 'billing-hold',
    needs: 'chat',
    async judge({ streamedChat }) {
      const asked = 'GET /balance between the first delta and [DONE]'
      const { before, during, after } = await streamedChat()
      if (before === undefined || during === undefined || after === undefined) {
        return notSeen(asked, 'no balance, or no delta to wait for')
      }
      if (during === after && after !== before) return notSeen(asked, 'settled already')
      if (after === before && during === before) return notSeen(asked, 'the chat cost nothing')
      return during < before
        ? passed(asked, `${inRoubles(before - during)} held`)
        : failed(asked, 'nothing was taken yet')
    },
  },
  {
    id: 'billing-hold-tokens',
    needs: 'chat',
    async judge({ streamedChat, dearerChat, findModel }) {
      const few = await streamedChat()
      const many = await dearerChat()
      const asked = `what is held for ${few.maxTokens} and for ${many.maxTokens} max_tokens`
      const { completionMicroRubPer1m: price } = (await findModel()) ?? {}
      const [small, large] = [few, many].map(heldBy)
      if (price === undefined || small === undefined || large === undefined) {
        return notSeen(asked, 'no price, or no balance while an answer was written')
      }
      const exact = (price * BigInt(many.maxTokens - few.maxTokens)) / MILLION
      const seen = `${inRoubles(small)} and ${inRoubles(large)}`
      const off = large - small - exact
      const isRight = (off < 0n ? -off : off) <= ROUNDED_MICRO_RUB
      return isRight ? passed(asked, seen) : failed(asked, `${seen}, not ${inRoubles(exact)} more`)
    },
  },
]

/** What was taken from the balance while the answer was written; undefined if that was not seen. */
function heldBy({ before, during, after }: StreamScene): bigint | undefined {
  if (before === undefined || during === undefined || during === after) return undefined
  // Another rule judges that nothing was held.
  if (during === before) return undefined
  return before - during
}

async function judgeStream(
  { streamedChat }: Pick<Scenes, 'streamedChat'>,
  findProblem: (events: EventLines) => string | undefined,
): Promise<Finding> {
  const { events } = await streamedChat()
  if (events === undefined) return notSeen(STREAMED, 'no stream')
  if (wasBroken(events)) return notSeen(STREAMED, 'a stream that broke with an error event')
  return judgeProblems(STREAMED, [findProblem(events)], `${events.data.length} events`)
}

/** A stream may break at its provider: the interface has an event for that. */
function wasBroken({ chunks }: NonNullable<StreamScene['events']>): boolean {
  return isJsonObject(chunks.at(-1)?.error)
}

function firstProblem(chunks: readonly JsonObject[]): string | undefined {
  for (const chunk of chunks) {
    const { id, object, model, choices } = chunk
    if (typeof id !== 'string' || typeof model !== 'string') return 'a chunk without id or model'
    if (object !== 'chat.completion.chunk') return `object is ${JSON.stringify(object)}`
    const choice = readChoice(chunk)
    if (!Array.isArray(choices) || choices.length !== 1 || choice === undefined) {
      return 'a chunk without exactly one choice'
    }
    const { index, delta, finish_reason: reason } = choice
    if (!Number.isInteger(index) || !isJsonObject(delta)) return 'a choice without index or delta'
    if (reason !== null && typeof reason !== 'string') return 'a choice without finish_reason'
  }
  return undefined
}
