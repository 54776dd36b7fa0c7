import { Composer } from 'grammy'
import type { LimitPeriod } from '../../../platform/database/generated/enums.ts'
import type { Texts } from '../../locales/texts.ts'
import { type BotContext, threadOf } from '../../telegram/addressing.ts'
import type { Outbox } from '../../telegram/send.ts'
import { EVERYBODY } from './everybody.ts'
import { LIMIT_VERBS, type LimitVerb } from './limit-request.ts'
import type { AskOutcome, LimitRequests, LimitRequestsDeps } from './limit-requests.ts'
import type { LimitTexts } from './limit-texts.ts'
import type { Limits } from './limits.ts'

/** A press's data: whose limit, of which period, and the turn that was not asked or, of an order, what it would have cost. */
const ASK_DATA = /^limit-ask:(-?\d{1,15}):(day|week|month|all)(?::(\d{1,18})?(?::(\d{1,18}))?)?$/
const DECIDE_DATA = new RegExp(
  `^limit-(${LIMIT_VERBS.join('|')}):(-?\\d{1,15}):(day|week|month|all)$`,
)

const RAISE_DATA = /^limit-raise:(day|week|month|all):(\d{1,10})$/

const NOTICES: Readonly<Record<AskOutcome, string>> = {
  asked: 'limit-asked',
  asked_already: 'limit-asked-already',
  refused: 'limit-asked-refused',
  has_room: 'limit-has-room',
}

export interface LimitButtonsDeps {
  requests: LimitRequests
  limits: Pick<Limits, 'raise'>
  limitTexts: Pick<LimitTexts, 'raised'>
  outbox: Pick<Outbox, 'answerButton' | 'edit'>
  showRaised: LimitRequestsDeps['showRaised']
  texts: Texts
}

/** The button with which users ask for more, and those with which admins decide, or raise the limit for everybody. */
export function createLimitButtons(deps: LimitButtonsDeps) {
  const { requests, limits, limitTexts, outbox, showRaised, texts } = deps
  const composer = new Composer<BotContext>()

  composer.callbackQuery(ASK_DATA, async (ctx) => {
    const { callbackQuery, match, sender } = ctx
    const notify = (key: string) =>
      outbox.answerButton(callbackQuery.id, texts.t(sender.languageCode, key))
    const { message } = callbackQuery
    if (message === undefined) return notify('button-stale')
    const [, subject = '', period, turn, needed] = match
    const subjectId = BigInt(subject)
    const { chatId, threadId } = threadOf(message)
    // For everybody anybody may ask, for a group everybody in it, for a user only that one.
    const theirs = [EVERYBODY, BigInt(sender.id), ...(chatId < 0 ? [BigInt(chatId)] : [])]
    const isTheirs = theirs.includes(subjectId)
    if (!isTheirs) return notify('turn-not-yours')
    const { message_id: messageId } = message
    const outcome = await requests.ask({
      subjectId,
      period: period as LimitPeriod,
      chatId,
      threadId,
      userId: sender.id,
      messageId,
      turnId: turn === undefined ? undefined : BigInt(turn),
      neededMicroRub: needed === undefined ? undefined : BigInt(needed),
    })
    await notify(NOTICES[outcome])
    if (outcome === 'has_room') await showRaised({ chatId, messageId })
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

  composer.callbackQuery(RAISE_DATA, async ({ callbackQuery, match, sender }) => {
    const { languageCode, role, id: adminId } = sender
    const notify = (text: string) => outbox.answerButton(callbackQuery.id, text)
    if (role !== 'admin') return notify(texts.t(languageCode, 'admins-only'))
    const [, given, roubles = ''] = match
    const period = given as LimitPeriod
    const amountMicroRub = BigInt(roubles) * 1_000_000n
    const now = await limits.raise({ subjectId: EVERYBODY, period, amountMicroRub, adminId })
    const raised = limitTexts.raised(now, period, languageCode)
    await notify(raised)
    const { message } = callbackQuery
    if (message?.text === undefined) return
    const { chatId, messageId } = { chatId: message.chat.id, messageId: message.message_id }
    await outbox.edit({ chatId, messageId }, `${message.text}\n\n${raised}`)
  })

  return composer
}
