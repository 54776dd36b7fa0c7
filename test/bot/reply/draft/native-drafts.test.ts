import { expect, test } from 'vitest'
import { ANNA, createHouse, type House } from '../../house.ts'
import { ended, turns, until } from '../ended.ts'

async function createDraftHouse(): Promise<House> {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: '/drafts on' })
  await house.playground.waitFor(() => house.said(ANNA).length === 1)
  return house
}

function lints({ playground }: House): string[] {
  return playground.lints.map(({ rule }) => rule)
}

test('a reply grows in a draft and becomes one message', async () => {
  const house = await createDraftHouse()
  const { playground } = house
  playground.userSends({ userId: ANNA, text: '?' })
  const completion = await house.service.next()
  completion.delta('One **two')
  await playground.waitFor(() => playground.visibleDraft(ANNA)?.text === 'One two')
  completion.delta(' three**')
  await playground.waitFor(() => playground.visibleDraft(ANNA)?.text === 'One two three')
  expect(house.said(ANNA)).toHaveLength(1)
  completion.delta(' four.')
  completion.finish()
  await ended(house)

  expect(house.said(ANNA).slice(1)).toEqual(['One **two three** four.'])
  expect(playground.visibleDraft(ANNA)).toBeUndefined()
  expect(playground.pendingDrafts()).toEqual([])
  expect(lints(house)).toEqual([])
})

test('the button below a draft stops the reply, which stays as a message', async () => {
  const house = await createDraftHouse()
  const { playground } = house
  playground.userSends({ userId: ANNA, text: '?' })
  const completion = await house.service.next()
  completion.delta('Once upon')
  await playground.waitFor(() => playground.visibleDraft(ANNA)?.text === 'Once upon')

  playground.pressStop(ANNA)
  await playground.waitFor(() => house.said(ANNA).length === 2)
  completion.finish()
  await ended(house)

  expect(house.said(ANNA)[1]).toBe('Once upon\n\n(Stopped.)')
  expect(lints(house)).toEqual([])
})

test('what a draft showed before a crash stands in a message after it', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: '/drafts on' })
  await house.playground.waitFor(() => house.said(ANNA).length === 1)
  house.playground.userSends({ userId: ANNA, text: '?' })
  const completion = await house.service.next()
  completion.delta('Half an answer')
  await until(async () => (await turns(house))[0]?.shownText === 'Half an answer')
  first.kill()

  await house.startBot()
  await ended(house)

  expect(house.said(ANNA)[1]).toMatch(/^Half an answer\n\n\(I was restarted/)
  expect(house.said(ANNA)).toHaveLength(2)
})
