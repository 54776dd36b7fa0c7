import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../../../src/playground/checks/faults.ts'
import { toAnswer, toPlain } from '../faults-setup.ts'
import { ANNA, createNativeDraftSetup, type NativeDraftSetup } from './native-draft-setup.ts'

const ALWAYS = { times: Number.POSITIVE_INFINITY }
const NOT_FOUND = {
  kind: 'refuse',
  status: 404,
  description: 'method not found',
  ...ALWAYS,
} as const
const REFUSED = { kind: 'refuse', status: 400, ...ALWAYS } as const
const RICH = 'sendRichMessageDraft'

function callsOf({ playground }: NativeDraftSetup, pattern: RegExp) {
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
    const setup = await createNativeDraftSetup()
    for (const fault of faults) setup.playground.fault(fault)
    const sentences = toAnswer(240)
    const draft = setup.begin()

    draft.grow(sentences.slice(0, 2).join(''))
    await setup.moveUntil(() => setup.textsIn()[0]?.includes('n0001'))
    draft.grow(sentences.slice(0, 4).join(''))
    await setup.moveUntil(() => setup.textsIn()[0]?.includes('n0003'))
    draft.grow(sentences.slice(0, -1).join(''))
    await setup.moveUntil(() => setup.textsIn().at(-1)?.includes('n0238'))
    await setup.finish(draft, sentences.join(''))

    expect(toPlain(setup.textsIn().join(''))).toBe(toPlain(sentences.join('')))
    expect(callsOf(setup, /Draft$/)).toHaveLength(faults.length)
    expect(setup.logged().match(/draft refused/g)).toHaveLength(1)
    expect(setup.logged()).not.toContain('classified')
    expect(setup.lints()).toEqual([])
  })

  test('in a group none is tried', async () => {
    const setup = await createNativeDraftSetup()
    const chatId = -5
    setup.playground.addGroup({ id: chatId, title: 'Group', members: [ANNA] })
    const draft = setup.begin({ chatId })

    draft.grow('Hello')
    await setup.moveUntil(() => setup.textsIn(chatId)[0] === 'Hello')
    await setup.finish(draft, 'Hello, world!')

    expect(setup.textsIn(chatId)).toEqual(['Hello, world!'])
    expect(callsOf(setup, /Draft$/)).toEqual([])
    expect(setup.logged()).toBe('')
  })

  test('who has blocked the bot is called no more once a frame was refused', async () => {
    const setup = await createNativeDraftSetup()
    const refused = () => setup.playground.calls.filter(({ status }) => status === 403)
    const draft = setup.begin()
    draft.grow('Hello')
    await setup.moveUntil(() => setup.playground.visibleDraft(ANNA)?.text === 'Hello')

    setup.playground.blocks(ANNA)
    draft.grow('Hello, world')
    await setup.moveUntil(() => refused().length === 1)
    setup.clock.advance(60_000)
    draft.grow('Hello, world, hello')
    await expect(setup.finish(draft, 'Hello, world!')).rejects.toMatchObject({
      code: 'chat_unreachable',
    })

    expect(refused().map(({ method }) => method)).toEqual([RICH])
  })
})

test('a draft whose formatting is refused goes on without it', async () => {
  const setup = await createNativeDraftSetup()
  const refuseRich = { kind: 'refuseRich', description: 'RICH_MESSAGE_URL_INVALID' } as const
  setup.playground.fault({ ...refuseRich, ...ALWAYS, method: RICH })
  const draft = setup.begin()

  draft.grow('One **two**')
  await setup.moveUntil(() => setup.playground.visibleDraft(ANNA)?.text === 'One two')
  await setup.finish(draft, 'One **two** three')

  expect(callsOf(setup, /Draft$/).map(({ method }) => method)).toEqual([
    ...[RICH, RICH, RICH],
    'sendMessageDraft',
  ])
  expect(setup.textsIn()).toEqual(['One two three'])
  expect(setup.logged().match(/formatting refused/g)).toHaveLength(1)
})

describe('a flood wait that a draft meets', () => {
  test.each([3, 60])(
    'is waited out, and the newest text shown after it: %i s',
    async (retryAfter) => {
      const setup = await createNativeDraftSetup()
      const draft = setup.begin()
      draft.grow('One')
      await setup.moveUntil(() => setup.playground.visibleDraft(ANNA)?.text === 'One')
      const flood = setup.playground.fault({ kind: '429', retryAfter, method: RICH })
      draft.grow('One two')
      await setup.moveUntil(() => flood.hits === 1)
      const floodAt = setup.clock.now()

      draft.grow('One two three')
      await setup.moveUntil(() => setup.playground.visibleDraft(ANNA)?.text === 'One two three')
      const shownAt = setup.clock.now()
      await setup.finish(draft, 'One two three four')

      expect(shownAt - floodAt).toBeGreaterThanOrEqual(retryAfter * 1000)
      expect(shownAt - floodAt).toBeLessThan(retryAfter * 1000 + 10_000)
      expect(setup.shown()).toEqual(['One', 'One two three'])
      expect(setup.textsIn()).toEqual(['One two three four'])
      expect(setup.lints().filter((rule) => rule !== 'draft-gap')).toEqual([])
    },
  )

  test('delays the message, which is whole and comes once', async () => {
    const setup = await createNativeDraftSetup()
    const draft = setup.begin()
    draft.grow('One')
    await setup.moveUntil(() => setup.playground.visibleDraft(ANNA)?.text === 'One')
    const flood = setup.playground.fault({ kind: '429', retryAfter: 60, method: RICH })
    draft.grow('One two')
    await setup.moveUntil(() => flood.hits === 1)
    const floodAt = setup.clock.now()

    await setup.finish(draft, 'One two three')

    expect(setup.clock.now() - floodAt).toBeGreaterThanOrEqual(60_000)
    expect(setup.textsIn()).toEqual(['One two three'])
    expect(setup.lints()).toEqual([])
  })
})
