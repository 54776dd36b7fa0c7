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

test('a price that no source has is asked for until it is one, and may be free', async () => {
  const answers = ['-1/2', 'a=-1/2', 'a=0.25/2,b=free', '']
  const { chosen, shown } = await choose(answers, [listed('a'), listed('b')])

  expect(shown).toContain("no price is known for a, b: OPENAI_PRICES='a=in/out' in dollars")
  expect(chosen?.models.map(({ config }) => [config.id, config.prompt_rub_per_1m])).toEqual([
    ['a', '20.475'],
    ['b', '0'],
  ])
  expect([...(chosen?.settings.prices.keys() ?? [])]).toEqual(['a', 'b'])
})

test('Enter takes the models of a start, ids take others, and an unlisted id is named', async () => {
  const list = [PRICED, listed('small', PRICED.prices), listed('text-embedding')]

  expect((await choose([''], list)).chosen).toMatchObject({ settings: { models: undefined } })
  const { chosen, shown } = await choose(['smal', 'small, large', ''], list)
  expect(shown).toContain('the upstream does not list smal; it has large, small, text-embedding')
  expect(chosen).toMatchObject({ settings: { models: ['small', 'large'] } })
  expect(await choose([''], [])).toMatchObject({ chosen: undefined })
})

async function choose(answers: readonly string[], models: readonly ListedModel[]) {
  const person = createPerson(answers)
  const list = { ok: true, baseUrl: SETTINGS.baseUrl, models } as const
  const chosen = await askModels(person.conversation, SETTINGS, { list, book: undefined })
  expect(person.left()).toEqual([])
  return { chosen, shown: person.shown() }
}

function listed(id: string, prices?: ListedModel['prices']): ListedModel {
  const isChat = !id.includes('embed')
  return { id, ownedBy: undefined, contextTokens: undefined, prices, isChat }
}
