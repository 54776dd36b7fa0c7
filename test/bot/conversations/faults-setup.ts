import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import type { Fault, SetFault } from '../../../src/playground/checks/faults.ts'
import { createManualClock, type ManualClock } from '../../platform/time/manual-clock.ts'
import { type BotSetup, createBotSetup, type RunningBot } from '../bot-setup.ts'
import { type CarelessCall, type CarelessRule, carelessCalls } from '../careless-calls.ts'
import type { OpenCompletion } from '../chat-service.ts'

const FIRST_USER = 1001
const USERS_MAX = 200
const TICK_MS = 1
/** The longest step, so that what hangs on an instant is not far behind it. */
const STEP_MS = 5000

/** Stands in every prompt and every answer, and must stand in no log. */
const SECRET = 'classified'
const NOTE = createTexts().t('en', 'reply-maybe-double')

/** A turn as each answer of these tests leaves it. */
export const CHARGED_ONCE = {
  state: 'finished',
  charge: [{ amountMicroRub: 500_000n, estimated: false }],
} as const

const FORBIDDEN: readonly CarelessRule[] = ['call-during-ban', 'double-send', 'entity-detection-on']

/** A setup whose time passes by itself, some hundred times as fast as the machine's. */
export interface FaultsSetup {
  setup: BotSetup
  clock: ManualClock
  addUser(): number
  ask(userId: number): Promise<OpenCompletion>
  nextOf(userId: number): Promise<OpenCompletion>
}

export async function createFaultsSetup(): Promise<FaultsSetup> {
  const clock = createManualClock()
  const setup = await createBotSetup({ clock })
  // Every other chat has its answers in rich messages, the rest as text, which these need nothing else for.
  const chats = Array.from({ length: USERS_MAX }, (_, index) => ({ id: FIRST_USER + index }))
  await setup.database.prisma.chat.createMany({
    data: chats.map(({ id }) => ({ id, format: id % 2 === 0 ? ('rich' as const) : null })),
  })
  let users = FIRST_USER - 1
  const asked = new Map<number, Asked>()
  setup.service.onCompletion((completion) => {
    const { wanted, untaken } = askedBy(Number(completion.prompt.split(' ').at(-1)))
    const taker = wanted.shift()
    if (taker) taker(completion)
    else untaken.push(completion)
  })
  const ended = new AbortController()
  void flow(clock, ended.signal)
  onTestFinished(() => ended.abort())
  return { setup, clock, addUser, ask, nextOf }

  function addUser(): number {
    const id = ++users
    setup.playground.addUser({ id, firstName: `User ${id}`, languageCode: 'en' })
    return id
  }

  function ask(userId: number): Promise<OpenCompletion> {
    setup.playground.userSends({ userId, text: `A ${SECRET} question of ${userId}` })
    return nextOf(userId)
  }

  async function nextOf(userId: number): Promise<OpenCompletion> {
    const { wanted, untaken } = askedBy(userId)
    return untaken.shift() ?? new Promise((resolve) => wanted.push(resolve))
  }

  function askedBy(userId: number): Asked {
    const known = asked.get(userId) ?? { wanted: [], untaken: [] }
    asked.set(userId, known)
    return known
  }
}

interface Asked {
  wanted: ((completion: OpenCompletion) => void)[]
  untaken: OpenCompletion[]
}

async function flow(clock: ManualClock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(TICK_MS)
    clock.advance(Math.min(clock.nextInMs(), STEP_MS))
  }
}

/** The effect of a call on a chat; the playground hands faults only its parameters. */
export type Strike = 'send' | 'edit' | 'write'

/** Has the next calls of that kind to a chat go wrong. */
export function strike(
  { playground }: BotSetup,
  { chatId, at, fault, text }: { chatId: number; at: Strike; fault: Fault; text?: string },
): SetFault {
  return playground.fault({
    ...fault,
    when: (params) => {
      const body = params.text ?? params.rich_message
      if (params.chat_id !== String(chatId) || !body?.includes(text ?? '')) return false
      return at === 'write' || at === (params.message_id === undefined ? 'send' : 'edit')
    },
  })
}

/** An answer of numbered sentences, so that none can be missing or stand there twice unnoticed. */
export function toAnswer(sentences: number): string[] {
  return Array.from({ length: sentences }, (_, index) => {
    const number = String(index).padStart(4, '0')
    return `Sentence **n${number}** of a ${SECRET} answer, which has some words more than it needs. ${
      index % 4 === 3 ? '\n\n' : ''
    }`
  })
}

/** The parts of a reply that a chat shows. */
export interface Read {
  text: string
  explained: number
}

/**
 * Reads a chat as its user does: a message that says it may already stand above replaces
 * what stands above and begins with the same words. It may be the shorter of both: a message that
 * was growing holds what begins the next one later.
 */
export function read(texts: readonly (string | undefined)[]): Read {
  const kept: string[] = []
  let explained = 0
  for (const text of texts) {
    if (text === undefined) continue
    const isMarked = text.startsWith(NOTE)
    const own = toPlain(isMarked ? text.slice(NOTE.length) : text)
    if (isMarked) {
      explained++
      while (isSameBeginning(kept.at(-1), own)) kept.pop()
    }
    kept.push(own)
  }
  return { text: kept.join(''), explained }
}

function isSameBeginning(one: string | undefined, other: string): boolean {
  return one !== undefined && (one.startsWith(other) || other.startsWith(one))
}

/** Removes spaces and the signs of formatting, which stand there where no formatting could. */
export function toPlain(text: string): string {
  return text.replace(/[\s*]/g, '')
}

/** Expects what holds however Telegram fails. */
export function expectGoodManners(setup: BotSetup, bots: readonly RunningBot[]): void {
  const { calls } = setup.playground
  const careless = carelessCalls(setup.playground)
  expect(careless.filter((one) => FORBIDDEN.includes(one.rule) && !isExplained(one))).toEqual([])
  // Floods of its own making.
  expect(calls.filter(({ status, fault }) => status === 429 && fault === undefined)).toEqual([])
  for (const bot of bots) {
    expect(bot.logged()).not.toContain(SECRET)
    expect(bot.logged()).not.toContain(setup.playground.token)
  }

  function isExplained({ rule, call }: CarelessCall): boolean {
    const body = call.params.text ?? call.params.rich_message
    return rule === 'double-send' && body?.includes(NOTE) === true
  }
}
