import { expect, test } from 'vitest'
import { ANNA, type House } from '../../house.ts'
import { labels } from '../buttons.ts'
import { ended, turns, until } from '../ended.ts'
import { toAnswer, toPlain } from '../fault-stage.ts'
import { chooseDrafts, createDraftHouse } from './draft-house.ts'

const INTERRUPTED = /\n\n\(I was restarted/

function draftText({ playground }: House): string | undefined {
  return playground.visibleDraft(ANNA)?.text
}

function untilNoted(house: House, shownText: string): Promise<void> {
  return until(async () => (await turns(house))[0]?.shownText === shownText)
}

test('what a draft showed last before a crash stands in a message after it, once, with a Retry', async () => {
  const { house, bot } = await createDraftHouse()
  house.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await house.service.next()
  completion.delta('Half')
  await house.playground.waitFor(() => draftText(house) === 'Half')
  completion.delta(' an answer')
  await house.playground.waitFor(() => draftText(house) === 'Half an answer')
  await untilNoted(house, 'Half an answer')
  bot.kill()

  await house.startBot()
  await ended(house)

  const [said = '', ...others] = house.said(ANNA)
  expect(said).toMatch(INTERRUPTED)
  expect(said.replace(/\n\n\(I was .*$/, '')).toBe('Half an answer')
  expect(others).toEqual([])
  expect(labels(house, ANNA)).toEqual([['Retry']])
  expect(draftText(house)).toBeUndefined()
  expect(house.playground.pendingDrafts()).toEqual([])
  expect(house.service.completions).toHaveLength(1)
  expect(await turns(house)).toMatchObject([
    {
      state: 'interrupted',
      messages: [{ content: '?' }, { content: 'Half an answer' }],
      charge: [{ estimated: true }],
    },
  ])
})

test('a draft of which nothing was noted before a crash grows anew', async () => {
  const { house, bot } = await createDraftHouse()
  const held = house.playground.fault({ kind: 'holdAfter', method: 'sendRichMessageDraft' })
  house.playground.userSends({ userId: ANNA, text: '?' })
  const first = await house.service.next()
  first.delta('Half an answer')
  await house.playground.waitFor(() => held.hits === 1)
  bot.kill()

  await house.startBot()
  const again = await house.service.next()
  again.delta('Another')
  await house.playground.waitFor(() => draftText(house) === 'Another')
  again.delta(' answer.')
  again.finish()
  await ended(house)

  expect(house.said(ANNA)).toEqual(['Another answer.'])
  expect(house.playground.pendingDrafts()).toEqual([])
  expect(await turns(house)).toMatchObject([{ state: 'finished', charge: [{ estimated: false }] }])
})

test('after a crash the messages of a long reply stay, and its draft becomes the last one', async () => {
  const { house, bot } = await createDraftHouse()
  const text = toAnswer(120).join('')
  house.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await house.service.next()
  completion.delta(text)
  await house.playground.waitFor(() => draftText(house)?.includes('n0119'))
  await untilNoted(house, text)
  const before = house.said(ANNA)
  bot.kill()

  await house.startBot()
  await ended(house)

  const after = house.said(ANNA)
  expect(before).toHaveLength(1)
  expect(after).toHaveLength(2)
  expect(after[0]).toBe(before[0])
  expect(after[1]).toMatch(INTERRUPTED)
  const shown = after.join('').replace(/\n\n\(I was .*$/, '')
  expect(toPlain(shown)).toBe(toPlain(text))
  expect(house.playground.pendingDrafts()).toEqual([])
})

test('a message that was taking the place of a draft during a crash is sent again below a note', async () => {
  const { house, bot } = await createDraftHouse()
  const held = house.playground.fault({ kind: 'holdAfter', method: 'sendRichMessage' })
  house.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await house.service.next()
  completion.delta('Hello')
  await house.playground.waitFor(() => draftText(house) === 'Hello')
  completion.delta(', world!')
  completion.finish()
  await house.playground.waitFor(() => held.hits === 1)
  bot.kill()

  await house.startBot()
  await ended(house)

  expect(house.said(ANNA)).toEqual([
    'Hello, world!',
    expect.stringMatching(/^\(The connection failed.*already\.\)\s+Hello, world!$/),
  ])
  expect(house.playground.pendingDrafts()).toEqual([])
  expect(await turns(house)).toMatchObject([
    { state: 'finished', sendingSince: null, charge: [{ estimated: false }] },
  ])
})

test('the button below a draft whose process has died leaves one message', async () => {
  const { house, bot } = await createDraftHouse()
  house.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await house.service.next()
  completion.delta('Once upon')
  await house.playground.waitFor(() => draftText(house) === 'Once upon')
  await untilNoted(house, 'Once upon')
  bot.kill()

  house.playground.pressStop(ANNA)
  await house.startBot()
  await ended(house)

  const [said, ...others] = house.said(ANNA)
  expect(said).toMatch(/^Once upon\n\n\((Stopped|I was restarted)/)
  expect(others).toEqual([])
  expect(house.playground.pendingDrafts()).toEqual([])
})

test.each([true, false])(
  'a reply that was shown is ended where it stands, whatever was chosen since: drafts at first %s',
  async (usesDrafts) => {
    const { house, bot } = await createDraftHouse({ usesDrafts })
    house.playground.userSends({ userId: ANNA, text: '?' })
    const completion = await house.service.next()
    completion.delta('Half an answer')
    await untilNoted(house, 'Half an answer')
    const frames = house.playground.draftFrames.length
    bot.kill()
    await chooseDrafts(house, !usesDrafts)

    await house.startBot()
    await ended(house)

    expect(house.said(ANNA)).toEqual([
      expect.stringMatching(/^Half an answer\n\n\(I was restarted/),
    ])
    expect(house.playground.draftFrames).toHaveLength(frames)
    expect(house.playground.pendingDrafts()).toEqual([])
  },
)

test.each([true, false])(
  'a reply that was not shown yet grows as was chosen since: drafts at first %s',
  async (usesDrafts) => {
    const { house, bot } = await createDraftHouse({ usesDrafts })
    house.playground.userSends({ userId: ANNA, text: '?' })
    await house.service.next()
    bot.kill()
    await chooseDrafts(house, !usesDrafts)

    await house.startBot()
    const again = await house.service.next()
    again.delta('Half')
    await house.playground.waitFor(
      () => house.said(ANNA)[0] === 'Half' || draftText(house) === 'Half',
    )
    again.delta(' and half.')
    again.finish()
    await ended(house)

    expect(house.said(ANNA)).toEqual(['Half and half.'])
    expect(house.playground.draftFrames.length > 0).toBe(!usesDrafts)
    expect(house.playground.pendingDrafts()).toEqual([])
  },
)
