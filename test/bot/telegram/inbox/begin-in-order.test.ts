import { expect, test } from 'vitest'
import { createBeginInOrder } from '../../../../src/bot/telegram/inbox/begin-in-order.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'

test('of many that come at once two begin, and the next in their order as one has begun', async () => {
  const { clock, begun, end } = comeAtOnce(5)
  await clock.run(0)
  expect(begun).toEqual([0, 1])

  end(1)
  end(1)
  await clock.run(0)
  expect(begun).toEqual([0, 1, 2])
  end(0)
  end(2)
  await clock.run(0)

  expect(begun).toEqual([0, 1, 2, 3, 4])
})

function comeAtOnce(count: number) {
  const clock = createManualClock()
  const stopping = new AbortController()
  const beginInOrder = createBeginInOrder({ clock, signal: stopping.signal })
  const begun: number[] = []
  const onBegun = new Map<number, () => void>()
  for (let index = 0; index < count; index++) come(index)
  return { clock, begun, come, end: (index: number) => onBegun.get(index)?.(), stop }

  function come(index: number): void {
    void beginInOrder().then((endBeginning) => {
      begun.push(index)
      onBegun.set(index, endBeginning)
    })
  }

  function stop(): void {
    stopping.abort()
  }
}
