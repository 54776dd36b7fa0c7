import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../../src/playground/faults.ts'
import { toAnswer, toPlain } from '../fault-stage.ts'
import { ANNA, createDraftStage, type DraftStage } from './draft-stage.ts'

const ALWAYS = { times: Number.POSITIVE_INFINITY }
const NOT_FOUND = {
  kind: 'refuse',
  status: 404,
  description: 'method not found',
  ...ALWAYS,
} as const
const REFUSED = { kind: 'refuse', status: 400, ...ALWAYS } as const
const RICH = 'sendRichMessageDraft'

function callsOf({ playground }: DraftStage, pattern: RegExp) {
  return playground.calls.filter(({ method }) => pattern.test(method))
}

describe('where there are no drafts', () => {
  const SERVERS: Record<string, Fault[]> = {
    'a server that knows neither rich messages nor drafts': [
      { kind: 'noRich' },
      { ...NOT_FOUND, method: 'sendMessageDraft' },
    ],
    'a chat that takes none': [{ ...REFUSED, description: 'TEXTDRAFT_PEER_INVALID', method: RICH }],
    'a refusal that nobody knows': [{ ...REFUSED, description: 'DRAFT_FORBIDDEN', method: RICH }],
  }

  test.each(Object.entries(SERVERS))('a reply grows in its message: %s', async (_name, faults) => {
    const stage = await createDraftStage()
    for (const fault of faults) stage.playground.fault(fault)
    const sentences = toAnswer(240)
    const draft = stage.begin()

    draft.grow(sentences.slice(0, 2).join(''))
    await stage.moveUntil(() => stage.said()[0]?.includes('n0001'))
    draft.grow(sentences.slice(0, 4).join(''))
    await stage.moveUntil(() => stage.said()[0]?.includes('n0003'))
    draft.grow(sentences.slice(0, -1).join(''))
    await stage.moveUntil(() => stage.said().at(-1)?.includes('n0238'))
    await stage.finish(draft, sentences.join(''))

    expect(toPlain(stage.said().join(''))).toBe(toPlain(sentences.join('')))
    expect(callsOf(stage, /Draft$/)).toHaveLength(faults.length)
    expect(stage.logged().match(/draft refused/g)).toHaveLength(1)
    expect(stage.logged()).not.toContain('classified')
    expect(stage.lints()).toEqual([])
  })

  test('in a group none is tried', async () => {
    const stage = await createDraftStage()
    const chatId = -5
    stage.playground.addGroup({ id: chatId, title: 'Group', members: [ANNA] })
    const draft = stage.begin({ chatId })

    draft.grow('Hello')
    await stage.moveUntil(() => stage.said(chatId)[0] === 'Hello')
    await stage.finish(draft, 'Hello, world!')

    expect(stage.said(chatId)).toEqual(['Hello, world!'])
    expect(callsOf(stage, /Draft$/)).toEqual([])
    expect(stage.logged()).toBe('')
  })

  test('who has blocked the bot is called no more once a message was refused', async () => {
    const stage = await createDraftStage()
    const refused = () => stage.playground.calls.filter(({ status }) => status === 403)
    const draft = stage.begin()
    draft.grow('Hello')
    await stage.moveUntil(() => stage.playground.visibleDraft(ANNA)?.text === 'Hello')

    stage.playground.blocks(ANNA)
    draft.grow('Hello, world')
    await stage.moveUntil(() => refused().length === 2)
    stage.clock.advance(60_000)
    draft.grow('Hello, world, hello')
    await expect(stage.finish(draft, 'Hello, world!')).rejects.toMatchObject({
      code: 'chat_unreachable',
    })

    expect(refused().map(({ method }) => method)).toEqual([RICH, 'sendRichMessage'])
  })
})

test('a draft whose formatting is refused goes on without it', async () => {
  const stage = await createDraftStage()
  const refuseRich = { kind: 'refuseRich', description: 'RICH_MESSAGE_URL_INVALID' } as const
  stage.playground.fault({ ...refuseRich, ...ALWAYS, method: RICH })
  const draft = stage.begin()

  draft.grow('One **two**')
  await stage.moveUntil(() => stage.playground.visibleDraft(ANNA)?.text === 'One two')
  await stage.finish(draft, 'One **two** three')

  expect(callsOf(stage, /Draft$/).map(({ method }) => method)).toEqual([
    ...[RICH, RICH, RICH],
    'sendMessageDraft',
  ])
  expect(stage.said()).toEqual(['One two three'])
  expect(stage.logged().match(/formatting refused/g)).toHaveLength(1)
})

describe('a flood that is told to a draft', () => {
  test.each([3, 60])(
    'is waited out, and the newest text shown after it: %i s',
    async (retryAfter) => {
      const stage = await createDraftStage()
      const draft = stage.begin()
      draft.grow('One')
      await stage.moveUntil(() => stage.playground.visibleDraft(ANNA)?.text === 'One')
      const flood = stage.playground.fault({ kind: '429', retryAfter, method: RICH })
      draft.grow('One two')
      await stage.moveUntil(() => flood.hits === 1)
      const toldAt = stage.clock.now()

      draft.grow('One two three')
      await stage.moveUntil(() => stage.playground.visibleDraft(ANNA)?.text === 'One two three')
      const shownAt = stage.clock.now()
      await stage.finish(draft, 'One two three four')

      expect(shownAt - toldAt).toBeGreaterThanOrEqual(retryAfter * 1000)
      expect(shownAt - toldAt).toBeLessThan(retryAfter * 1000 + 10_000)
      expect(stage.shown()).toEqual(['One', 'One two three'])
      expect(stage.said()).toEqual(['One two three four'])
      expect(stage.lints().filter((rule) => rule !== 'draft-gap')).toEqual([])
    },
  )

  test('delays the message, which is whole and comes once', async () => {
    const stage = await createDraftStage()
    const draft = stage.begin()
    draft.grow('One')
    await stage.moveUntil(() => stage.playground.visibleDraft(ANNA)?.text === 'One')
    const flood = stage.playground.fault({ kind: '429', retryAfter: 60, method: RICH })
    draft.grow('One two')
    await stage.moveUntil(() => flood.hits === 1)
    const toldAt = stage.clock.now()

    await stage.finish(draft, 'One two three')

    expect(stage.clock.now() - toldAt).toBeGreaterThanOrEqual(60_000)
    expect(stage.said()).toEqual(['One two three'])
    expect(stage.lints()).toEqual([])
  })
})
