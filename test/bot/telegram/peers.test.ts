import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createPeers } from '../../../src/bot/telegram/peers.ts'
import { createManualClock } from '../../manual-clock.ts'

const log = pino({ level: 'silent' })

test('peers are counted when somebody asks, at most every five seconds', async () => {
  const clock = createManualClock()
  const counts = [2, 3]
  const peers = createPeers({ count: async () => counts.shift() ?? 0, clock, log })

  expect(peers.count()).toBe(1)
  await Promise.resolve()
  expect([peers.count(), peers.count()]).toEqual([2, 2])
  clock.advance(5000)
  peers.count()
  await Promise.resolve()
  expect(peers.count()).toBe(3)
})

test('the last count stands while the database is away, and nobody is fewer than one', async () => {
  const clock = createManualClock()
  const answers = [4, new Error('away'), 0]
  const count = async () => {
    const answer = answers.shift()
    if (typeof answer === 'number') return answer
    throw answer
  }
  const peers = createPeers({ count, clock, log })
  const seen: number[] = []
  for (let round = 0; round < 3; round += 1) {
    peers.count()
    await new Promise((done) => setImmediate(done))
    seen.push(peers.count())
    clock.advance(5000)
  }

  expect(seen).toEqual([4, 4, 1])
})
