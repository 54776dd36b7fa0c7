import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  DONE,
  delta,
  event,
  finish,
  type Responder,
  sends,
  startOpenAiServer,
} from '../../service/providers/openai-server.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const USER = 501
const DONE_WITHIN = { timeout: 30_000 }
/** Roubles for a million tokens. */
const LARGE = { prompt: 220, completion: 880 }
const SMALL = { prompt: 15, completion: 60 }

const WORDS =
  `a house of stone stands by the river where Anna keeps forty books about money and its history; \
она спрашивает, сколько стоит копейка, and the answer is never quite the same, because prices change every day`.split(
    ' ',
  )

// Promise: The service counts tokens by another tokenizer than the estimate
test('after 40 messages a summary and the message after it cost what was predicted, as the service counts', {
  timeout: 240_000,
}, async () => {
  const { say, tapSummarize, charges } = await openHouse()
  for (let exchange = 1; exchange < 20; exchange += 1) await say(words(60), 160)

  const offer = await say(words(60), 1600)
  const predicted = readAmounts(offer ?? 'no offer')
  await say('And now?', 10)
  const [before] = (await charges()).slice(-1)
  await tapSummarize()
  const [summary] = (await charges()).slice(-1)
  await say('And now?', 10)
  const [later] = (await charges()).slice(-1)

  const measured = {
    before: resent(before),
    once: Number(summary?.amountMicroRub) / 1e6,
    after: resent(later),
  }
  console.table({
    'each message before its answer': { predicted: predicted[0], measured: measured.before },
    'the summary, once': { predicted: predicted[1], measured: measured.once },
    'each message after it': { predicted: predicted[2], measured: measured.after },
  })
  expect(before).toMatchObject({ kind: 'answer', item: 'large' })
  expect(summary).toMatchObject({ kind: 'summary', item: 'small', estimated: false })
  expect(isNear(predicted[0], measured.before)).toBe(true)
  expect(isNear(predicted[1], measured.once)).toBe(true)
  // How long the summary will be is not known: the prediction is rather too much.
  expect(predicted[2]).toBeGreaterThan(measured.after)
  expect(predicted[2]).toBeLessThan(measured.after * 2)
})

type Charge = Awaited<ReturnType<Awaited<ReturnType<typeof openHouse>>['charges']>>[number]

async function openHouse() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-'))
  const telegram = await openTelegram()
  const upstream = await startOpenAiServer(answerAsAsked)
  const url = await createTestDatabase()
  const { prisma, close } = openTestDatabase({ url })
  const configPath = join(dataDir, 'service.json')
  await writeFile(configPath, JSON.stringify(toConfig(upstream.baseUrl)))
  const kopeck = await startKopeck({
    ...telegram.env,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SERVICE_CONFIG: configPath,
    DEFAULT_MODEL: 'large',
    UPSTREAM_API_KEY: 'key',
  })
  onTestFinished(async () => {
    await kopeck.stop()
    await close()
    await telegram.close()
    await upstream[Symbol.asyncDispose]()
    await rm(dataDir, { recursive: true })
  })
  return { say, tapSummarize, charges }

  async function say(text: string, answerWords: number): Promise<string | undefined> {
    const before = await prisma.charge.count()
    const id = telegram.say(USER, `${text} [${answerWords}]`)
    await atRest(before + 1)
    const texts = telegram.answers(USER, id).map(({ rich, text }) => rich?.markdown ?? text ?? '')
    return texts.map((one) => /Each message here.*/.exec(one)?.[0]).find(Boolean)
  }

  async function tapSummarize(): Promise<void> {
    const before = await prisma.charge.count()
    for (const { id, replyMarkup } of telegram.playground.transcript(USER)) {
      const rows =
        replyMarkup && 'inline_keyboard' in replyMarkup ? replyMarkup.inline_keyboard : []
      for (const button of rows.flat()) {
        if (!button.text.startsWith('Summarize') || !('callback_data' in button)) continue
        const data = button.callback_data
        telegram.playground.presses({ userId: USER, chatId: USER, messageId: id, data })
      }
    }
    await atRest(before + 1)
  }

  async function atRest(chargeCount: number): Promise<void> {
    const isAtRest = async () =>
      (await prisma.charge.count()) === chargeCount &&
      (await prisma.update.count({ where: { handledAt: null } })) === 0
    await expect.poll(isAtRest, DONE_WITHIN).toBe(true)
  }

  function charges() {
    return prisma.charge.findMany({ orderBy: { id: 'asc' } })
  }
}

/** A question says how many words the answer has; a summary has 300. */
const answerAsAsked: Responder = async (response, asked) => {
  const { messages } = asked.body as { messages: { content: string }[] }
  const wished = /\[(\d+)\]$/.exec(messages.at(-1)?.content ?? '')?.[1]
  const answer = words(Number(wished ?? 300))
  const counted = {
    prompt_tokens: messages.reduce((sum, { content }) => sum + 4 + countTokens(content), 3),
    completion_tokens: countTokens(answer),
  }
  const usage = event({ choices: [], usage: { ...counted, total_tokens: 0 } })
  await sends(delta(answer), finish(), usage, DONE)(response, asked)
}

/** Counts otherwise than the estimator: a word has a token for every seven letters, a sign has one. */
function countTokens(text: string): number {
  return (text.match(/\p{L}{1,7}|\p{N}{1,3}|[^\s\p{L}\p{N}]/gu) ?? []).length
}

function toConfig(baseUrl: string): object {
  const model = (id: string, { prompt, completion }: typeof LARGE) => ({
    id,
    family: 'A',
    context_tokens: 100_000,
    prompt_rub_per_1m: String(prompt),
    completion_rub_per_1m: String(completion),
    provider: { type: 'openai', base_url: baseUrl, api_key_env: 'UPSTREAM_API_KEY', model: id },
  })
  return { chat: { models: [model('large', LARGE), model('small', SMALL)] } }
}

function words(count: number): string {
  return Array.from({ length: count }, (_, index) => WORDS[index % WORDS.length]).join(' ')
}

function resent(charge: Charge | undefined): number {
  return (Number(charge?.historyTokens) * LARGE.prompt) / 1e6
}

function readAmounts(text: string): number[] {
  return [...text.matchAll(/₽(\d+\.\d+)/g)].map(([, amount]) => Number(amount))
}

/** Checks that a prediction is within a fifth of what was measured. */
function isNear(predicted: number | undefined, measured: number): boolean {
  return predicted !== undefined && Math.abs(predicted - measured) <= measured / 5
}
