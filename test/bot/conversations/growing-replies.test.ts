import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createReplyLayout, type ReplyPart } from '../../../src/bot/conversations/draft-layout.ts'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import type { MessageFormat } from '../../../src/bot/telegram/formatting.ts'
import type { Body } from '../../../src/bot/telegram/message.ts'
import { Pacer } from '../../../src/bot/telegram/pacer.ts'
import { createOutbox } from '../../../src/bot/telegram/send.ts'
import { createPlayground } from '../../../src/playground/playground.ts'
import { makeAnswer } from '../rich-text/answers.ts'
import { isWithin, lettersOf } from '../rich-text/server-rules.ts'
import { SPEC_EXAMPLES } from '../rich-text/spec-examples.ts'

/** Characters from one beginning to the next; `PREFIX_STEP=1` shows every single one. */
const ANSWER_STEP = Number(process.env.PREFIX_STEP ?? 397)
const EXAMPLE_STEP = Number(process.env.PREFIX_STEP ?? 41)
const AT_ONCE = 8
/** This test is not about pacing. */
const NO_LIMITS = {
  overall: { calls: 1_000_000, windowMs: 1 },
  private: { everyMs: 0, burst: 1_000_000 },
  group: { calls: 1_000_000, windowMs: 1 },
}

const ANSWERS = Array.from({ length: 20 }, (_, index) =>
  makeAnswer(index + 1, 1000 + Math.round((index / 19) ** 12 * 19_000)),
)

/** The letters and digits in a chat: after each beginning, and in the end. */
interface Shown {
  grown: string[]
  whole: string
}

test.each(['rich', 'entities'] as const)(
  'the beginnings of 20 answers are shown without a refusal, and nothing is taken back or lost (%s)',
  { timeout: 3_600_000 },
  async (format) => {
    const { refused, showAll } = await openChats({ step: ANSWER_STEP, format })

    const shown = await showAll(ANSWERS)

    expect(refused).toEqual([])
    for (const [index, { grown, whole }] of shown.entries()) {
      for (const text of grown) expect(whole.startsWith(text), `answer ${index + 1}`).toBe(true)
      if (format === 'entities') continue
      expect(isWithin(lettersOf(ANSWERS[index] ?? ''), whole), `answer ${index + 1}`).toBe(true)
    }
  },
)

test('the beginnings of the examples of the specifications are shown without a refusal, and nothing is lost', async () => {
  const { refused, showAll } = await openChats({ step: EXAMPLE_STEP, format: 'rich' })

  const shown = await showAll(SPEC_EXAMPLES)

  expect(refused).toEqual([])
  for (const [index, { whole }] of shown.entries()) {
    const example = SPEC_EXAMPLES[index] ?? ''
    expect(isWithin(lettersOf(example), whole), example).toBe(true)
  }
}, 3_600_000)

/** Shows answers as drafts do: a message, edits of it as the text grows, a next message. */
async function openChats({ step, format }: { step: number; format: MessageFormat }) {
  const refused: string[] = []
  const playground = createPlayground({ flood: 'off' })
  playground.onChange((change) => {
    if (change.kind === 'call') recordRefusal(change.seq)
  })
  onTestFinished(() => playground.close())
  const { apiRoot } = await playground.listen()
  const outbox = createOutbox({
    api: createTelegramApi({ token: playground.token, apiRoot }),
    pacer: new Pacer({ limits: NO_LIMITS }),
  })
  return { refused, showAll }

  /** Two texts of Markdown may look the same: an edit that changes nothing is no refusal of either. */
  function recordRefusal(seq: number): void {
    const call = playground.calls[seq - (playground.calls[0]?.seq ?? 0)]
    if (call?.body?.ok !== false || call.body.description.includes('is not modified')) return
    refused.push(`${call.method}: ${call.status} ${call.body.description}`)
  }

  async function showAll(texts: readonly string[]): Promise<Shown[]> {
    const shown: Shown[] = []
    const remaining = texts.entries()
    const showRemaining = async () => {
      for (const [index, text] of remaining) shown[index] = await show(text, index + 1)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, showRemaining))
    return shown
  }

  async function show(text: string, chatId: number): Promise<Shown> {
    playground.addUser({ id: chatId, firstName: 'Anna' })
    const layOut = createReplyLayout()
    const messages: { id: number; body: Body }[] = []
    const grown: string[] = []
    for (let length = 1 + (chatId % step); length < text.length; length += step) {
      const beginning = { text: text.slice(0, length) }
      await bring(layOut(beginning, { formatting: format, isInterim: true }), { isInterim: true })
      grown.push(lettersIn(chatId))
    }
    await bring(layOut({ text }, { formatting: format, isInterim: false }), { isInterim: false })
    return { grown, whole: lettersIn(chatId) }

    async function bring(parts: readonly ReplyPart[], { isInterim }: { isInterim: boolean }) {
      for (const [index, { body }] of parts.entries()) {
        const message = messages[index]
        if (isDeepStrictEqual(message?.body, body)) continue
        if (message === undefined) {
          const { messageId } = await outbox.send({ chatId, ...body })
          messages[index] = { id: messageId, body }
          continue
        }
        const isGrowing = isInterim && index === parts.length - 1
        const edit = isGrowing ? outbox.editInterim : outbox.edit
        expect(await edit({ chatId, messageId: message.id }, body)).toBe('shown')
        message.body = body
      }
    }
  }

  function lettersIn(chatId: number): string {
    const texts = playground.transcript(chatId).map(({ text = '' }) => text)
    return texts.join('').replaceAll(/[^\p{L}\p{N}]/gu, '')
  }
}
