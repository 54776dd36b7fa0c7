import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import {
  ADMIN,
  ANNA,
  ANSWER_MICRO_RUB,
  BORIS,
  openScenario,
  SCENARIO_MS,
  wordsOf,
} from './scenario.ts'

/** Stands in everything that the user says and reads, and in her name. */
const WORD = 'marzipan'
const OLGA = 104

test('/forget during an answer leaves no word of its user, and every charge', {
  timeout: SCENARIO_MS,
}, async () => {
  const { playground, pool, model, say, see, press, spent, end } = await openScenario()
  playground.addUser({ id: OLGA, firstName: `Olga ${WORD}`, languageCode: 'en' })
  say(OLGA, `What is ${WORD}?`)
  const first = await model.next()
  first.answer(`${WORD} is sweet.`)
  await see(OLGA, `${WORD} is sweet.`)
  say(OLGA, `Tell of ${WORD}`)
  const second = await model.next()
  second.delta(`Once ${WORD}`)
  await see(OLGA, `Once ${WORD}`)
  say(OLGA, `More ${WORD}`)
  await see(OLGA, /^I’ll answer this after/)
  expect(await tablesWith(pool, WORD)).not.toEqual([])

  say(OLGA, '/forget')
  await press(OLGA, 'Delete')
  await see(OLGA, /\(Stopped\.\)$/)
  second.finish()
  await see(OLGA, /^Everything I kept about you is deleted/)
  await expect.poll(() => tablesWith(pool, WORD)).toEqual([])
  expect(await spent(OLGA)).toBe(2n * ANSWER_MICRO_RUB)
  say(OLGA, 'Who am I?')
  const third = await model.next()
  third.answer('A stranger.')
  await see(OLGA, 'A stranger.')
  await end()

  expect(wordsOf(third)).toEqual(['Who am I?'])
  expect(model.completions).toHaveLength(3)
  expect(await spent(OLGA)).toBe(3n * ANSWER_MICRO_RUB)
})

const LIMIT_MICRO_RUB = 100_000n

test('of two users at the last kopecks of the shared limit one is answered, the other reads why not, and the limit is not passed', {
  timeout: SCENARIO_MS,
}, async () => {
  const { model, say, see, shown, spent, end } = await openScenario({ bots: 2 })
  say(ADMIN, '/limit all 0.10 month')
  await see(ADMIN, /₽0\.10 a month/)

  say(ANNA, 'one')
  say(BORIS, 'two')
  const passed = await model.next()
  const [winner, loser] = passed.prompt === 'one' ? [ANNA, BORIS] : [BORIS, ANNA]
  await see(loser, /everybody’s shared limit of ₽0\.10 a month was left/)
  passed.delta('Yes.')
  passed.finish({ completionTokens: passed.request.max_tokens })
  await see(winner, 'Yes.')
  say(winner, 'three')
  await see(winner, /everybody’s shared limit of ₽0\.10 a month was left/)
  await end()

  expect(shown(loser)).toHaveLength(1)
  expect(model.completions).toHaveLength(1)
  expect(await spent(loser)).toBe(0n)
  expect(await spent(winner)).toBeGreaterThan((9n * LIMIT_MICRO_RUB) / 10n)
  expect(await spent(winner)).toBeLessThanOrEqual(LIMIT_MICRO_RUB)
})

/** Lists the tables of all programs that hold a word in any column. */
async function tablesWith(pool: Pool, word: string): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  )
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const sql = `SELECT FROM ${name} AS line WHERE line::text ILIKE $1 LIMIT 1`
      const { rowCount } = await pool.query(sql, [`%${word}%`])
      return rowCount === 1 ? [name] : []
    }),
  )
  return found.flat()
}
