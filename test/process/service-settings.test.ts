import { expect, test, vi } from 'vitest'
import { createServiceSettings } from '../../src/process/service-settings.ts'
import type { ReadServiceConfig } from '../../src/service/config/service-config.ts'
import {
  builtInServiceConfig,
  type ServiceConfig,
} from '../../src/service/config/service-config.ts'

const FIRST = builtInServiceConfig()
const NEXT: ServiceConfig = { ...FIRST, chat: { models: FIRST.chat.models.slice(0, 2) } }

test('a config that is read again counts from then on, and the service is notified of it', async () => {
  const { settings, sold, log } = open({ ok: true, config: NEXT })

  const reloaded = await settings.reload()

  expect(reloaded).toEqual({
    outcome: 'taken',
    models: 2,
    endpoints: 3,
  })
  expect(settings.current()).toBe(NEXT)
  expect(sold).toEqual([NEXT])
  expect(log.info).toHaveBeenCalledOnce()
})

test.each<[string, ReadServiceConfig, RegExp]>([
  [
    'a file that is wrong',
    { ok: false, problems: ['chat.models[0].id: a model id'] },
    /^chat\.models\[0\]\.id: /,
  ],
  [
    'another retention, which is read at the start',
    { ok: true, config: { ...NEXT, retention: { media_days: 1 } } },
    /^retention: .*start the process anew/,
  ],
])('%s changes nothing and is reported with its path', async (_, read, problem) => {
  const { settings, sold, log } = open(read)

  const reloaded = await settings.reload()

  expect(reloaded).toEqual({ outcome: 'refused', problems: [expect.stringMatching(problem)] })
  expect(settings.current()).toBe(FIRST)
  expect(sold).toEqual([])
  expect(log.error).toHaveBeenCalledWith(reloaded, expect.any(String))
})

function open(read: ReadServiceConfig | undefined) {
  const log = { info: vi.fn(), error: vi.fn() }
  const sold: ServiceConfig[] = []
  const settings = createServiceSettings({ first: FIRST, readAgain: read && (() => read), log })
  settings.serve((config) => sold.push(config))
  return { settings, sold, log }
}
