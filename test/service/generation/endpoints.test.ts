import { expect, test } from 'vitest'
import { createEndpoints } from '../../../src/service/generation/endpoints.ts'

test('createEndpoints() offers what the config names, at its exact price and deadline', () => {
  const endpoints = createEndpoints({
    generation: {
      'sounds/soundgen-generate': {
        prices_rub: { soundgen: '70.000005' },
        deadline_minutes: 20,
        creation_seconds: 90,
        provider: { type: 'demo' },
      },
    },
    keys: new Map(),
  })

  expect(endpoints).toMatchObject([
    { path: 'sounds/soundgen-generate', deadlineMs: 1_200_000, creationMs: 90_000 },
  ])
  expect(endpoints[0]?.read({ prompt: 'birds' })).toMatchObject({ priceMicroRub: 70_000_005n })
})

test('createEndpoints() gives a task two minutes to begin and an hour to end where the config says nothing', () => {
  const video = { prices_rub: { 'vidgen-720p-5s': '40' }, provider: { type: 'demo' } } as const

  const endpoints = createEndpoints({
    generation: { 'videos/vidgen-generate': video },
    keys: new Map(),
  })

  expect(endpoints).toMatchObject([
    { path: 'videos/vidgen-generate', deadlineMs: 3_600_000, creationMs: 120_000 },
  ])
})
