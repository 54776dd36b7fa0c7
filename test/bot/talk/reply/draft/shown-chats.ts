import { expect, onTestFinished } from 'vitest'
import { isSameBody } from '../../../../../src/bot/talk/reply/draft/bodies.ts'
import {
  createReplyLayout,
  type ReplyPart,
} from '../../../../../src/bot/talk/reply/draft/lay-out-reply.ts'
import { createTelegramApi } from '../../../../../src/bot/telegram/api.ts'
import type { Body } from '../../../../../src/bot/telegram/outbox/body.ts'
import type { MessageFormat } from '../../../../../src/bot/telegram/outbox/formatting.ts'
import { createOutbox } from '../../../../../src/bot/telegram/outbox/outbox.ts'
import { createPlayground, type Playground } from '../../../../../src/playground/playground.ts'

const AT_ONCE = 8
/** This test is not about pacing. */
const NO_LIMITS = {
  overall: { calls: 1_000_000, windowMs: 1 },
  private: { everyMs: 0, burst: 1_000_000 },
  group: { calls: 1_000_000, windowMs: 1 },
}

/** The letters and digits in a chat: after each beginning, and in the end. */
export interface Shown {
  grown: string[]
  whole: string
  calls: number
  messages: number
}

/** Shows answers as drafts do: a message, edits of it as the text grows, a next message. */
export async function openChats({ step, format }: { step: number; format: MessageFormat }) {
  const refused: string[] = []
  let sends = 0
  let edits = 0
  const playground = createPlayground({ flood: 'off' })
  playground.onChange((change) => {
    if (change.kind === 'call') recordRefusal(change.seq)
  })
  onTestFinished(() => playground.close())
  const { apiRoot } = await playground.listen()
  const api = createTelegramApi({ token: playground.token, apiRoot })
  const outbox = createOutbox({ api, limits: NO_LIMITS })
  return {
    playground,
    refused,
    showAll,
    countCalls: () => `${sends} messages, ${edits} edits`,
  }

  /** Two texts of Markdown may look the same: an edit that changes nothing is no refusal of either. */
  function recordRefusal(seq: number): void {
    const call = playground.calls[seq - (playground.calls[0]?.seq ?? 0)]
    if (call?.body?.ok !== false || call.body.description.includes('is not modified')) return
    refused.push(`${call.method}: ${call.status} ${call.body.description}`)
  }

  async function showAll(texts: readonly string[]): Promise<Shown[]> {
    const all = texts.map((text, index) => ({ text, index, chatId: index + 1 }))
    const shown: Shown[] = []
    const remaining = all.values()
    const showRemaining = async () => {
      for (const { text, index, chatId } of remaining) shown[index] = await show(text, chatId)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, showRemaining))
    return shown
  }

  async function show(text: string, chatId: number): Promise<Shown> {
    playground.addUser({ id: chatId, firstName: 'Anna' })
    const layOut = createReplyLayout()
    const messages: { id: number; body: Body }[] = []
    const grown: string[] = []
    let calls = 0
    for (let length = 1 + (chatId % step); length < text.length; length += step) {
      const look = { formatting: format, isInterim: true } as const
      if (await bring(layOut({ text: text.slice(0, length) }, look), { isInterim: true })) {
        grown.push(lettersIn(playground, chatId))
      }
    }
    await bring(layOut({ text }, { formatting: format, isInterim: false }), { isInterim: false })
    return { grown, whole: lettersIn(playground, chatId), calls, messages: messages.length }

    async function bring(parts: readonly ReplyPart[], { isInterim }: { isInterim: boolean }) {
      let hasChanged = false
      for (const [index, { body }] of parts.entries()) {
        const message = messages[index]
        if (isSameBody(message?.body, body)) continue
        hasChanged = true
        calls++
        if (message === undefined) {
          sends++
          const { messageId } = await outbox.send({ chatId, ...body })
          messages[index] = { id: messageId, body }
        } else {
          edits++
          const isGrowing = isInterim && index === parts.length - 1
          const edit = isGrowing ? outbox.editInterim : outbox.edit
          expect(await edit({ chatId, messageId: message.id }, body)).toBe('shown')
          message.body = body
        }
      }
      return hasChanged
    }
  }
}

function lettersIn(playground: Playground, chatId: number): string {
  const texts = playground.transcript(chatId).map(({ text = '' }) => text)
  return texts.join('').replaceAll(/[^\p{L}\p{N}]/gu, '')
}
