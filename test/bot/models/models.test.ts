import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFresh, createModels } from '../../../src/bot/models.ts'
import { ServiceError } from '../../../src/contract/client/service-error.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'

const AWAY = {
  models: async () => {
    throw new ServiceError('service_unavailable', 'Cannot list models: the service was not reached')
  },
}
const log = pino({ level: 'silent' })

test('a bot that starts while the service is away has no model to choose', async () => {
  const models = createModels({ service: AWAY, clock: systemClock, log })

  await expect(models.ready()).rejects.toMatchObject({ code: 'service_unavailable' })
})

test('what has just changed is loaded again at once, also while it is being loaded', async () => {
  const loads: PromiseWithResolvers<void>[] = []
  const load = vi.fn(() => {
    const loading = Promise.withResolvers<void>()
    loads.push(loading)
    return loading.promise
  })
  const fresh = createFresh({ name: 'models', load, clock: systemClock, log })
  onTestFinished(fresh.stop)

  fresh.start()
  fresh.refresh()
  loads[0]?.resolve()
  await expect.poll(() => loads.length).toBe(2)
  loads[1]?.resolve()
  await new Promise(setImmediate)
  fresh.refresh()

  await expect.poll(() => loads.length).toBe(3)
})
