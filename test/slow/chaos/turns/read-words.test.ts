import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Fault } from '../../../../src/playground/checks/faults.ts'
import type { Playground } from '../../../../src/playground/playground.ts'
import { type OpenCompletion, startChatService } from '../../../bot/chat-service.ts'
import { openChaosHouse } from '../chaos-house.ts'
import { IS_LONG, REPEAT, SEED } from '../length.ts'
import { createRandom } from '../random.ts'
import { AT_REST } from './turns-report.ts'

const KILLS = IS_LONG ? 40 : 1
/** A kill may come before the first word of a rendering. */
const ROUNDS_MAX = 2 * KILLS + 4
const ROUND_TIMEOUT_MS = 90_000
const LIFE_MS_MAX = 4_000
const DELTAS = 20
const DELTA_MS = 30
const LONG_WORDS = 10

interface Rendering {
  id: number
  kind: 'text' | 'table' | 'long'
  isGroup: boolean
  /** True if Telegram takes no formatting there: plain words are left. */
  isPlain?: boolean
  cuts: number
  before: number
  goneMax: number
}

function createRenderings(): Rendering[] {
  const figures = { cuts: 0, before: 0, goneMax: 0 }
  const kinds = ['text', 'table', 'long'] as const
  const chats = [
    ...kinds.map((kind) => ({ kind, isGroup: false })),
    { kind: 'text', isGroup: true } as const,
    { kind: 'table', isGroup: true } as const,
    { kind: 'text', isGroup: false, isPlain: true } as const,
  ]
  return chats.map((chat, index) => ({ id: 4001 + index, ...chat, ...figures }))
}

// Promise: A process dies, or loses its lease, right after its chat was shown more of an answer than is stored
test.each([
  { server: 'with rich messages', faults: [] },
  { server: 'without them, so that answers are texts with entities', faults: [{ kind: 'noRich' }] },
] as const satisfies { server: string; faults: Fault[] }[])(
  `kill -9 of the bot at random moments, ${KILLS} or more in mid-answer in each rendering: no word that a chat showed is gone after the restart (a Bot API server $server)`,
  { timeout: ROUNDS_MAX * ROUND_TIMEOUT_MS },
  async ({ server, faults }) => {
    const random = createRandom(`${SEED} read words`)
    const service = await startChatService()
    onTestFinished(service.close)
    let isKilled = false
    service.onCompletion((completion) => void writeWords(completion, () => !isKilled))
    const remote = {
      SERVICE_URL: `http://127.0.0.1:${service.port}/api/v1`,
      SERVICE_API_KEY: 'key',
    }
    const house = await openChaosHouse({ bots: 1, remote })
    const { pool } = house
    const { playground } = house.telegram
    const renderings = createRenderings()
    for (const fault of faults) playground.fault(fault)
    for (const fault of refuseFormatting(renderings)) playground.fault(fault)
    for (const { id } of renderings) {
      playground.addUser({ id, firstName: `User ${id}`, languageCode: 'en' })
    }
    const gone: string[] = []

    let round = 0
    while (renderings.some(({ cuts }) => cuts < KILLS)) {
      round += 1
      const missed = renderings.filter(({ cuts }) => cuts < KILLS).map(nameOf)
      expect(round, missed.join('; ')).toBeLessThanOrEqual(ROUNDS_MAX)
      isKilled = false
      const asked = renderings.map((rendering) =>
        ask(playground, rendering, { round, growing: random.integer(1, 2) }),
      )
      // A random moment of the rendering that was cut through least often.
      const rarest = renderings.reduce((one, other) => (other.cuts < one.cuts ? other : one))
      const watched = asked[renderings.indexOf(rarest)]
      await playground.waitFor(() => watched && readIn(playground, watched).size > 0)
      await delay(random.integer(0, LIFE_MS_MAX))
      await house.processes[0]?.process.kill()
      const before = asked.map((question) => readIn(playground, question))
      isKilled = true
      await house.processes[0]?.restart()
      await untilAtRest(pool, round * renderings.length * 2)

      for (const [index, rendering] of renderings.entries()) {
        const [question, read] = [asked[index], before[index]]
        if (question === undefined || read === undefined || read.size === 0) continue
        const after = readIn(playground, question)
        const lost = [...read].filter((word) => !after.has(word))
        rendering.cuts += 1
        rendering.before += read.size
        rendering.goneMax = Math.max(rendering.goneMax, lost.length)
        if (lost.length === 0) continue
        const which = `${lost.length} of ${read.size} words gone, ${lost[0]} to ${lost.at(-1)}`
        gone.push(`kill ${round}, ${nameOf(rendering)}: ${which}`)
      }
    }

    process.stdout.write(`${round} kills, a Bot API server ${server}\n`)
    for (const rendering of renderings) {
      const { cuts, before, goneMax } = rendering
      process.stdout.write(
        `${nameOf(rendering)}: ${cuts} answers cut through, ${before} words read before, at most ${goneMax} of them gone after\n`,
      )
    }
    expect(gone, REPEAT).toEqual([])
    expect(await house.stop()).toEqual([0])
  },
)

interface Question {
  chatId: number
  tag: string
}

/**
 * Asks two questions in a rendering's chat, one of whose answers grows until the kill: the first one, or the second
 * one, which begins in the line that says that it waits.
 */
function ask(
  playground: Playground,
  { id, kind, isGroup }: Rendering,
  { round, growing }: { round: number; growing: number },
): Question {
  // A group is a new one each time: it takes 20 calls a minute.
  const chatId = isGroup ? -(id * 1000 + round) : id
  if (isGroup) playground.addGroup({ id: chatId, title: 'Friends', members: [id] })
  const name = isGroup ? `@${playground.me.username} ` : ''
  for (const number of [1, 2]) {
    const length = number === growing ? 'growing' : 'short'
    const text = `${name}${length} ${kind} k${round}n${number}`
    playground.userSends({ userId: id, chatId, text })
  }
  return { chatId, tag: `k${round}n${growing}` }
}

function refuseFormatting(renderings: readonly Rendering[]): Fault[] {
  const ids = renderings.flatMap(({ id, isPlain }) => (isPlain ? [id] : []))
  const refusals = [
    ['rich_message', 'not enough rights to send the rich message to the chat'],
    ['entities', "can't parse entities"],
  ] as const
  return refusals.map(([field, description]) => ({
    kind: 'refuse',
    status: 400,
    description: `Bad Request: ${description}`,
    times: Number.POSITIVE_INFINITY,
    when: (params) => ids.includes(Number(params.chat_id)) && params[field] !== undefined,
  }))
}

async function writeWords(completion: OpenCompletion, mayGrow: () => boolean): Promise<void> {
  const [, length, kind, tag] =
    /(growing|short) (text|table|long) (k\d+n\d+)/.exec(completion.prompt) ?? []
  const isGrowing = () => length === 'growing' && mayGrow()
  if (kind === 'table') completion.delta('| word | next |\n| --- | --- |\n')
  for (let number = 1; completion.isOpen() && (number <= DELTAS || isGrowing()); number += 1) {
    const word = `${tag}w${number}`
    if (kind === 'table') completion.delta(`| ${word} | . |\n`)
    else if (kind === 'text') completion.delta(number % 5 === 0 ? `**${word}** ` : `${word} `)
    else {
      const words = Array.from({ length: LONG_WORDS }, (_, index) => `${word}p${index}`)
      completion.delta(`${words.join(' ')}\n\n`)
    }
    await delay(DELTA_MS)
  }
  if (completion.isOpen()) completion.finish()
}

function readIn(playground: Playground, { chatId, tag }: Question): Set<string> {
  const shown = playground.transcript(chatId).filter(({ from }) => from === 'bot')
  const texts = shown.map(({ text, rich }) => rich?.markdown ?? text ?? '')
  return new Set(texts.join('\n').match(new RegExp(`${tag}w\\d+(p\\d+)?`, 'g')))
}

function nameOf({ kind, isGroup, isPlain = false }: Rendering): string {
  const where = isGroup ? 'group' : 'private'
  return `${where}, ${kind}${isPlain ? ' without formatting' : ''}`
}

async function untilAtRest(pool: Pool, turns: number): Promise<void> {
  const look = async () => (await pool.query(AT_REST, [turns])).rows[0]?.isAtRest
  await expect.poll(look, { timeout: ROUND_TIMEOUT_MS, interval: 200 }).toBe(true)
}
