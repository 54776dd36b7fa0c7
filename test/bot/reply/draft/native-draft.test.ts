import { describe, expect, test } from 'vitest'
import { toAnswer, toPlain } from '../fault-stage.ts'
import { ANNA, createDraftStage, type DraftStage, NOTE } from './draft-stage.ts'

const FADES_MS = 30_000

function callsOf({ playground }: DraftStage, method: string) {
  return playground.calls.filter((call) => call.method === method)
}

function lastOf(sentences: readonly string[]): string {
  return `n${String(sentences.length - 1).padStart(4, '0')}`
}

describe('a draft whose text does not go on', () => {
  test('is shown again before it fades, for as long as that lasts', async () => {
    const stage = await createDraftStage()
    const draft = stage.begin()

    draft.grow('Let me think')
    await stage.moveUntil(() => stage.shown().length === 5)
    const visible = stage.playground.visibleDraft(ANNA)
    await stage.finish(draft, 'Let me think: 4.')

    expect(visible?.text).toBe('Let me think')
    expect(visible?.at).toBeGreaterThan(2 * FADES_MS)
    expect(stage.lints()).toEqual([])
    expect(stage.said()).toEqual(['Let me think: 4.'])
  })

  test('is shown again in time also where the answer to a frame took long', async () => {
    const stage = await createDraftStage()
    const held = stage.playground.fault({ kind: 'holdAfter', method: 'sendRichMessageDraft' })
    const draft = stage.begin()
    draft.grow('Let me think')
    await stage.playground.waitFor(() => held.hits === 1)

    stage.clock.advance(15_000)
    held.release()
    await stage.moveUntil(() => stage.shown().length === 2)

    expect(stage.clock.now()).toBeLessThan(FADES_MS)
    await stage.finish(draft, 'Let me think: 4.')
  })

  test('says where in line its turn stands until there is a word of it', async () => {
    const stage = await createDraftStage()
    const draft = stage.begin()
    draft.announce('You are the third in line.')
    await stage.moveUntil(() => stage.shown().length === 1)

    // A marker of which nobody knows yet what it will be.
    draft.grow('- ')
    await stage.moveUntil(() => stage.shown().length === 3)
    draft.grow('- One')
    await stage.moveUntil(() => stage.shown().length === 4)
    await stage.finish(draft, '- One.')

    expect(stage.shown().map((text) => text.slice(0, 3))).toEqual(['You', 'You', 'You', '• O'])
    expect(stage.said()).toEqual(['- One.'])
    expect(stage.lints()).toEqual([])
  })
})

describe('an answer that is longer than a message', () => {
  test('stands in messages but for its end, which grows in a draft', async () => {
    const stage = await createDraftStage()
    const sentences = toAnswer(240)
    const draft = stage.begin()

    for (const [index] of sentences.entries()) {
      draft.grow(sentences.slice(0, index + 1).join(''))
      if (index % 24 === 0) await stage.moveUntil(() => stage.shown().at(-1)?.includes('n0000'))
    }
    await stage.moveUntil(() => stage.shown().at(-1)?.includes(lastOf(sentences)))
    const before = stage.said()
    const visible = stage.playground.visibleDraft(ANNA)?.text ?? ''
    await stage.finish(draft, sentences.join(''))

    expect(before.length).toBeGreaterThan(1)
    expect(toPlain(before.join('') + visible)).toBe(toPlain(sentences.join('')))
    expect(stage.said().slice(0, -1)).toEqual(before)
    expect(toPlain(stage.said().join(''))).toBe(toPlain(sentences.join('')))
    expect(callsOf(stage, 'editMessageText')).toEqual([])
    expect(stage.playground.pendingDrafts()).toEqual([])
    expect(stage.notes.at(-1)?.shownText).toBe(sentences.join(''))
    expect(stage.lints()).toEqual([])
  })

  test('goes on in a draft, without a gap, where nobody knows whether its first message was sent', async () => {
    const stage = await createDraftStage()
    const sentences = toAnswer(240)
    const seen = (word: string) => stage.shown().filter((text) => text.includes(word)).length
    const draft = stage.begin()
    const lost = stage.playground.fault({ kind: 'dropAfter', method: 'sendRichMessage' })

    draft.grow(sentences.slice(0, 120).join(''))
    await stage.moveUntil(() => lost.hits === 1)
    await stage.moveUntil(() => seen('n0119') === 3)
    draft.grow(sentences.slice(0, -1).join(''))
    await stage.moveUntil(() => seen('n0130') === 3)
    const before = stage.said()
    const visible = stage.playground.visibleDraft(ANNA)?.text ?? ''
    await stage.finish(draft, sentences.join(''))

    expect(before).toHaveLength(1)
    const whole = toPlain(sentences.join(''))
    expect(whole.startsWith(toPlain(before.join('') + visible))).toBe(true)
    const [first = '', again = '', ...rest] = stage.said()
    expect(again).toBe(`${NOTE}\n\n${first}`)
    expect(toPlain([first, ...rest].join(''))).toBe(whole)
    expect(stage.lints()).toEqual([])
  })
})

describe('a reply of which messages stand in the chat already', () => {
  test('writes into them, and goes on in a draft behind them', async () => {
    const stage = await createDraftStage()
    const sentences = toAnswer(120)
    const earlier = stage.begin({ nativeDraftId: undefined })
    await stage.finish(earlier, 'You are the third in line.')
    const messageIds = stage.notes.at(-1)?.messageIds ?? []
    const draft = stage.begin({ messageIds })

    draft.grow(sentences[0] ?? '')
    await stage.moveUntil(() => stage.said()[0]?.includes('n0000'))
    draft.grow(sentences.slice(0, -1).join(''))
    await stage.moveUntil(() => stage.shown().at(-1)?.includes('n0118'))
    const before = stage.said()
    await stage.finish(draft, sentences.join(''))

    expect(stage.shown().some((text) => text.includes('n0000'))).toBe(false)
    expect(before).toHaveLength(1)
    expect(stage.said()).toHaveLength(2)
    expect(toPlain(stage.said().join(''))).toBe(toPlain(sentences.join('')))
    expect(stage.notes.at(-1)?.messageIds[0]).toBe(messageIds[0])
    expect(stage.lints()).toEqual([])
  })

  test('leaves nothing behind in those that it needs no more', async () => {
    const stage = await createDraftStage()
    const earlier = stage.begin({ nativeDraftId: undefined })
    await stage.finish(earlier, toAnswer(240).join(''))
    const messageIds = stage.notes.at(-1)?.messageIds ?? []
    const draft = stage.begin({ messageIds })

    draft.grow('Short')
    await stage.moveUntil(() => stage.said()[0] === 'Short')
    await stage.finish(draft, 'Short.')

    expect(messageIds.length).toBeGreaterThan(2)
    expect(stage.said()).toEqual(['Short.', ...messageIds.slice(1).map(() => '…')])
    expect(stage.shown()).toEqual([])
  })

  test('grows in a draft also where one more message may stand there, and says so in the end', async () => {
    const stage = await createDraftStage()
    const draft = stage.begin({ mayHaveSent: true })

    draft.grow('Hello')
    await stage.moveUntil(() => stage.shown().at(-1) === 'Hello')
    draft.grow('Hello, world')
    await stage.moveUntil(() => stage.shown().at(-1) === 'Hello, world')
    expect(stage.said()).toEqual([])
    await stage.finish(draft, 'Hello, world!')

    expect(stage.said()).toEqual([`${NOTE}\n\nHello, world!`])
    expect(stage.playground.pendingDrafts()).toEqual([])
  })
})
