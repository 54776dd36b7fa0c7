import { Composer } from 'grammy'
import { type BotContext, pressedMessageOf } from '../telegram/addressing.ts'
import { pressOrigin } from '../telegram/origin-key.ts'
import type { Outbox } from '../telegram/send.ts'
import type { NotifyPress } from '../telegram/shortcuts.ts'
import type { AnswerTurn } from './answer-message.ts'
import { DECISION_DATA, type Decision, ROW_DATA, type RowStep, STOP_DATA } from './keyboards.ts'
import type { Replies, StopOutcome } from './replies.ts'

const STOP_NOTICES: Readonly<Record<StopOutcome | 'begun', string | undefined>> = {
  // The message itself shows it.
  stopped: undefined,
  nothing: 'stop-nothing',
  not_yours: 'turn-not-yours',
  begun: 'take-back-begun',
}

const DECISION_NOTICES = {
  not_yours: 'turn-not-yours',
  gone: 'turn-gone',
  no_model: 'model-gone',
} as const

const ROW_NOTICES = { not_yours: 'turn-not-yours', gone: 'turn-gone', back: undefined } as const

/** Handles the buttons below replies: Stop, Retry, Again, and the choices of turns that wait for their user. */
export function createTurnButtons({
  replies,
  answerTurn,
  outbox,
  notify,
}: {
  replies: Replies
  answerTurn: AnswerTurn
  outbox: Pick<Outbox, 'editKeyboard'>
  notify: NotifyPress
}): Composer<BotContext> {
  const composer = new Composer<BotContext>()

  composer.callbackQuery(STOP_DATA, async (ctx) => {
    const [, kind, id = ''] = ctx.match
    const turnId = BigInt(id)
    const message = pressedMessageOf(ctx)
    if (message === undefined) return notify(ctx, 'turn-gone')
    const target = { chatId: message.chatId, turnId }
    const isTakenBack = kind === 'back'
    const actor = actorOf(ctx)
    const outcome = isTakenBack
      ? await replies.takeBack(target, actor)
      : await replies.stop(target, actor)
    const isGone = isTakenBack && outcome === 'nothing'
    await notify(ctx, isGone ? 'turn-gone' : STOP_NOTICES[outcome])
    if (kind === 'halt' && outcome !== 'not_yours') await outbox.editKeyboard(message)
    else if (outcome === 'nothing') await replies.tidyKeyboard(turnId, message)
  })

  composer.callbackQuery(ROW_DATA, async (ctx) => {
    const turnId = BigInt(ctx.match[2] ?? '')
    const message = pressedMessageOf(ctx)
    if (message === undefined) return notify(ctx, 'turn-gone')
    const { chatId } = message
    const step = ctx.match[1] as RowStep | 'back'
    const picks =
      step === 'back' ? step : await replies.picksOf({ turnId, chatId, step, actor: actorOf(ctx) })
    await notify(ctx, typeof picks === 'string' ? ROW_NOTICES[picks] : undefined)
    if (picks === 'not_yours') return
    if (typeof picks === 'string') await replies.tidyKeyboard(turnId, message)
    else await outbox.editKeyboard(message, picks)
  })

  composer.callbackQuery(DECISION_DATA, async (ctx) => {
    const turnId = BigInt(ctx.match[2] ?? '')
    const message = pressedMessageOf(ctx)
    if (message === undefined) return notify(ctx, 'turn-gone')
    const { chatId } = message
    const decision = ctx.match[1] as Decision
    const originKey = pressOrigin(ctx.callbackQuery.id)
    const what = { decision, turnId, modelKey: ctx.match[3], chatId, originKey }
    await answerTurn(ctx, message, async () => {
      const outcome = await replies.decide({ ...what, actor: actorOf(ctx) })
      await notify(ctx, typeof outcome === 'string' ? DECISION_NOTICES[outcome] : undefined)
      if (outcome === 'not_yours') return
      // A reply that is shown again brings its own buttons.
      const isShownAnew = typeof outcome !== 'string' && outcome.id === turnId
      if (!isShownAnew) await replies.tidyKeyboard(turnId, message)
    })
  })

  return composer

  function actorOf({ sender }: BotContext) {
    return { userId: sender.id, isAdmin: sender.role === 'admin' }
  }
}
