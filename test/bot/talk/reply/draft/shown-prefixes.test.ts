import { expect, onTestFinished, test } from 'vitest'
import { isSameBody } from '../../../../../src/bot/talk/reply/draft/bodies.ts'
import {
  createReplyLayout,
  type ReplyPart,
} from '../../../../../src/bot/talk/reply/draft/lay-out-reply.ts'
import { createTelegramApi } from '../../../../../src/bot/telegram/api.ts'
import type { Body } from '../../../../../src/bot/telegram/outbox/body.ts'
import { createOutbox } from '../../../../../src/bot/telegram/outbox/outbox.ts'
import { createPlayground, type Playground } from '../../../../../src/playground/playground.ts'
import { makeAnswer } from '../../../rich-text/answers.ts'
import { isWithin, lettersOf } from '../../../rich-text/server-rules.ts'
import { SPEC_EXAMPLES } from '../../../rich-text/spec-examples.ts'

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

const ANSWERS = Array.from({ length: 50 }, (_, index) =>
  makeAnswer(index + 1, 1000 + Math.round((index / 49) ** 12 * 19_000)),
)

test('the beginnings of 50 answers are shown without a refusal, and nothing is lost', async ({
  annotate,
}) => {
  const setup = await openChats(ANSWER_STEP)

  const shown = await setup.showAll(ANSWERS)

  await annotate(setup.countCalls())
  expect(setup.refused).toEqual([])
  for (const [index, { grown, whole }] of shown.entries()) {
    // What a user has read stays, and more follows it.
    for (const text of grown) expect(whole.startsWith(text), `answer ${index + 1}`).toBe(true)
    expect(isWithin(lettersOf(ANSWERS[index] ?? ''), whole), `answer ${index + 1}`).toBe(true)
  }
}, 3_600_000)

test('the beginnings of the examples of the specifications are shown without a refusal, and nothing is lost', async ({
  annotate,
}) => {
  const setup = await openChats(EXAMPLE_STEP)

  const shown = await setup.showAll(SPEC_EXAMPLES)

  await annotate(setup.countCalls())
  expect(setup.refused).toEqual([])
  for (const [index, { whole }] of shown.entries()) {
    const example = SPEC_EXAMPLES[index] ?? ''
    expect(isWithin(lettersOf(example), whole), example).toBe(true)
  }
}, 3_600_000)

/** The letters and digits in a chat: after each beginning, and in the end. */
interface Shown {
  grown: string[]
  whole: string
}

/** Shows answers as drafts do: a message, edits of it as the text grows, a next message. */
async function openChats(step: number) {
  const refused: string[] = []
  let sends = 0
  let edits = 0
  const playground = createPlayground({ flood: 'off', log: recordRefusal })
  onTestFinished(() => playground.close())
  const { apiRoot } = await playground.listen()
  const api = createTelegramApi({ token: playground.token, apiRoot })
  const outbox = createOutbox({ api, limits: NO_LIMITS })
  return { refused, showAll, countCalls: () => `${sends} messages, ${edits} edits` }

  /** Two texts of Markdown may look the same: an edit that changes nothing is no refusal of either. */
  function recordRefusal(line: string): void {
    if (!line.includes('message is not modified')) refused.push(line)
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
    for (let length = 1 + (chatId % step); length < text.length; length += step) {
      const look = { formatting: 'rich', isInterim: true } as const
      if (await bring(layOut({ text: text.slice(0, length) }, look), { isInterim: true })) {
        grown.push(lettersIn(playground, chatId))
      }
    }
    await bring(layOut({ text }, { formatting: 'rich', isInterim: false }), { isInterim: false })
    return { grown, whole: lettersIn(playground, chatId) }

    async function bring(parts: readonly ReplyPart[], { isInterim }: { isInterim: boolean }) {
      let hasChanged = false
      for (const [index, { body }] of parts.entries()) {
        const message = messages[index]
        if (isSameBody(message?.body, body)) continue
        hasChanged = true
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
