import type { Logger } from 'pino'
import { ServiceError } from '../../client/errors.ts'
import type { ServiceClient } from '../../client/service-client.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import { type ModelMessage, readHistory } from '../conversation/history.ts'
import { errorFacts } from '../error-facts.ts'
import type { Clock } from '../telegram/clock.ts'
import { ChatUnreachableError } from '../telegram/errors.ts'
import type { Outbox } from '../telegram/outbox.ts'
import type { Texts } from '../texts.ts'
import { askInLine } from './ask-in-line.ts'
import { createDraft, type Draft } from './draft.ts'
import { INTERNAL_CODE, LENGTH_CODE, NOT_ASKED_CODE, toFinalText } from './final-text.ts'
import { keepTyping } from './keep-typing.ts'
import type { Models } from './models.ts'
import { type AnswerEnd, type Reading, readAnswer } from './read-answer.ts'
import { createRunningTurns } from './running-turns.ts'
import { toStandingText } from './standing-text.ts'
import { createTellAdmins } from './tell-admins.ts'
import { createTurnCost, mayBeCharged } from './turn-cost.ts'
import { createTurnLine, LeftLineError, type Ticket } from './turn-line.ts'
import { type Cost, createTurns, type Prompt, type Turn, type TurnEnd } from './turns.ts'

export interface RepliesDeps {
  prisma: PrismaClient
  service: Pick<ServiceClient, 'streamChat'>
  outbox: Outbox
  models: Models
  texts: Texts
  settings: {
    systemPrompt?: string | undefined
    maxTokens: number
    /** Told when the service answers nobody. */
    adminIds: ReadonlySet<number>
  }
  clock: Clock
  log: Logger
  /** Leaves the turns that wait in line to the next run. */
  stopping: AbortSignal
  /** Ends every turn at once; each is taken up again by the next run. */
  signal: AbortSignal
}

export interface Reply {
  /** Resolves when nothing of the turn is left to be done, be it only its exact cost. */
  settled: Promise<void>
}

/**
 * Answers messages: update → turn → line → completion → deltas → draft → messages.
 *
 * A message that is handled a second time finds its turn: one that showed nothing yet runs anew, one
 * that was cut short is ended with what was shown, and one that ended is shown whole.
 */
export function createReplies(deps: RepliesDeps) {
  const { prisma, service, outbox, models, texts, settings, clock, log } = deps
  const { stopping, signal } = deps
  const turns = createTurns(prisma)
  const running = createRunningTurns()
  const line = createTurnLine({ clock, signal: stopping })
  const cost = createTurnCost({ models, maxTokens: settings.maxTokens })
  const admins = createTellAdmins({ ...deps, adminIds: settings.adminIds })
  return { reply, stop: running.stop }

  /**
   * Resolves when the reply is shown, and with it the next turn of the place may begin.
   *
   * @throws The reason of the signal that ended it: the turn is to be taken up again.
   */
  async function reply(prompt: Prompt): Promise<Reply> {
    const turn = await turns.find(prompt)
    if (turn === undefined) {
      await models.ready()
      return run(await turns.begin(prompt, models.choose), prompt)
    }
    if (turn.state === 'streaming' && turn.shownText === '') return run(turn, prompt)
    await recover(turn, prompt)
    return { settled: Promise.resolve() }
  }

  async function run(turn: Turn, prompt: Prompt): Promise<Reply> {
    const leaving = new AbortController()
    const draft = draftOf(turn, prompt, AbortSignal.any([signal, leaving.signal]))
    const current = running.begin(turn)
    const ticket = line.join(turn.userId)
    let typing = keepTyping(turn, { outbox, clock })
    let isOver = false
    const events = askInLine({
      ticket,
      clock,
      lineSize: line.size,
      ask: () => completionOf(turn),
      onWaiting: () => log.info({ turnId: turn.id.toString() }, 'turn waits in line'),
      onStanding: (standing) => {
        typing.end()
        const { languageCode } = prompt.user
        if (!isOver) draft.announce(toStandingText(standing, { texts, languageCode }))
      },
      onAsked: () => {
        typing.end()
        if (!isOver) typing = keepTyping(turn, { outbox, clock })
      },
    })
    const reading = readAnswer(events, (text) => {
      if (isOver || text.trim() === '') return
      typing.end()
      draft.grow(text)
    })
    const stopped = current.stopped.then(() => 'stopped' as const)
    const end = await Promise.race([reading.ended, stopped])
    isOver = true
    typing.end()
    current.end()
    if (isPutOff(end)) leaving.abort(stopping.reason)
    if (signal.aborted || leaving.signal.aborted) await draft.rest()
    signal.throwIfAborted()
    leaving.signal.throwIfAborted()
    if (end === 'stopped') return endStopped(turn, { prompt, draft, reading, ticket })
    const ended = await turns.finish(turn, await toTurnEnd(turn, end, reading.text()))
    await show(ended, { prompt, draft })
    return { settled: Promise.resolve() }
  }

  /** Whether the process stops before the service was asked. */
  function isPutOff(end: AnswerEnd | 'stopped'): boolean {
    return stopping.aborted && end !== 'stopped' && errorOf(end) === stopping.reason
  }

  /** Read when its turn has come: whole histories of a long line would fill the memory. */
  async function* completionOf(turn: Turn) {
    const { model } = turn
    const request = { model, messages: await historyOf(turn), maxTokens: settings.maxTokens }
    yield* service.streamChat(request, { signal, retryRateLimited: false })
  }

  function historyOf({ id: turnId, conversationId }: Turn): Promise<ModelMessage[]> {
    const { systemPrompt } = settings
    return readHistory(prisma, { conversationId, turnId, systemPrompt })
  }

  /** Ends the reply at once. The stream goes on unseen: cut off, it would cost the whole estimate. */
  async function endStopped(
    turn: Turn,
    {
      prompt,
      draft,
      reading,
      ticket,
    }: { prompt: Prompt; draft: Draft; reading: Reading; ticket: Ticket },
  ): Promise<Reply> {
    const errorCode = ticket.leave() ? NOT_ASKED_CODE : undefined
    const ended = await turns.finish(turn, { state: 'stopped', errorCode, text: reading.text() })
    const settled = chargeStopped(ended, reading.ended)
    // Whoever awaits it hears of it; until then it must not count as unheard.
    settled.catch(() => {})
    await show(ended, { prompt, draft })
    return { settled }
  }

  async function chargeStopped(turn: Turn, ended: Promise<AnswerEnd>): Promise<void> {
    const end = await ended
    signal.throwIfAborted()
    if (errorOf(end) instanceof LeftLineError) return
    const { cost } = await toTurnEnd(turn, end, '')
    if (cost !== undefined) await turns.charge(turn, cost)
  }

  /** What an answer's end is to its turn. */
  async function toTurnEnd(turn: Turn, end: AnswerEnd, text: string): Promise<TurnEnd> {
    admins.hear(errorOf(end))
    if (end.type === 'finish') {
      return {
        state: 'finished',
        text,
        cost: cost.told(end, turn.model) ?? (await estimateOf(turn)),
        ...(end.finishReason === 'length' && { errorCode: LENGTH_CODE }),
      }
    }
    const { error } = end
    const errorCode = error instanceof ServiceError ? error.code : INTERNAL_CODE
    log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'turn failed')
    const isCharged = mayBeCharged(error)
    return { state: 'failed', text, errorCode, ...(isCharged && { cost: await estimateOf(turn) }) }
  }

  async function estimateOf(turn: Turn): Promise<Cost> {
    return cost.estimate(turn.model, await historyOf(turn))
  }

  /** Takes up a turn of an earlier run. */
  async function recover(turn: Turn, prompt: Prompt): Promise<void> {
    const draft = draftOf(turn, prompt)
    if (turn.state === 'streaming') {
      const interrupted = { state: 'interrupted', text: turn.shownText } as const
      const ended = await turns.finish(turn, { ...interrupted, cost: await estimateOf(turn) })
      return show(ended, { prompt, draft })
    }
    const wasAsked = turn.errorCode !== NOT_ASKED_CODE
    if (turn.state === 'stopped' && wasAsked && turn.charge === undefined) {
      await turns.charge(turn, await estimateOf(turn))
    }
    if (turn.endedAt === null) await show(turn, { prompt, draft })
  }

  /** Has all of an ended turn stand in the chat. */
  async function show(
    turn: Turn,
    { prompt, draft }: { prompt: Prompt; draft: Draft },
  ): Promise<void> {
    const { languageCode } = prompt.user
    try {
      await draft.finish(toFinalText(turn, { texts, languageCode }))
    } catch (error) {
      if (!(error instanceof ChatUnreachableError)) throw error
      log.info({ ...errorFacts(error), turnId: turn.id.toString() }, 'reply not wanted any more')
    }
    await turns.close(turn.id)
  }

  function draftOf(turn: Turn, { user }: Prompt, ending = signal): Draft {
    return createDraft(
      {
        outbox,
        clock,
        signal: ending,
        onShown: (shown) =>
          turns.recordShown(turn.id, shown).catch((error: unknown) => {
            // The chat is ahead of the database; the next note brings it up.
            log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'reply not noted')
          }),
      },
      {
        chatId: turn.chatId,
        threadId: turn.threadId,
        messageIds: turn.messageIds,
        maybeDoubleNote: texts.t(user.languageCode, 'reply-maybe-double'),
      },
    )
  }
}

function errorOf(end: AnswerEnd): unknown {
  return end.type === 'failed' ? end.error : undefined
}

export type Replies = ReturnType<typeof createReplies>
