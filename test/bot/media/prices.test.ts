import { type Logger, pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createMediaPrices } from '../../../src/bot/media/prices.ts'
import { ServiceError } from '../../../src/contract/client/service-error.ts'
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

const LABEL = 'vidgen-720p-5s'
const OTHER = 'vidgen-720p-10s'

test('a price is the one that the service serves, if it serves any', async () => {
  const prices = start({
    served: new Map([[LABEL, 40n]]),
    configured: new Map([[LABEL, 50n]]),
  })

  await prices.ready()

  expect(prices.priceOf(LABEL)).toBe(40n)
})

test('a service that serves prices offers nothing else', async () => {
  const prices = start({ served: new Map([[LABEL, 40n]]), configured: new Map([[OTHER, 80n]]) })

  await prices.ready()

  expect(prices.isOffered(LABEL)).toBe(true)
  expect(prices.isOffered(OTHER)).toBe(false)
  expect(prices.priceOf(OTHER)).toBeUndefined()
})

test('the kinds are those of which any label is served; of a service that serves no prices all', async () => {
  const some = start({
    served: new Map([
      [LABEL, 40n],
      ['imagegen', 5n],
    ]),
  })
  const none = start({ served: new Map() })
  const unknown = start({ served: undefined })
  expect(some.kinds()).toBeUndefined()

  await Promise.all([some, none, unknown].map((prices) => prices.ready()))

  expect(some.kinds()).toEqual(['video', 'image'])
  expect(none.kinds()).toEqual([])
  expect(unknown.kinds()).toEqual(['video', 'image', 'sound'])
})

test('without that it is the price of the operator', async () => {
  const prices = start({ served: undefined, configured: new Map([[LABEL, 50n]]) })

  await prices.ready()

  expect(prices.list()).toEqual(new Map([[LABEL, 50n]]))
  expect(prices.priceOf('imagegen')).toBeUndefined()
  expect(prices.isOffered('imagegen')).toBe(true)
})

test('where the service is away what is known without it counts, until it is back', async () => {
  let isAway = true
  const serve = async () => {
    if (isAway) throw new ServiceError('service_unavailable', 'Cannot list prices: it is away')
    return new Map([[LABEL, 40n]])
  }
  const prices = start({ serve, configured: new Map([[LABEL, 50n]]) })

  await prices.ready()
  const meanwhile = prices.priceOf(LABEL)
  isAway = false
  await prices.ready()

  expect(meanwhile).toBe(50n)
  expect(prices.priceOf(LABEL)).toBe(40n)
})

test('prices are asked for again every ten minutes', async () => {
  const clock = createManualClock()
  let served = new Map([[LABEL, 40n]])
  const prices = start({ serve: async () => served, clock })
  onTestFinished(prices.stop)
  prices.start()
  await clock.untilAsleep()

  served = new Map([[LABEL, 45n]])
  await clock.run(600_000)

  await clock.untilAsleep()
  expect(prices.priceOf(LABEL)).toBe(45n)
})

type Served = ReadonlyMap<string, bigint> | undefined

function start({
  served,
  serve = async () => served,
  configured,
  log = pino({ level: 'silent' }),
  clock = systemClock,
}: {
  served?: Served
  serve?: () => Promise<Served>
  configured?: ReadonlyMap<string, bigint>
  log?: Logger
  clock?: Clock
}) {
  return createMediaPrices({
    service: { prices: serve },
    configuredMicroRub: configured,
    clock,
    log,
  })
}
