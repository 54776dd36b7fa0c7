import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import {
  createDraft,
  type Draft,
  type DraftOptions,
} from '../../../../../src/bot/talk/reply/draft/draft.ts'
import type { ShownReply } from '../../../../../src/bot/talk/turns/turn.ts'
import { createTelegramApi } from '../../../../../src/bot/telegram/api.ts'
import { createRichSupport } from '../../../../../src/bot/telegram/outbox/formatting.ts'
import { createOutbox } from '../../../../../src/bot/telegram/outbox/outbox.ts'
import { createPlayground, type Playground } from '../../../../../src/playground/playground.ts'
import { createManualClock, type ManualClock } from '../../../../platform/time/manual-clock.ts'
import { until } from '../../turns/ended.ts'

export const ANNA = 101
export const NOTE = '(may stand above)'

/** Drafts in chats of a Bot API server, on a clock that stands still until the test moves it. */
export interface NativeDraftSetup {
  playground: Playground
  clock: ManualClock
  /** What was noted of the last draft that began, oldest first. */
  notes: ShownReply[]
  logged(): string
  /** Begins a reply in Anna's chat that grows in a draft of Telegram's. */
  begin(options?: Partial<DraftOptions>): Draft
  /** Moves the clock from one sleep's end to the next until it is so. */
  moveUntil(look: () => unknown): Promise<void>
  /** Ends a reply with its whole text, for which the clock moves as far as it takes. */
  finish(draft: Draft, text: string): Promise<void>
  /** What the bot's messages in a chat say. */
  textsIn(chatId?: number): (string | undefined)[]
  /** What drafts have shown, oldest first. */
  shown(): string[]
  /** What a careful bot would not have done. */
  lints(): string[]
}

export async function createNativeDraftSetup(): Promise<NativeDraftSetup> {
  const clock = createManualClock()
  const playground = createPlayground({ flood: 'real', clock })
  onTestFinished(() => playground.close())
  playground.addUser({ id: ANNA, firstName: 'Anna' })
  const { apiRoot } = await playground.listen()
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const api = createTelegramApi({ token: playground.token, apiRoot })
  const outbox = createOutbox({ api, clock, log })
  const notes: ShownReply[] = []
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  return {
    playground,
    clock,
    notes,
    logged: () => lines.join(''),
    begin,
    moveUntil,
    finish,
    textsIn,
    shown,
    lints,
  }

  function begin(options: Partial<DraftOptions> = {}): Draft {
    notes.length = 0
    return createDraft(
      {
        outbox,
        clock,
        richSupport: createRichSupport(clock),
        log,
        onSending: async () => undefined,
        onShown: async (shown) => void notes.push(shown),
        signal: ending.signal,
      },
      { chatId: ANNA, threadId: 0, nativeDraftId: 7, maybeDoubleNote: NOTE, ...options },
    )
  }

  async function moveUntil(look: () => unknown): Promise<void> {
    await until(async () => {
      if (look()) return true
      const nextInMs = clock.nextInMs()
      clock.advance(Number.isFinite(nextInMs) ? nextInMs : 0)
      return false
    })
  }

  async function finish(draft: Draft, text: string): Promise<void> {
    let isOver = false
    const finished = draft.finish({ text }).finally(() => {
      isOver = true
    })
    // Whoever awaits it below hears of it.
    finished.catch(() => {})
    await moveUntil(() => isOver)
    await finished
  }

  function textsIn(chatId = ANNA): (string | undefined)[] {
    const ofBot = playground.transcript(chatId).filter(({ from }) => from === 'bot')
    return ofBot.map(({ text, rich }) => rich?.markdown ?? text)
  }

  function shown(): string[] {
    return playground.draftFrames.map(({ text }) => text)
  }

  function lints(): string[] {
    return playground.lints.map(({ rule }) => rule)
  }
}
