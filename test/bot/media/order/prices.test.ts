import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMediaPrices } from '../../../../src/bot/media/order/prices.ts'
import { ServiceUnavailableError } from '../../../../src/contract/client/errors.ts'
import { type Clock, systemClock } from '../../../../src/platform/time/clock.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'

const LABEL = 'vidgen-720p-5s'
const OTHER = 'vidgen-720p-10s'

test('a price is what the service tells, whatever else is known', async () => {
  const prices = start({
    told: new Map([[LABEL, 40n]]),
    configured: new Map([[LABEL, 50n]]),
    learnt: new Map([[LABEL, 60n]]),
  })

  await prices.ready()

  expect(prices.priceOf(LABEL)).toEqual({ microRub: 40n, estimated: false })
})

test('a service that tells its prices offers nothing else', async () => {
  const prices = start({ told: new Map([[LABEL, 40n]]), configured: new Map([[OTHER, 80n]]) })

  await prices.ready()

  expect(prices.isOffered(LABEL)).toBe(true)
  expect(prices.isOffered(OTHER)).toBe(false)
  expect(prices.priceOf(OTHER)).toBeUndefined()
})

test('without that it is what the operator tells, and only then what was learnt', async () => {
  const prices = start({
    told: undefined,
    configured: new Map([[LABEL, 50n]]),
    learnt: new Map([
      [LABEL, 60n],
      [OTHER, 90n],
    ]),
  })

  await prices.ready()

  expect(prices.list()).toEqual(
    new Map([
      [LABEL, { microRub: 50n, estimated: false }],
      [OTHER, { microRub: 90n, estimated: true }],
    ]),
  )
  expect(prices.priceOf('imagegen')).toBeUndefined()
  expect(prices.isOffered('imagegen')).toBe(true)
})

test('what is learnt meanwhile counts the next time', async () => {
  const learnt = new Map<string, bigint>()
  const prices = start({ told: undefined, learnt })
  await prices.ready()
  learnt.set(LABEL, 40n)

  await prices.ready()

  expect(prices.priceOf(LABEL)).toEqual({ microRub: 40n, estimated: true })
})

test('the service is asked before the first price is shown, and not again for each', async () => {
  const tell = vi.fn(async () => new Map([[LABEL, 40n]]))
  const prices = start({ tell })

  await prices.ready()
  await prices.ready()

  expect(tell).toHaveBeenCalledTimes(1)
})

test('where the service is away what is known without it counts, until it is back', async () => {
  let isAway = true
  const tell = async () => {
    if (isAway) throw new ServiceUnavailableError('Cannot list prices: it is away')
    return new Map([[LABEL, 40n]])
  }
  const prices = start({ tell, configured: new Map([[LABEL, 50n]]) })

  await prices.ready()
  const meanwhile = prices.priceOf(LABEL)?.microRub
  isAway = false
  await prices.ready()

  expect(meanwhile).toBe(50n)
  expect(prices.priceOf(LABEL)?.microRub).toBe(40n)
})

test('prices are asked for again every ten minutes', async () => {
  const clock = createManualClock()
  let told = new Map([[LABEL, 40n]])
  const prices = start({ tell: async () => told, clock })
  onTestFinished(prices.stop)
  prices.start()
  await clock.untilAsleep()

  told = new Map([[LABEL, 45n]])
  await clock.run(600_000)

  await clock.untilAsleep()
  expect(prices.priceOf(LABEL)?.microRub).toBe(45n)
})

type Told = ReadonlyMap<string, bigint> | undefined

function start({
  told,
  tell = async () => told,
  configured,
  learnt = new Map(),
  clock = systemClock,
}: {
  told?: Told
  tell?: () => Promise<Told>
  configured?: ReadonlyMap<string, bigint>
  learnt?: ReadonlyMap<string, bigint>
  clock?: Clock
}) {
  return createMediaPrices({
    service: { prices: tell },
    configuredMicroRub: configured,
    learnt: { read: async () => new Map(learnt) },
    clock,
    log: pino({ level: 'silent' }),
  })
}
