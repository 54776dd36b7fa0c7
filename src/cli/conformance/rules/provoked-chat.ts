import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import { describeAnswer } from '../answer.ts'
import { inRoubles } from '../money.ts'
import { type Finding, failed, judgeProblems, notSeen, passed, type Rule } from '../rule.ts'
import type { ChatScene, StreamScene } from '../scenes/chat-scenes.ts'
import { isEventStream } from '../wire.ts'
import { hasDetailText, PROVIDER_STATUSES } from './refusals.ts'

/** Rules about chats that fail at the provider: the service's operator has models that do. */
export const PROVOKED_CHAT_RULES: readonly Rule[] = [
  ...(['refused', 'unavailable'] as const).flatMap((kind): Rule[] => {
    const status = kind === 'refused' ? 502 : 503
    return [
      {
        id: `chat-${status}`,
        needs: kind,
        async judge({ provokedChats }) {
          const asked = `a chat that is to be ${kind}, plain and streamed`
          const chats = await provokedChats[kind]()
          const seen = chats.map(({ answer }) => describeAnswer(answer)).join(', ')
          const isProvoked = chats.some(({ answer }) => answer.status >= 500)
          if (!isProvoked) return notSeen(asked, seen)
          const wrong = chats.find(
            ({ answer }) =>
              !PROVIDER_STATUSES.includes(answer.status) ||
              !hasDetailText(answer) ||
              isEventStream({ headers: { 'content-type': answer.contentType } }),
          )
          return wrong === undefined ? passed(asked, seen) : failed(asked, seen)
        },
      },
      {
        id: `billing-${status}`,
        needs: kind,
        async judge({ provokedChats }) {
          const asked = `the balance around a chat that is ${kind}`
          const chats = (await provokedChats[kind]()).filter(({ answer }) => answer.status !== 200)
          return judgeGivenBack(asked, chats)
        },
      },
    ]
  }),
  {
    id: 'stream-error',
    needs: 'broken',
    judge: async ({ provokedChats }) =>
      judgeBreak(await provokedChats.broken(), ({ events }) => {
        const at = events.chunks.findIndex(({ error }) => error !== undefined)
        const { error } = events.chunks[at] ?? {}
        return isJsonObject(error) && typeof error.message === 'string'
          ? undefined
          : 'an error event without a message'
      }),
  },
  {
    id: 'stream-error-end',
    needs: 'broken',
    judge: async ({ provokedChats }) =>
      judgeBreak(await provokedChats.broken(), ({ events }) => {
        const last = events.data.at(-1) ?? ''
        return isErrorEvent(events.chunks.at(-1)) && last.startsWith('{')
          ? undefined
          : `after the error event came ${last.slice(0, 40)}`
      }),
  },
  {
    id: 'billing-kept',
    needs: 'broken',
    judge: async ({ provokedChats }) =>
      judgeBreak(await provokedChats.broken(), ({ before, during, after }) => {
        if (before === undefined || during === undefined || after === undefined) return undefined
        if (after === during) return undefined
        return `${inRoubles(before - during)} held, ${inRoubles(before - after)} kept`
      }),
  },
  {
    id: 'billing-above-hold',
    needs: 'longer',
    async judge({ provokedChats, account }) {
      const asked = 'a chat that uses more than was held for it'
      const { before, during, after, costMicroRub } = await provokedChats.longer()
      const isWhole = before !== undefined && during !== undefined && after !== undefined
      if (!isWhole || costMicroRub === undefined) return notSeen(asked, 'no balance, or no cost')
      const held = before - during
      if (costMicroRub <= held) {
        return notSeen(asked, `${inRoubles(held)} held, it cost ${inRoubles(costMicroRub)}`)
      }
      const seen = `${inRoubles(held)} held, told ${inRoubles(costMicroRub)}, moved by ${inRoubles(before - after)}`
      return account.hasMovedBy(costMicroRub, before, after)
        ? passed(asked, seen)
        : failed(asked, seen)
    },
  },
]

function judgeGivenBack(asked: string, chats: readonly ChatScene[]): Finding {
  const looked = chats.flatMap(({ before, after }) =>
    before === undefined || after === undefined ? [] : [before - after],
  )
  if (looked.length === 0) return notSeen(asked, 'none was, or no balance')
  const kept = looked.find((moved) => moved !== 0n)
  return kept === undefined
    ? passed(asked, 'the estimate is back')
    : failed(asked, `${inRoubles(kept)} of the estimate are not back`)
}

/** Judges a stream that broke in the middle. */
function judgeBreak(
  scene: StreamScene,
  findProblem: (
    broken: StreamScene & { events: NonNullable<StreamScene['events']> },
  ) => string | undefined,
): Finding {
  const asked = 'a stream that breaks'
  const { answer, events } = scene
  if (events === undefined) return notSeen(asked, describeAnswer(answer))
  if (!events.chunks.some(isErrorEvent)) return notSeen(asked, 'it did not break with an event')
  return judgeProblems(asked, [findProblem({ ...scene, events })], 'an error event, then its end')
}

function isErrorEvent(chunk: JsonObject | undefined): boolean {
  return chunk !== undefined && 'error' in chunk
}
