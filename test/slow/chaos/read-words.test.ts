import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Playground } from '../../../src/playground/playground.ts'
import { type OpenCompletion, startChatService } from '../../bot/chat-service.ts'
import { type ChaosProcess, openChaosHouse } from './chaos-house.ts'
import { IS_LONG, REPEAT, SEED } from './length.ts'
import { createRandom } from './random.ts'

const LIVES = IS_LONG ? 20 : 1
const LIFE_MS_MAX = 4_000
const WAIT_MS = 45_000
const WORD_MS = 30
/** More than are written until another process has taken over. */
const WORDS = 1000
const LONG_WORDS = 10

const CHATS = [
  { id: 4001, kind: 'text' },
  { id: 4002, kind: 'table' },
  { id: 4003, kind: 'long' },
  { id: -4004, kind: 'table' },
] as const

const CUT_SHORT = `
  SELECT count(*)::int FROM bot.turn WHERE state = 'interrupted' AND ended_at IS NOT NULL`

/** What happens to a process, and how that ends. */
const LOSSES: Record<
  string,
  [begin: (lost: ChaosProcess) => unknown, end: (lost: ChaosProcess) => unknown]
> = {
  'is killed': [({ process }) => process.kill(), ({ restart }) => restart()],
  freezes: [({ process }) => process.freeze(), ({ process }) => process.thaw()],
  'is cut off from its database': [({ proxy }) => proxy.cut(), ({ proxy }) => proxy.mend()],
}

test.each(
  Object.entries(LOSSES).flatMap(([name, loss]) => Array(LIVES).fill([name, loss] as const)),
)(
  'of an answer whose process %s no word that a chat showed is gone when another one takes the turn over, nor when it is back',
  { timeout: 3 * WAIT_MS },
  async (_, [begin, end]: (typeof LOSSES)[string]) => {
    const random = createRandom(`${SEED} read words`)
    const service = await startChatService()
    onTestFinished(service.close)
    service.onCompletion((completion) => void writeWords(completion))
    const baseUrl = `http://127.0.0.1:${service.port}/api/v1`
    const house = await openChaosHouse({ remote: { SERVICE_URL: baseUrl, SERVICE_API_KEY: 'key' } })
    const { playground } = house.telegram
    const lines = ({ process }: ChaosProcess) => process.lines.join('\n')
    await expect
      .poll(() => house.processes.filter((each) => lines(each).includes('stands by')))
      .toHaveLength(1)
    const lost = house.processes.find((each) => !lines(each).includes('stands by'))
    if (lost === undefined) throw new Error('Cannot begin: no process is active')
    const read = watchWords(playground)
    askAll(playground)
    await playground.waitFor(() => CHATS.every(({ id }) => (read.get(id)?.size ?? 0) > 0))
    await delay(random.integer(0, LIFE_MS_MAX))

    await begin(lost)
    const cutShort = async () => (await house.pool.query(CUT_SHORT)).rows[0]?.count
    await expect.poll(cutShort, { timeout: WAIT_MS }).toBe(CHATS.length)
    const left = CHATS.map(({ id }) => answersIn(playground, id))
    await end(lost)
    await expect
      .poll(() => house.logged('"msg":"ready"').length, { timeout: WAIT_MS })
      .toBe(house.processes.length + 1)

    for (const [index, { id, kind }] of CHATS.entries()) {
      const words = read.get(id) ?? new Set()
      process.stdout.write(`${kind} in ${id}: ${words.size} words read\n`)
      const answers = answersIn(playground, id)
      expect(answers, REPEAT).toEqual(left[index])
      expect(answers.filter(({ buttons }) => buttons.includes('"retry:'))).toHaveLength(1)
      const shown = wordsOf(answers.map(({ text }) => text))
      expect(
        [...words].filter((word) => !shown.has(word)),
        REPEAT,
      ).toEqual([])
    }
    expect(service.completions).toHaveLength(CHATS.length)
    expect(await house.stop()).toEqual([0, 0])
  },
)

function askAll(playground: Playground): void {
  for (const { id, kind } of CHATS) {
    const userId = Math.abs(id)
    playground.addUser({ id: userId, firstName: `User ${userId}`, languageCode: 'en' })
    if (id < 0) playground.addGroup({ id, title: 'Friends', members: [userId] })
    const address = id < 0 ? `@${playground.me.username} ` : ''
    playground.userSends({ userId, chatId: id, text: `${address}Write a ${kind}` })
  }
}

async function writeWords(completion: OpenCompletion): Promise<void> {
  const [, kind] = /Write a (text|table|long)/.exec(completion.prompt) ?? []
  if (kind === 'table') completion.delta('| word | next |\n| --- | --- |\n')
  for (let number = 1; number <= WORDS && completion.isOpen(); number += 1) {
    if (kind === 'table') completion.delta(`| w${number} | . |\n`)
    else if (kind === 'text') completion.delta(number % 5 === 0 ? `**w${number}** ` : `w${number} `)
    else {
      const words = Array.from({ length: LONG_WORDS }, (_, index) => `w${number}p${index}`)
      completion.delta(`${words.join(' ')}\n\n`)
    }
    await delay(WORD_MS)
  }
}

/** Keeps every word that the chats show at any time. */
function watchWords(playground: Playground): ReadonlyMap<number, ReadonlySet<string>> {
  const read = new Map<number, Set<string>>(CHATS.map(({ id }) => [id, new Set()]))
  const look = () => {
    for (const [chat, words] of read) {
      for (const word of wordsOf(answersIn(playground, chat).map(({ text }) => text))) {
        words.add(word)
      }
    }
  }
  onTestFinished(playground.onChange(look))
  return read
}

function wordsOf(texts: readonly string[]): Set<string> {
  return new Set(texts.join('\n').match(/w\d+(p\d+)?/g))
}

function answersIn(playground: Playground, chat: number): { text: string; buttons: string }[] {
  const shown = playground.transcript(chat).filter(({ from }) => from === 'bot')
  return shown.map(({ text, rich, replyMarkup = {} }) => ({
    text: rich?.markdown ?? text ?? '',
    buttons: JSON.stringify(replyMarkup),
  }))
}
