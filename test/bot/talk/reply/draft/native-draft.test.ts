import { describe, expect, test } from 'vitest'
import { toAnswer, toPlain } from '../faults-setup.ts'
import { ANNA, createNativeDraftSetup, type NativeDraftSetup, NOTE } from './native-draft-setup.ts'

const FADES_MS = 30_000

function callsOf({ playground }: NativeDraftSetup, method: string) {
  return playground.calls.filter((call) => call.method === method)
}

function lastOf(sentences: readonly string[]): string {
  return `n${String(sentences.length - 1).padStart(4, '0')}`
}

describe('a draft whose text does not go on', () => {
  test('is shown again before it fades, for as long as that lasts', async () => {
    const setup = await createNativeDraftSetup()
    const draft = setup.begin()

    draft.grow('Let me think')
    await setup.moveUntil(() => setup.shown().length === 5)
    const visible = setup.playground.visibleDraft(ANNA)
    await setup.finish(draft, 'Let me think: 4.')

    expect(visible?.text).toBe('Let me think')
    expect(visible?.at).toBeGreaterThan(2 * FADES_MS)
    expect(setup.lints()).toEqual([])
    expect(setup.textsIn()).toEqual(['Let me think: 4.'])
  })

  test('is shown again in time also where the answer to a frame took long', async () => {
    const setup = await createNativeDraftSetup()
    const held = setup.playground.fault({ kind: 'holdAfter', method: 'sendRichMessageDraft' })
    const draft = setup.begin()
    draft.grow('Let me think about it')
    await setup.playground.waitFor(() => held.hits === 1)

    setup.clock.advance(15_000)
    held.release()
    await setup.moveUntil(() => setup.shown().length === 2)

    expect(setup.clock.now()).toBeLessThan(FADES_MS)
    await setup.finish(draft, 'Let me think about it: 4.')
  })

  test('says where in the queue its turn is until there is a word of it', async () => {
    const setup = await createNativeDraftSetup()
    const draft = setup.begin()
    draft.announce('You are the third in line.')
    await setup.moveUntil(() => setup.shown().length === 1)

    // A marker of which nobody knows yet what it will be.
    draft.grow('- ')
    await setup.moveUntil(() => setup.shown().length === 3)
    draft.grow('- One')
    await setup.moveUntil(() => setup.shown().length === 4)
    await setup.finish(draft, '- One.')

    expect(setup.shown().map((text) => text.slice(0, 3))).toEqual(['You', 'You', 'You', '• O'])
    expect(setup.textsIn()).toEqual(['- One.'])
    expect(setup.lints()).toEqual([])
  })
})

describe('an answer that is longer than a message', () => {
  test('stands in messages but for its end, which grows in a draft', async () => {
    const setup = await createNativeDraftSetup()
    const sentences = toAnswer(240)
    const draft = setup.begin()

    for (const [index] of sentences.entries()) {
      draft.grow(sentences.slice(0, index + 1).join(''))
      if (index % 24 === 0) await setup.moveUntil(() => setup.shown().at(-1)?.includes('n0000'))
    }
    await setup.moveUntil(() => setup.shown().at(-1)?.includes(lastOf(sentences)))
    const before = setup.textsIn()
    const visible = setup.playground.visibleDraft(ANNA)?.text ?? ''
    await setup.finish(draft, sentences.join(''))

    expect(before.length).toBeGreaterThan(1)
    expect(toPlain(before.join('') + visible)).toBe(toPlain(sentences.join('')))
    expect(setup.textsIn().slice(0, -1)).toEqual(before)
    expect(toPlain(setup.textsIn().join(''))).toBe(toPlain(sentences.join('')))
    expect(callsOf(setup, 'editMessageText')).toEqual([])
    expect(setup.playground.pendingDrafts()).toEqual([])
    expect(setup.records.at(-1)?.shownText).toBe(sentences.join(''))
    expect(setup.lints()).toEqual([])
  })

  test('goes on in a draft, without a gap, where it is not known whether its first message was sent', async () => {
    const setup = await createNativeDraftSetup()
    const sentences = toAnswer(240)
    const seen = (word: string) => setup.shown().filter((text) => text.includes(word)).length
    const draft = setup.begin()
    const lost = setup.playground.fault({ kind: 'dropAfter', method: 'sendRichMessage' })

    draft.grow(sentences.slice(0, 120).join(''))
    await setup.moveUntil(() => lost.hits === 1)
    await setup.moveUntil(() => seen('n0119') === 3)
    draft.grow(sentences.slice(0, -1).join(''))
    await setup.moveUntil(() => seen('n0130') === 3)
    const before = setup.textsIn()
    const visible = setup.playground.visibleDraft(ANNA)?.text ?? ''
    await setup.finish(draft, sentences.join(''))

    expect(before).toHaveLength(1)
    const whole = toPlain(sentences.join(''))
    expect(whole.startsWith(toPlain(before.join('') + visible))).toBe(true)
    const [first = '', again = '', ...rest] = setup.textsIn()
    expect(again).toBe(`${NOTE}\n\n${first}`)
    expect(toPlain([first, ...rest].join(''))).toBe(whole)
    expect(setup.lints()).toEqual([])
  })
})

describe('a reply of which messages stand in the chat already', () => {
  test('writes into them, and goes on in a draft after them', async () => {
    const setup = await createNativeDraftSetup()
    const sentences = toAnswer(120)
    const earlier = setup.begin({ nativeDraftId: undefined })
    await setup.finish(earlier, 'You are the third in line.')
    const messageIds = setup.records.at(-1)?.messageIds ?? []
    const draft = setup.begin({ messageIds })

    draft.grow(sentences[0] ?? '')
    await setup.moveUntil(() => setup.textsIn()[0]?.includes('n0000'))
    draft.grow(sentences.slice(0, -1).join(''))
    await setup.moveUntil(() => setup.shown().at(-1)?.includes('n0118'))
    const before = setup.textsIn()
    await setup.finish(draft, sentences.join(''))

    expect(setup.shown().some((text) => text.includes('n0000'))).toBe(false)
    expect(before).toHaveLength(1)
    expect(setup.textsIn()).toHaveLength(2)
    expect(toPlain(setup.textsIn().join(''))).toBe(toPlain(sentences.join('')))
    expect(setup.records.at(-1)?.messageIds[0]).toBe(messageIds[0])
    expect(setup.lints()).toEqual([])
  })

  test('leaves nothing behind in those that it needs no more', async () => {
    const setup = await createNativeDraftSetup()
    const earlier = setup.begin({ nativeDraftId: undefined })
    await setup.finish(earlier, toAnswer(240).join(''))
    const messageIds = setup.records.at(-1)?.messageIds ?? []
    const draft = setup.begin({ messageIds })

    draft.grow('Short')
    await setup.moveUntil(() => setup.textsIn()[0] === 'Short')
    await setup.finish(draft, 'Short.')

    expect(messageIds.length).toBeGreaterThan(2)
    expect(setup.textsIn()).toEqual(['Short.', ...messageIds.slice(1).map(() => '…')])
    expect(setup.shown()).toEqual([])
  })

  test('grows in a draft also where one more message may stand there, and says so in the end', async () => {
    const setup = await createNativeDraftSetup()
    const draft = setup.begin({ mayHaveSent: true })

    draft.grow('Hello')
    await setup.moveUntil(() => setup.shown().at(-1) === 'Hello')
    draft.grow('Hello, world')
    await setup.moveUntil(() => setup.records.at(-1)?.shownText === 'Hello, world')
    expect(setup.textsIn()).toEqual([])
    // The next run, should this one die, must not take it for a message that was never sent.
    expect(setup.records.at(-1)).toMatchObject({ mayHaveSent: true })
    await setup.finish(draft, 'Hello, world!')

    expect(setup.textsIn()).toEqual([`${NOTE}\n\nHello, world!`])
    expect(setup.records.at(-1)).toMatchObject({ mayHaveSent: false })
    expect(setup.playground.pendingDrafts()).toEqual([])
  })
})
