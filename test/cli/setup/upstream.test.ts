import { expect, test } from 'vitest'
import { askModels } from '../../../src/cli/setup/upstream.ts'
import type { ListedModel } from '../../../src/service/config/openai/list-models.ts'
import type { OpenAiSettings } from '../../../src/service/config/openai/settings.ts'
import { SHIPPED_USD_RATE } from '../../../src/service/config/openai/usd.ts'
import { createPerson } from './scripted-person.ts'

const SETTINGS: OpenAiSettings = {
  baseUrl: 'https://api.example.com/v1',
  apiKey: 'sk-one',
  models: undefined,
  prices: new Map(),
  usdRate: SHIPPED_USD_RATE,
}

const PRICED = listed('large', {
  prompt: 1_000_000n,
  completion: 2_000_000n,
})

test('a price that nobody knows is asked for until it is one, and may be free', async () => {
  const { chosen, shown } = await choose(['', '-1/2', '0.25/2', 'free'], [listed('a'), listed('b')])

  expect(shown).toContain('The price of a is unknown. Dollars per 1 million tokens')
  expect(chosen.models.map(({ config }) => [config.id, config.prompt_rub_per_1m])).toEqual([
    ['a', '20.475'],
    ['b', '0'],
  ])
  expect([...chosen.settings.prices.keys()]).toEqual(['a', 'b'])
})

test('Enter takes what a start chooses by itself, and anything else is named', async () => {
  const list = [PRICED, listed('small', PRICED.prices), listed('text-embedding')]

  expect((await choose([''], list)).chosen).toMatchObject({ isUsual: true })
  const { chosen } = await choose(['small, large'], list)
  expect(chosen).toMatchObject({ isUsual: false, settings: { models: ['small', 'large'] } })
})

async function choose(
  answers: readonly string[],
  models: readonly ListedModel[],
  more: Partial<OpenAiSettings> = {},
) {
  const person = createPerson(answers)
  const settings = { ...SETTINGS, ...more }
  const list = { ok: true, baseUrl: settings.baseUrl, models, book: undefined } as const
  const chosen = await askModels(person.conversation, settings, list)
  expect(person.left()).toEqual([])
  return { chosen, shown: person.shown() }
}

function listed(id: string, prices?: ListedModel['prices']): ListedModel {
  const isChat = !id.includes('embed')
  return { id, ownedBy: undefined, contextTokens: undefined, prices, isChat }
}
