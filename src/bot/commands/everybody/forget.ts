import type { EraseOutcome, EraseUser } from '../../erase/erase-user.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import type { Command, CommandDefinition, Press } from '../command.ts'

/** What a press below the question says: what to do, who was asked, and in which second. */
const FORGET_DATA = /^forget:(erase|keep):(\d{1,15}):(\d{1,12})$/

/** A question that somebody finds days later is not to erase anything. */
const VALID_MS = 5 * 60_000

const ANSWERS: Readonly<Record<EraseOutcome, string>> = {
  erased: 'forget-done',
  order_under_way: 'forget-order',
}

export interface ForgetDeps {
  eraseUser: EraseUser
  outbox: Pick<Outbox, 'edit' | 'answerButton'>
  now: () => Date
}

/** Erases everything of a user, who is asked first. */
export const forgetCommand: CommandDefinition<ForgetDeps> = {
  name: 'forget',
  audience: 'everybody',
  create(deps) {
    const { handle, press } = createErasure(deps)
    return { handle, presses: [{ data: FORGET_DATA, press }] }
  },
}

function createErasure({ eraseUser, outbox, now }: ForgetDeps) {
  return { handle, press }

  async function handle({ user, t, answer }: Command): Promise<void> {
    // A group whose admins write in its name: it is not known whose words they were.
    if (user.id < 0) return answer(t('forget-anonymous'))
    if (await eraseUser.hasOrderUnderWay(user.id)) return answer(t('forget-order'))
    const asked = `${user.id}:${Math.floor(now().getTime() / 1000)}`
    const buttons = [
      { text: t('forget-erase'), callback_data: `forget:erase:${asked}` },
      { text: t('forget-keep'), callback_data: `forget:keep:${asked}` },
    ]
    await answer(t('forget-ask'), { keyboard: { inline_keyboard: [buttons] } })
  }

  async function press({ callbackQueryId, data, message, user, t }: Press): Promise<void> {
    const [, verb, userId, askedAt] = FORGET_DATA.exec(data) ?? []
    if (Number(userId) !== user.id) {
      return outbox.answerButton(callbackQueryId, t('forget-not-yours'))
    }
    await outbox.answerButton(callbackQueryId)
    const isValid = now().getTime() <= Number(askedAt) * 1000 + VALID_MS
    if (verb === 'keep') return show('forget-kept')
    if (!isValid) return show('forget-expired')
    await show('forget-running')
    await show(ANSWERS[await eraseUser.erase(user.id)])

    async function show(key: string): Promise<void> {
      await outbox.edit(message, t(key), { final: true })
    }
  }
}
