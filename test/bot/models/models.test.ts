import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFresh } from '../../../src/bot/models/fresh.ts'
import { createModels, type ModelList } from '../../../src/bot/models/models.ts'
import { ServiceError } from '../../../src/contract/client/service-error.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'

const LISTED = { models: async () => [{ id: 'alpha' }] }
const AWAY = {
  models: async () => {
    throw new ServiceError('service_unavailable', 'Cannot list models: the service was not reached')
  },
}
const ground = { clock: systemClock, log: pino({ level: 'silent' }) }

const log = pino({ level: 'silent' })

test('an epoch that begins while the service is away chooses from the models that the one before it knew', async () => {
  const list: ModelList = { models: [] }
  await createModels({ service: LISTED, list, ...ground }).ready()

  const next = createModels({ service: AWAY, list, ...ground })

  await next.ready()
  expect(next.choice()).toEqual({ offered: ['alpha'], otherwise: 'alpha' })
})

test('the first epoch of a process has no model to choose while the service is away', async () => {
  const first = createModels({ service: AWAY, ...ground })

  await expect(first.ready()).rejects.toMatchObject({ code: 'service_unavailable' })
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
