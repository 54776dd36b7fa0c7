import { expect, test } from 'vitest'
import { ANNA, type BotSetup } from '../../../bot-setup.ts'
import { ended, turns, until } from '../../turns/ended.ts'
import { refuseTurnChanges } from '../../turns/refusing-database.ts'
import { labels } from '../buttons.ts'
import { toAnswer, toPlain } from '../faults-setup.ts'
import { chooseDrafts, createDraftSetup } from './draft-setup.ts'

const INTERRUPTED = /\n\n\(I was restarted/

function draftText({ playground }: BotSetup): string | undefined {
  return playground.visibleDraft(ANNA)?.text
}

function untilRecorded(setup: BotSetup, shownText: string): Promise<void> {
  return until(async () => (await turns(setup))[0]?.shownText === shownText)
}

test('what a draft showed last before a crash stands in a message after it, once, with a Retry', async () => {
  const { setup, bot } = await createDraftSetup()
  setup.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta('Half')
  await setup.playground.waitFor(() => draftText(setup) === 'Half')
  completion.delta(' an answer')
  await setup.playground.waitFor(() => draftText(setup) === 'Half an answer')
  await untilRecorded(setup, 'Half an answer')
  await bot.kill()

  await setup.startBot()
  await ended(setup)

  const [text = '', ...others] = setup.textsIn(ANNA)
  expect(text).toMatch(INTERRUPTED)
  expect(text.replace(/\n\n\(I was .*$/, '')).toBe('Half an answer')
  expect(others).toEqual([])
  expect(labels(setup, ANNA)).toEqual([['Retry']])
  expect(draftText(setup)).toBeUndefined()
  expect(setup.playground.pendingDrafts()).toEqual([])
  expect(setup.service.completions).toHaveLength(1)
  expect(await turns(setup)).toMatchObject([
    {
      state: 'interrupted',
      messages: [{ content: '?' }, { content: 'Half an answer' }],
      charge: [{ estimated: true }],
    },
  ])
})

// Promise: A process dies, or loses its lease, right after its chat was shown more of an answer than is stored
test('what a first frame has shown stands in a message after a crash before its answer', async () => {
  const { setup, bot } = await createDraftSetup()
  const held = setup.playground.fault({ kind: 'holdAfter', method: 'sendMessageDraft' })
  setup.playground.userSends({ userId: ANNA, text: '?' })
  const first = await setup.service.next()
  first.delta('Half an answer')
  await setup.playground.waitFor(() => held.hits === 1)
  expect(draftText(setup)).toBe('Half an answer')
  await bot.kill()

  await setup.startBot()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual([
    expect.stringMatching(/^Half an answer\n\n\(I was restarted/),
  ])
  expect(labels(setup, ANNA)).toEqual([['Retry']])
  expect(setup.playground.pendingDrafts()).toEqual([])
})

// Promise: The database is away while an answer grows in a draft
test('a frame that cannot be recorded is not shown, and the next one is once it can', async () => {
  const { setup, bot } = await createDraftSetup()
  setup.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta('Half')
  await setup.playground.waitFor(() => draftText(setup) === 'Half')
  const takeRecords = await refuseTurnChanges(setup, { change: 'UPDATE OF shown_text' })
  bot.statements.clear()
  completion.delta(' an answer')
  await until(async () => bot.statements.kinds.filter((kind) => kind === 'update turn').length > 1)

  expect(draftText(setup)).toBe('Half')
  await takeRecords()
  await setup.playground.waitFor(() => draftText(setup) === 'Half an answer')
  completion.finish()
  await ended(setup)
})

test('after a crash the messages of a long reply stay, and its draft becomes the last one', async () => {
  const { setup, bot } = await createDraftSetup()
  const text = toAnswer(60).join('')
  setup.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta(text)
  await setup.playground.waitFor(() => draftText(setup)?.includes('n0059'))
  await untilRecorded(setup, text)
  const before = setup.textsIn(ANNA)
  await bot.kill()

  await setup.startBot()
  await ended(setup)

  const after = setup.textsIn(ANNA)
  expect(before).toHaveLength(1)
  expect(after).toHaveLength(2)
  expect(after[0]).toBe(before[0])
  expect(after[1]).toMatch(INTERRUPTED)
  const shown = after.join('').replace(/\n\n\(I was .*$/, '')
  expect(toPlain(shown)).toBe(toPlain(text))
  expect(setup.playground.pendingDrafts()).toEqual([])
})

test('a message that was replacing a draft during a crash is sent again below a line that says so', async () => {
  const { setup, bot } = await createDraftSetup()
  const held = setup.playground.fault({ kind: 'holdAfter', method: 'sendMessage' })
  setup.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta('Hello')
  await setup.playground.waitFor(() => draftText(setup) === 'Hello')
  completion.answer(', world!')
  await setup.playground.waitFor(() => held.hits === 1)
  await bot.kill()

  await setup.startBot()
  await ended(setup)

  expect(setup.textsIn(ANNA)).toEqual([
    'Hello, world!',
    expect.stringMatching(/^\(The connection broke.*stand above\.\)\s+Hello, world!$/),
  ])
  expect(setup.playground.pendingDrafts()).toEqual([])
  expect(await turns(setup)).toMatchObject([
    { state: 'finished', sendingSince: null, charge: [{ estimated: false }] },
  ])
})

test('the button below a draft whose process has died leaves one message', async () => {
  const { setup, bot } = await createDraftSetup()
  setup.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await setup.service.next()
  completion.delta('Once upon')
  await setup.playground.waitFor(() => draftText(setup) === 'Once upon')
  await untilRecorded(setup, 'Once upon')
  await bot.kill()

  setup.playground.pressStop(ANNA)
  await setup.startBot()
  await ended(setup)

  const [text, ...others] = setup.textsIn(ANNA)
  expect(text).toMatch(/^Once upon\n\n\((Stopped|I was restarted)/)
  expect(others).toEqual([])
  expect(setup.playground.pendingDrafts()).toEqual([])
})

test.each([true, false])(
  'a reply that was shown is ended where it stands, after any choice since: drafts at first %s',
  async (usesDrafts) => {
    const { setup, bot } = await createDraftSetup({ usesDrafts })
    setup.playground.userSends({ userId: ANNA, text: '?' })
    const completion = await setup.service.next()
    completion.delta('Half an answer')
    await untilRecorded(setup, 'Half an answer')
    if (usesDrafts) await setup.playground.waitFor(() => draftText(setup) === 'Half an answer')
    const frames = setup.playground.draftFrames.length
    await bot.kill()
    await chooseDrafts(setup, !usesDrafts)

    await setup.startBot()
    await ended(setup)

    const shown = usesDrafts
      ? [expect.stringMatching(/^Half an answer\n\n\(I was restarted/)]
      : ['Half an answer', expect.stringMatching(/^\(I was restarted/)]
    expect(setup.textsIn(ANNA)).toEqual(shown)
    expect(setup.playground.draftFrames).toHaveLength(frames)
    expect(setup.playground.pendingDrafts()).toEqual([])
  },
)

test.each([true, false])(
  'a reply that was not shown yet grows as was chosen since: drafts at first %s',
  async (usesDrafts) => {
    const { setup, bot } = await createDraftSetup({ usesDrafts })
    setup.playground.userSends({ userId: ANNA, text: '?' })
    await setup.service.next()
    await bot.kill()
    await chooseDrafts(setup, !usesDrafts)

    await setup.startBot()
    const again = await setup.service.next()
    again.delta('Half')
    await setup.playground.waitFor(
      () => setup.textsIn(ANNA)[0] === 'Half' || draftText(setup) === 'Half',
    )
    again.answer(' and half.')
    await ended(setup)

    expect(setup.textsIn(ANNA)).toEqual(['Half and half.'])
    expect(setup.playground.draftFrames.length > 0).toBe(!usesDrafts)
    expect(setup.playground.pendingDrafts()).toEqual([])
  },
)
