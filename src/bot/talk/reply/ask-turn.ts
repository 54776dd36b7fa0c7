import type { Logger } from 'pino'
import type { CompletionEvent } from '../../../contract/client/completion-stream.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Texts } from '../../locales/texts.ts'
import { type QueuePosition, waitText } from '../../queue/queue-position.ts'
import type { ServiceQueue } from '../../queue/service-queue.ts'
import { isBlank } from '../../rich-text/parse/characters.ts'
import type { Outbox } from '../../telegram/send.ts'
import type { Turn } from '../turns/turn.ts'
import { askInQueue } from './ask-in-queue.ts'
import type { Draft } from './draft/draft.ts'
import { createThinkingNotice } from './draft/thinking-notice.ts'
import type { StoppableTurns } from './stoppable-turns.ts'
import type { AsBegun, RequestSize, TurnRequest } from './turn-request.ts'
import type { WaitingReservations } from './waiting-reservations.ts'

/** The way in which the reading of an answer ended. */
export type AnswerEnd =
  | Extract<CompletionEvent, { type: 'finish' }>
  | { type: 'failed'; error: unknown }

/** An answer on its way into the draft of its turn. */
export interface OpenAnswer {
  over: Promise<AnswerEnd | 'stopped'>
  /** Resolves when nothing more comes, also after a stop: it goes on unseen. Never rejects. */
  ended: Promise<AnswerEnd>
  soFar(): { text: string; size: RequestSize | undefined }
  /** Takes a turn that waits out of the queue. @returns Whether it was not asked. */
  leave(): boolean
}

export interface AskTurnDeps {
  queue: ServiceQueue
  buildRequest: (turn: Turn, asBegun?: AsBegun) => Promise<TurnRequest>
  onRefused: (turn: Turn) => Promise<void>
  stream: (request: TurnRequest['request']) => AsyncIterable<CompletionEvent>
  stoppable: Pick<StoppableTurns, 'begin'>
  outbox: Pick<Outbox, 'keepTyping'>
  texts: Texts
  clock: Clock
  log: Logger
}

interface AskOptions {
  reservations: WaitingReservations
  asBegun: AsBegun | undefined
}

/** Has turns ask the service for their answers. */
export function createAskTurn({
  queue,
  buildRequest,
  onRefused,
  stream,
  stoppable,
  outbox,
  texts,
  clock,
  log,
}: AskTurnDeps) {
  return askTurn

  function askTurn(
    turn: Turn,
    draft: Draft,
    { reservations, asBegun: begun }: AskOptions,
  ): OpenAnswer {
    const { stopped, end } = stoppable.begin(turn)
    let asBegun = begun
    const ticket = queue.join(turn, {
      sentAt: asBegun?.slotAt ?? undefined,
      onWaiting: () => {
        log.info({ turnId: turn.id.toString() }, 'turn waits in the queue')
        endReserving = reservations.begin(turn, ticket.leave)
      },
      onPosition: (position) => {
        isAnnounced = true
        typing.end()
        if (!isOver) draft.announce(queueNotice(position))
      },
    })
    let typing = outbox.keepTyping(turn)
    let isAnnounced = false
    let isOver = false
    const thinking = createThinkingNotice({
      clock,
      show: (seconds) => {
        typing.end()
        draft.announce(texts.t(turn.languageCode, 'reply-thinks', { seconds }))
      },
    })
    let endReserving = async () => {}
    let size: RequestSize | undefined
    const { ended, text } = readAnswer(
      askInQueue({ ticket, ask, onRefused: () => onRefused(turn), clock }),
      {
        onThought: () => {
          if (!isOver) thinking.thought()
        },
        onText: (whole) => {
          if (isOver) return
          typing.end()
          draft.grow(whole)
        },
      },
    )
    return {
      over: close(),
      ended,
      soFar: () => ({ text: text(), size }),
      leave: () => ticket.leave(),
    }

    /** Builds the request when its turn has come: whole histories of a long queue would fill the memory. */
    async function* ask(): AsyncGenerator<CompletionEvent, void> {
      if (isAnnounced) {
        typing.end()
        if (!isOver) typing = outbox.keepTyping(turn)
      }
      await endReserving()
      const built = await buildRequest(turn, asBegun)
      asBegun = undefined
      size = built.size
      yield* stream(built.request)
    }

    async function close(): Promise<AnswerEnd | 'stopped'> {
      const first = await Promise.race([ended, stopped.then(() => 'stopped' as const)])
      isOver = true
      typing.end()
      end()
      // A turn's reservation ends with it, so nothing may be reserved for it later.
      await endReserving()
      return first
    }

    function queueNotice({ position, waitMs }: QueuePosition): string {
      const { languageCode } = turn
      const wait = waitText(waitMs, (key, variables) => texts.t(languageCode, key, variables))
      return texts.t(languageCode, 'reply-queued', { position, wait })
    }
  }
}

export type AskTurn = ReturnType<typeof createAskTurn>

/**
 * Reads a completion as fast as it comes: nothing here waits for Telegram.
 *
 * @param onThought Called while the model thinks; it must not wait, nor may the next.
 * @param onText Called with the whole text after each delta, from its first word on.
 */
function readAnswer(
  events: AsyncIterable<CompletionEvent>,
  { onThought, onText }: { onThought: () => void; onText: (text: string) => void },
) {
  let text = ''
  let isAllBlank = true
  return {
    text: () => text,
    ended: read(),
  }

  /** Never rejects. */
  async function read(): Promise<AnswerEnd> {
    try {
      for await (const event of events) {
        if (event.type === 'finish') return event
        if (event.type === 'thought') {
          onThought()
          continue
        }
        // PostgreSQL's texts cannot hold a zero character, and a reader does not see it.
        const delta = event.text.replaceAll('\0', '')
        text += delta
        // A look at a text that was joined copies all of it: only the delta is looked at.
        if (isAllBlank) isAllBlank = isBlank(delta)
        if (!isAllBlank) onText(text)
      }
      throw new Error('Cannot read answer: it has no end')
    } catch (error) {
      return { type: 'failed', error }
    }
  }
}
