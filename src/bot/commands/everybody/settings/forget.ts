import type { EraseOutcome, EraseUser } from '../../../talk/erase/erase-user.ts'
import type { CommandDefinition, Press } from '../../command.ts'
import { drawStep, type Step } from '../../steps.ts'

/** The data of a press below the question: what to do, who was asked, and in which second. */
const FORGET_DATA = /^forget:(erase|keep):(\d{1,15}):(\d{1,12})$/

/** A question that somebody finds days later is not to erase anything. */
const VALID_MS = 5 * 60_000

const ANSWERS: Readonly<Record<EraseOutcome, string>> = {
  erased: 'forget-done',
  order_under_way: 'forget-order',
}

export interface ForgetDeps {
  eraseUser: EraseUser
  now: () => Promise<Date>
}

/** Asks whether everything is to be erased. */
export const forgetStep: Step<ForgetDeps> = {
  name: 'forget',
  isOwn: true,
  state: async () => ({}),
  async view({ eraseUser, now }, { user, t }) {
    // A group whose admins write in its name: it is not known whose words they were.
    if (user.id < 0) return { text: t('forget-anonymous'), buttons: [] }
    if (await eraseUser.hasOrderUnderWay(user.id)) return { text: t('forget-order'), buttons: [] }
    const asked = `${user.id}:${Math.floor((await now()).getTime() / 1000)}`
    const buttons = [
      { text: t('forget-erase'), callback_data: `forget:erase:${asked}`, style: 'danger' as const },
      { text: t('forget-keep'), callback_data: `forget:keep:${asked}` },
    ]
    return { text: t('forget-ask'), buttons: [buttons] }
  },
}

/** Erases everything of a user, who is asked first. */
export const forgetCommand: CommandDefinition<ForgetDeps> = {
  name: 'forget',
  audience: 'everybody',
  async handle(deps, command) {
    const { text, keyboard } = await drawStep(forgetStep, deps, command)
    await command.answer(text, { keyboard })
  },
  presses: [{ data: FORGET_DATA, press: take }],
}

async function take({ eraseUser, now }: ForgetDeps, press: Press): Promise<void> {
  const { match, user, t, notify, edit } = press
  const [, verb, userId, askedAt] = match
  if (Number(userId) !== user.id) return notify(t('forget-not-yours'))
  await notify()
  const isValid = (await now()).getTime() <= Number(askedAt) * 1000 + VALID_MS
  if (verb === 'keep') return edit(t('forget-kept'))
  if (!isValid) return edit(t('forget-expired'))
  await edit(t('forget-running'))
  await edit(t(ANSWERS[await eraseUser.erase(user.id)]))
}
