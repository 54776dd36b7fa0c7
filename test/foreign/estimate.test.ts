import { expect, onTestFinished, test } from 'vitest'
import { setOwnLimits } from '../../src/service/ledger/own-limits.ts'
import { startTestService, upstreamConfig } from '../service/service-fixture.ts'
import type { Rendering } from './bill.ts'
import { DEFINED } from './corpus/defined.ts'
import type { Sample } from './corpus/parts.ts'
import { THOUGHT } from './corpus/thought.ts'
import { type Step, startStrictUpstream } from './strict-upstream.ts'

const MAX_TOKENS = 100
const THINKING_TOKENS = 4000
const PROMPT_PRICE = 150
const COMPLETION_PRICE = 600
/** How far a hold may be below what an honest upstream bills. */
const LEAST_RATIO = 0.75
/** A hold far above the bill refuses those who could pay. OpenAI renders definitions in half the tokens of the others. */
const MOST_RATIO = 3
/** What templates say around the tools, OpenAI's do not; a hold has room for it. */
const MOST_BESIDE = 200

async function holdAndBill(
  samples: readonly (Sample & Step)[],
  { rendering, thinkingTokens }: { rendering?: Rendering; thinkingTokens?: number } = {},
) {
  let step: Step = {}
  const upstream = await startStrictUpstream(() => step, rendering && { rendering })
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  const thinking = thinkingTokens === undefined ? {} : { thinking_tokens: thinkingTokens }
  const kopeck = await startTestService({ config: upstreamConfig(upstream.baseUrl, thinking) })
  onTestFinished(() => kopeck[Symbol.asyncDispose]())
  await setOwnLimits(kopeck.pool, kopeck.accountId, new Map([['chats/completions', 1000]]))
  const ids: string[] = []
  for (const { name, body, thought, text = 'Ok.' } of samples) {
    step = { ...(thought && { thought }), text }
    const response = await kopeck.call('/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'alpha', max_tokens: MAX_TOKENS, ...body }),
    })
    const { id, error } = Object(await response.json())
    expect([name, error]).toEqual([name, undefined])
    ids.push(id)
  }
  const { rows } = await kopeck.pool.query(
    `SELECT amount_micro_rub::text AS held, cost_micro_rub::text AS billed
     FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (request_id, place)
     JOIN service.hold USING (request_id) ORDER BY place`,
    [ids],
  )
  expect(upstream.refused).toEqual([])
  return samples.map(({ name }, index) => {
    const held = Number(rows[index]?.held)
    const billed = Number(rows[index]?.billed)
    return { name, held, billed, promptTokens: upstream.bills[index]?.promptTokens ?? 0 }
  })
}

function print(
  title: string,
  rows: readonly { name: string; held: number; billed: number }[],
): void {
  const lines = rows.map(
    ({ name, held, billed }) =>
      `${name.padEnd(28)} ${String(held).padStart(9)} ${String(billed).padStart(9)} ${(held / billed).toFixed(2)}`,
  )
  process.stdout.write(`\n${title}\n${lines.join('\n')}\n`)
}

// Promise: A client made for OpenAI gives a model tools, or a schema for its answer
test.each(['typescript', 'json'] as const)(
  'what is held for tools and schemas is near the bill of an upstream that renders them as %s',
  async (rendering) => {
    const rows = (await holdAndBill(DEFINED, { rendering })).map(
      ({ name, held, promptTokens }) => ({
        name,
        held: (held - MAX_TOKENS * COMPLETION_PRICE) / PROMPT_PRICE,
        billed: promptTokens,
      }),
    )

    print(`prompt tokens held and billed, definitions as ${rendering}`, rows)
    expect(rows).toHaveLength(30)
    for (const { name, held, billed } of rows) {
      expect(held / billed, name).toBeGreaterThan(LEAST_RATIO)
      expect(held, name).toBeLessThan(MOST_RATIO * billed + MOST_BESIDE)
    }
  },
)

// Promise: A model thinks before it answers
test('what is held for a model that thinks is not below its bill', async () => {
  const rows = await holdAndBill(THOUGHT, { thinkingTokens: THINKING_TOKENS })

  print('millionths of a rouble held and billed, with thoughts', rows)
  expect(rows).toHaveLength(10)
  for (const { name, held, billed } of rows) {
    expect(held / billed, name).toBeGreaterThan(LEAST_RATIO)
  }
})
