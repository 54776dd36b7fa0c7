import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Playground } from '../../../../src/playground/playground.ts'
import { type OpenCompletion, startChatService } from '../../../bot/chat-service.ts'
import { openChaosHouse } from '../chaos-house.ts'
import { IS_LONG, REPEAT, SEED } from '../length.ts'
import { createRandom } from '../random.ts'
import { AT_REST } from './turns-report.ts'

const KILLS = IS_LONG ? 40 : 2
/** A kill comes so long after the questions; an answer takes about as long. */
const LIFE_MS_MAX = 5_000
const KILL_TIMEOUT_MS = 60_000
const WORDS = 120
const WORD_MS = 30

/** One chat for each way in which an answer grows; by its words a model says which. */
const CHATS = [
  { id: 4001, kind: 'plain', usesDrafts: false },
  { id: 4002, kind: 'table', usesDrafts: false },
  { id: 4003, kind: 'plain', usesDrafts: true },
  { id: 4004, kind: 'table', usesDrafts: true },
] as const

const ADD_USER = `INSERT INTO bot."user" (id, first_name, language_code, uses_drafts)
  VALUES ($1, 'User', 'en', $2)`

// Promise: A process dies right after its chat was shown more of an answer than is stored
test(`kill -9 of the bot at ${KILLS} random moments, answers in messages and drafts, as texts and tables: no word that a chat showed is gone after the restart`, {
  timeout: KILLS * KILL_TIMEOUT_MS,
}, async () => {
  const random = createRandom(`${SEED} read words`)
  const service = await startChatService()
  onTestFinished(service.close)
  service.onCompletion((completion) => void writeWords(completion))
  const remote = {
    SERVICE_URL: `http://127.0.0.1:${service.port}/api/v1`,
    SERVICE_API_KEY: 'key',
  }
  const house = await openChaosHouse({ bots: 1, remote })
  const { telegram, pool } = house
  for (const { id, usesDrafts } of CHATS) await pool.query(ADD_USER, [id, usesDrafts])
  const gone: string[] = []
  let read = 0
  let caught = 0

  for (let kill = 1; kill <= KILLS; kill += 1) {
    for (const { id, kind } of CHATS) {
      // The second one waits in a line, in which its answer begins.
      for (const number of [1, 2]) telegram.say(id, `${kind} k${kill}n${number}`)
    }
    // The random moment is what this test is about.
    await delay(random.integer(0, LIFE_MS_MAX))
    await house.processes[0]?.process.kill()
    const before = CHATS.map(({ id }) => wordsIn(telegram.playground, id))
    await house.processes[0]?.restart()
    await untilAtRest(pool, kill * CHATS.length * 2)
    for (const [index, { id, kind, usesDrafts }] of CHATS.entries()) {
      const after = wordsIn(telegram.playground, id)
      const lost = [...(before[index] ?? [])].filter((word) => !after.has(word))
      read += before[index]?.size ?? 0
      if (lost.length === 0) continue
      gone.push(`kill ${kill}, ${kind}, drafts ${usesDrafts}: ${lost.length} gone, ${lost.at(-1)}`)
    }
    caught = await countInterrupted(pool)
  }

  process.stdout.write(
    `${KILLS} kills, ${caught} answers cut short, ${read} words read before, ${gone.length} chats with fewer after\n`,
  )
  expect(gone, REPEAT).toEqual([])
  expect(await house.stop()).toEqual([0])
})

/** Writes words that no other question has, as its prompt asks for them. */
async function writeWords(completion: OpenCompletion): Promise<void> {
  const [kind, tag] = completion.prompt.split(' ')
  const isTable = kind === 'table'
  if (isTable) completion.delta('| word | next |\n| --- | --- |\n')
  for (let number = 1; number <= WORDS && completion.isOpen(); number += 1) {
    const word = `${tag}w${number}`
    completion.delta(isTable ? `| ${word} | . |\n` : `${word} `)
    await delay(WORD_MS)
  }
  if (completion.isOpen()) completion.finish()
}

/** Returns the words that a chat shows, in messages and in a draft. */
function wordsIn(playground: Playground, chat: number): Set<string> {
  const shown = playground.transcript(chat).filter(({ from }) => from === 'bot')
  const texts = shown.map(({ text, rich }) => rich?.markdown ?? text ?? '')
  const all = [...texts, playground.visibleDraft(chat)?.text ?? ''].join('\n')
  return new Set(all.match(/k\d+n\d+w\d+/g))
}

async function untilAtRest(pool: Pool, turns: number): Promise<void> {
  const look = async () => (await pool.query(AT_REST, [turns])).rows[0]?.isAtRest
  await expect.poll(look, { timeout: KILL_TIMEOUT_MS, interval: 200 }).toBe(true)
}

async function countInterrupted(pool: Pool): Promise<number> {
  const { rows } = await pool.query(`SELECT FROM bot.turn WHERE state = 'interrupted'`)
  return rows.length
}
