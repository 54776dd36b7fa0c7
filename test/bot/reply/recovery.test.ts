import { expect, test } from 'vitest'
import { ANNA, createHouse, type House } from '../house.ts'
import { ended, turns, until } from './ended.ts'
import { standDown } from './standing-down.ts'

test('a message whose answer had not begun to show is answered after a crash', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  await house.service.next()
  first.kill()

  await house.startBot()
  const again = await house.service.next()
  again.delta('Hello!')
  again.finish()
  await ended(house)

  expect(house.said(ANNA)).toEqual(['Hello!'])
  expect(await turns(house)).toMatchObject([
    { state: 'finished', charge: [{ amountMicroRub: 500_000n, estimated: false }] },
  ])
})

test('a message that was being sent during a crash is sent again below a note, and never twice without one', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  // Telegram has taken the message, and its answer does not come back any more.
  const held = house.playground.fault({ kind: 'holdAfter', method: 'sendRichMessage' })
  const completion = await house.service.next()
  completion.delta('Hel')
  await house.playground.waitFor(() => held.hits === 1)
  first.kill()

  await house.startBot()
  const again = await house.service.next()
  again.delta('Hello!')
  again.finish()
  await ended(house)

  expect(house.said(ANNA)).toEqual([
    'Hel',
    expect.stringMatching(/^\(The connection failed.*already\.\)\s+Hello!$/),
  ])
  expect(await turns(house)).toMatchObject([{ state: 'finished', sendingSince: null }])
})

test('a message that was only stored is answered after a crash', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'one' })
  await house.service.next()
  house.playground.userSends({ userId: ANNA, text: 'two' })
  await untilStored(house, 2)
  first.kill()

  house.service.onCompletion((completion) => {
    completion.delta(`Answer to ${completion.prompt}`)
    completion.finish()
  })
  await house.startBot()
  await ended(house, 2)

  expect(house.said(ANNA)).toEqual(['Answer to one', 'Answer to two'])
})

test('an answer cut short by a crash is ended with what was shown, and told', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await house.service.next()
  completion.delta('Half an answer')
  await untilNoted(house, 'Half an answer')
  first.kill()

  await house.startBot()
  await ended(house)

  expect(house.said(ANNA)).toEqual([
    expect.stringMatching(/^Half an answer\n\n\(I was restarted.*about ₽0\.60\.$/),
  ])
  expect(house.service.completions).toHaveLength(1)
  expect(await turns(house)).toMatchObject([
    {
      state: 'interrupted',
      messages: [{ content: 'Hello?' }, { content: 'Half an answer' }],
      charge: [{ estimated: true }],
    },
  ])
})

test('an answer that had ended but was not shown whole is shown after a crash, and charged once', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await house.service.next()
  completion.delta('Begin')
  await untilNoted(house, 'Begin')
  const held = house.playground.fault({ kind: 'hold', method: 'editMessageText' })
  completion.delta('ning and end.')
  completion.finish()
  await until(async () => (await turns(house))[0]?.state === 'finished')
  await house.playground.waitFor(() => held.hits === 1)
  first.kill()

  await house.startBot()
  await ended(house)

  expect(house.said(ANNA)).toEqual(['Beginning and end.'])
  expect(await turns(house)).toMatchObject([
    { state: 'finished', charge: [{ amountMicroRub: 500_000n, estimated: false }] },
  ])
})

test('a failure that was not told is told after a crash', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  const held = house.playground.fault({ kind: 'hold', method: 'sendRichMessage' })
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await house.service.next()
  completion.refuse(402)
  await house.playground.waitFor(() => held.hits === 1)
  first.kill()

  await house.startBot()
  await ended(house)

  expect(house.said(ANNA)).toEqual([expect.stringMatching(/too little money.*Nothing was charged/)])
})

test('an update that comes a second time changes nothing', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  const message = house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await house.service.next()
  completion.delta('Hello!')
  completion.finish()
  await ended(house)
  first.kill()
  await house.database.prisma.update.create({
    data: { id: 1, payload: { update_id: 1, message: JSON.parse(JSON.stringify(message)) } },
  })
  const callsBefore = edits(house).length

  await house.startBot()
  await ended(house)

  expect(house.said(ANNA)).toEqual(['Hello!'])
  expect(edits(house)).toHaveLength(callsBefore)
  expect(house.service.completions).toHaveLength(1)
  expect((await turns(house))[0]?.charge).toHaveLength(1)
})

test('stop() lets an answer finish', async () => {
  const house = await createHouse()
  const bot = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await house.service.next()
  completion.delta('Hello')

  const stopping = bot.stop(10_000)
  completion.delta(', world!')
  completion.finish()
  await stopping

  expect(house.said(ANNA)).toEqual(['Hello, world!'])
  expect(await house.database.prisma.update.count({ where: { handledAt: null } })).toBe(0)
})

test('stop() begins no further turn: a waiting message is answered by the next run', async () => {
  const house = await createHouse()
  const bot = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'one' })
  const one = await house.service.next()
  house.playground.userSends({ userId: ANNA, text: 'two' })
  await untilStored(house, 2)

  const stopping = bot.stop(10_000)
  one.delta('One.')
  one.finish()
  await stopping
  expect(house.service.completions).toHaveLength(1)
  await house.startBot()
  const two = await house.service.next()
  two.delta('Two.')
  two.finish()
  await ended(house, 2)

  expect(house.said(ANNA)).toEqual(['One.', 'Two.'])
})

test('stop() aborts an answer that takes too long; the next run ends it', async () => {
  const house = await createHouse()
  const bot = await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await house.service.next()
  completion.delta('Endless')
  await untilNoted(house, 'Endless')

  await bot.stop(0)
  expect(await house.database.prisma.update.count({ where: { handledAt: null } })).toBe(1)
  await house.startBot()
  await ended(house)

  expect(house.said(ANNA)).toEqual([expect.stringMatching(/^Endless\n\n\(I was restarted/)])
})

test('an answer whose end the database did not take is noted once it does', async () => {
  const house = await createHouse()
  const bot = await house.startBot()
  const standUp = await standDown(house)
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await house.service.next()
  completion.delta('Hello!')
  completion.finish()
  await until(async () => bot.logged().includes('trying again'))

  await standUp()
  await ended(house)

  expect(house.said(ANNA)).toEqual(['Hello!'])
  expect(await turns(house)).toMatchObject([
    { state: 'finished', charge: [{ amountMicroRub: 500_000n, estimated: false }] },
  ])
})

test('stop() hears out a message that is being sent, so that it is not sent twice', async () => {
  const house = await createHouse()
  const bot = await house.startBot()
  const held = house.playground.fault({ kind: 'holdAfter', method: 'sendRichMessage' })
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await house.service.next()
  completion.delta('Half')
  await house.playground.waitFor(() => house.said(ANNA)[0] === 'Half')

  const stopping = bot.stop(0)
  held.release()
  await stopping
  await house.startBot()
  await ended(house)

  expect(house.said(ANNA)).toEqual([expect.stringMatching(/^Half\n\n\(I was restarted/)])
})

function edits({ playground }: House) {
  return playground.calls.filter(({ method }) => method === 'editMessageText')
}

function untilNoted(house: House, shownText: string): Promise<void> {
  return until(async () => (await turns(house))[0]?.shownText === shownText)
}

function untilStored({ database }: House, count: number): Promise<void> {
  return until(async () => (await database.prisma.update.count()) === count)
}
