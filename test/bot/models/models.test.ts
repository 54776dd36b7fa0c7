import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createModels, type ModelList } from '../../../src/bot/models/models.ts'
import { ServiceUnavailableError } from '../../../src/contract/client/errors.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'

const LISTED = { models: async () => [{ id: 'alpha' }] }
const AWAY = {
  models: async () => {
    throw new ServiceUnavailableError('Cannot list models: the service was not reached')
  },
}
const ground = { clock: systemClock, log: pino({ level: 'silent' }) }

test('an epoch that begins while the service is away chooses from the models that the one before it knew', async () => {
  const list: ModelList = { models: [] }
  await createModels({ service: LISTED, list, ...ground }).ready()

  const next = createModels({ service: AWAY, list, ...ground })

  await next.ready()
  expect(next.choice()).toEqual({ offered: ['alpha'], otherwise: 'alpha' })
})

test('the first epoch of a process has no model to choose while the service is away', async () => {
  const first = createModels({ service: AWAY, ...ground })

  await expect(first.ready()).rejects.toThrow(ServiceUnavailableError)
})
