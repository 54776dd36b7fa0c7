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
import { carelessCalls } from '../../../careless-calls.ts'
import { until } from '../../turns/ended.ts'

export const ANNA = 101
export const NOTE = '(may stand above)'

/** Drafts in chats of a Bot API server, on a clock that only the test moves. */
export interface DraftSetup {
  playground: Playground
  clock: ManualClock
  records: ShownReply[]
  logged(): string
  begin(options?: Partial<DraftOptions>): Draft
  moveUntil(look: () => unknown): Promise<void>
  /** Ends a reply with its whole text, for which the clock moves as far as it takes. */
  finish(draft: Draft, text: string): Promise<void>
  textsIn(chatId?: number): (string | undefined)[]
  lints(): string[]
}

export async function createDraftSetup(): Promise<DraftSetup> {
  const clock = createManualClock()
  const playground = createPlayground({ flood: 'real', clock })
  onTestFinished(() => playground.close())
  playground.addUser({ id: ANNA, firstName: 'Anna' })
  const { apiRoot } = await playground.listen()
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const api = createTelegramApi({ token: playground.token, apiRoot })
  const outbox = createOutbox({ api, clock, log })
  const records: ShownReply[] = []
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  return {
    playground,
    clock,
    records,
    logged: () => lines.join(''),
    begin,
    moveUntil,
    finish,
    textsIn,
    lints,
  }

  function begin(options: Partial<DraftOptions> = {}): Draft {
    records.length = 0
    return createDraft(
      {
        outbox,
        clock,
        richSupport: createRichSupport(clock),
        log,
        onSending: async () => undefined,
        onShown: async (shown) => void records.push(shown),
        signal: ending.signal,
      },
      {
        chatId: ANNA,
        threadId: 0,
        format: 'rich',
        maybeDoubleNote: NOTE,
        ...options,
      },
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
    // It is awaited below, which rejects then.
    finished.catch(() => {})
    await moveUntil(() => isOver)
    await finished
  }

  function textsIn(chatId = ANNA): (string | undefined)[] {
    const ofBot = playground.transcript(chatId).filter(({ from }) => from === 'bot')
    return ofBot.map(({ text, rich }) => rich?.markdown ?? text)
  }

  function lints(): string[] {
    return carelessCalls(playground).map(({ rule }) => rule)
  }
}
