import { Composer } from 'grammy'
import type { LimitPeriod } from '../../../platform/database/generated/enums.ts'
import type { Texts } from '../../locales/texts.ts'
import { threadOf } from '../../telegram/addressing/chat-thread.ts'
import type { BotContext } from '../../telegram/addressing/sender.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import { LIMIT_VERBS, type LimitVerb } from './limit-request.ts'
import type { AskOutcome, LimitRequests } from './limit-requests.ts'

/** A press's data: whose limit, of which period, and the turn that was not asked, if it was one. */
const ASK_DATA = /^limit-ask:(-?\d{1,15}):(day|week|month|all)(?::(\d{1,18}))?$/
/** The data of a press under an admin's copy of a request. */
const DECIDE_DATA = new RegExp(
  `^limit-(${LIMIT_VERBS.join('|')}):(-?\\d{1,15}):(day|week|month|all)$`,
)

const NOTICES: Readonly<Record<AskOutcome, string>> = {
  asked: 'limit-asked',
  asked_already: 'limit-asked-already',
  refused: 'limit-asked-refused',
  has_room: 'limit-has-room',
}

export interface LimitButtonsDeps {
  requests: LimitRequests
  outbox: Pick<Outbox, 'answerButton'>
  texts: Texts
}

/** The button with which users ask for more, and those with which admins decide. */
export function createLimitButtons({ requests, outbox, texts }: LimitButtonsDeps) {
  const composer = new Composer<BotContext>()

  composer.callbackQuery(ASK_DATA, async (ctx) => {
    const { callbackQuery, match, sender } = ctx
    const notify = (key: string) =>
      outbox.answerButton(callbackQuery.id, texts.t(sender.languageCode, key))
    const { message } = callbackQuery
    if (message === undefined) return notify('button-stale')
    const [, subject = '', period, turn] = match
    const subjectId = BigInt(subject)
    const { chatId, threadId } = threadOf(message)
    // Of a group everybody in it may ask; of a user only that one.
    const isTheirs = subjectId === BigInt(sender.id) || (chatId < 0 && subjectId === BigInt(chatId))
    if (!isTheirs) return notify('turn-not-yours')
    const outcome = await requests.ask({
      subjectId,
      period: period as LimitPeriod,
      chatId,
      threadId,
      userId: sender.id,
      messageId: message.message_id,
      turnId: turn === undefined ? undefined : BigInt(turn),
    })
    await notify(NOTICES[outcome])
  })

  composer.callbackQuery(DECIDE_DATA, async ({ callbackQuery, match, sender }) => {
    const { languageCode, role, id: adminId } = sender
    const notify = (text: string) => outbox.answerButton(callbackQuery.id, text)
    if (role !== 'admin') return notify(texts.t(languageCode, 'admins-only'))
    const [, verb, subject = '', period] = match
    const limit = { subjectId: BigInt(subject), period: period as LimitPeriod }
    const request = await requests.decide({ ...limit, verb: verb as LimitVerb, adminId })
    const decision = request && (await requests.describeDecision(request, languageCode))
    await notify(decision || texts.t(languageCode, 'limit-no-request'))
  })

  return composer
}
