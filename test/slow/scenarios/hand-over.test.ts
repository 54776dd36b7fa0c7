import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { OpenCompletion } from '../../bot/chat-service.ts'
import { IS_LONG } from '../chaos/length.ts'
import { ANSWER_MICRO_RUB, openScenario } from './scenario.ts'

const RESTARTS = IS_LONG ? 20 : 2
const USERS = Array.from({ length: 20 }, (_, index) => 7001 + index)
const WORDS = Array.from({ length: 10 }, (_, index) => `word${index}`)
/** The pace of the model. An answer of a model takes some seconds. */
const WORD_MS = 200
/**
 * Between the first words of an answer and the next question, which waits for the rest. The long look asks no more than
 * one process may send to Telegram alone, so that its longest wait is that of a restart.
 */
const PAUSE_MS = IS_LONG ? 5_000 : 0
const SIGHT_MS = 60_000

// Promise: Processes behind a load balancer are stopped and started
test(`two bots are stopped and started one after the other, ${RESTARTS} times, while ${USERS.length} chats talk: each message is answered whole, once, in its order`, {
  timeout: 120_000 + RESTARTS * 60_000,
}, async () => {
  const scenario = await openScenario({ bots: 2 })
  const { playground, processes, model, say, shown, spent, end } = scenario
  model.onCompletion((completion) => void writeSlowly(completion))
  const talking = new AbortController()
  const waits: number[] = []
  const talks = USERS.map(talk)

  for (let restarts = 0; restarts < RESTARTS; restarts += 1) {
    const bot = processes[restarts % 2]
    const answered = waits.length + USERS.length
    await playground.waitFor(() => waits.length >= answered, { timeoutMs: SIGHT_MS })
    expect(await bot?.process.stop()).toBe(0)
    await bot?.restart()
  }
  talking.abort()
  const asked = await Promise.all(talks)
  for (const [index, questions] of asked.entries()) {
    const whole = questions.map(toAnswer)
    await expect.poll(() => shown(USERS[index] ?? 0), { timeout: SIGHT_MS }).toEqual(whole)
  }
  await end()

  const figures = `${waits.length} messages, longest wait ${Math.max(...waits)} ms`
  process.stdout.write(`${RESTARTS} restarts, ${figures}\n`)
  expect(model.completions.map(({ prompt }) => prompt).toSorted()).toEqual(asked.flat().toSorted())
  const charged = await Promise.all(USERS.map(spent))
  expect(charged).toEqual(asked.map(({ length }) => BigInt(length) * ANSWER_MICRO_RUB))

  async function talk(userId: number): Promise<string[]> {
    const questions: string[] = []
    while (!talking.signal.aborted) {
      const sentMs = performance.now()
      const question = `question ${questions.length + 1} of ${userId}`
      questions.push(question)
      say(userId, question)
      const isBegun = () => shown(userId).some((text) => text.startsWith(`To ${question}:`))
      await playground.waitFor(isBegun, { timeoutMs: SIGHT_MS })
      waits.push(Math.round(performance.now() - sentMs))
      await delay(PAUSE_MS)
    }
    return questions
  }
})

async function writeSlowly(completion: OpenCompletion): Promise<void> {
  completion.delta(`To ${completion.prompt}:`)
  for (const word of WORDS) {
    await delay(WORD_MS)
    completion.delta(` ${word}`)
  }
  completion.finish()
}

function toAnswer(question: string): string {
  return `To ${question}: ${WORDS.join(' ')}`
}
