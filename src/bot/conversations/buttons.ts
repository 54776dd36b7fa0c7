import { Composer } from 'grammy'
import { type BotContext, pressedMessageOf, pressOrigin } from '../telegram/addressing.ts'
import type { Outbox } from '../telegram/send.ts'
import type { NotifyPress } from '../telegram/shortcuts.ts'
import type { AnswerTurn } from './answer-message.ts'
import { DECISION_DATA, STOP_DATA } from './keyboards.ts'
import type { Replies } from './replies.ts'
import type { Decision } from './turn.ts'

const NOTICES = {
  // The message itself shows it.
  stopped: undefined,
  nothing: 'stop-nothing',
  not_yours: 'turn-not-yours',
  gone: 'turn-gone',
} as const

export function createTurnButtons({
  replies,
  answerTurn,
  outbox,
  notifyPress,
}: {
  replies: Replies
  answerTurn: AnswerTurn
  outbox: Pick<Outbox, 'editKeyboard'>
  notifyPress: NotifyPress
}): Composer<BotContext> {
  const composer = new Composer<BotContext>()

  composer.callbackQuery(STOP_DATA, async (ctx) => {
    const turnId = BigInt(ctx.match[2] ?? '')
    const message = pressedMessageOf(ctx)
    if (message === undefined) return notifyPress(ctx, NOTICES.gone)
    const outcome = await replies.stop({ chatId: message.chatId, turnId }, actorOf(ctx))
    await notifyPress(ctx, NOTICES[outcome])
    if (ctx.match[1] === 'halt' && outcome !== 'not_yours') await outbox.editKeyboard(message)
    else if (outcome === 'nothing') await replies.shows.tidy(turnId, message)
  })

  composer.callbackQuery(DECISION_DATA, async (ctx) => {
    const turnId = BigInt(ctx.match[2] ?? '')
    const message = pressedMessageOf(ctx)
    if (message === undefined) return notifyPress(ctx, NOTICES.gone)
    const { chatId } = message
    const decision = ctx.match[1] as Decision
    const originKey = pressOrigin(ctx.callbackQuery.id)
    const pressed = { decision, turnId, chatId, originKey }
    await answerTurn(ctx, message, async () => {
      const outcome = await replies.decide({ ...pressed, actor: actorOf(ctx) })
      await notifyPress(ctx, typeof outcome === 'string' ? NOTICES[outcome] : undefined)
      if (outcome === 'not_yours') return
      // A reply that is shown again brings its own buttons.
      const isShownAnew = typeof outcome !== 'string' && outcome.id === turnId
      if (!isShownAnew) await replies.shows.tidy(turnId, message)
    })
  })

  return composer
}

function actorOf({ sender }: BotContext) {
  return { userId: sender.id, isAdmin: sender.role === 'admin' }
}
