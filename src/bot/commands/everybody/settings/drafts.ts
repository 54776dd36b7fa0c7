import type { Users } from '../../../people/users.ts'
import type { CommandDefinition } from '../../command.ts'
import { answerStep, editStep, type Step } from '../../steps.ts'

/** The data of the button that turns drafts on or off. */
const DRAFTS_DATA = /^drafts:(on|off)$/

export interface DraftsDeps {
  users: Pick<Users, 'choices' | 'chooseDrafts'>
}

/** Turns drafts on and off. */
export const draftsStep: Step<DraftsDeps> = {
  of: 'settings',
  name: 'drafts',
  isOwn: true,
  async state({ users }, { user }) {
    return { chosen: (await users.choices(user.id)).usesDrafts ? 'on' : 'off' }
  },
  async view({ users }, { user, t }) {
    const { usesDrafts } = await users.choices(user.id)
    const [chosen, other] = usesDrafts ? (['on', 'off'] as const) : (['off', 'on'] as const)
    const turn = { text: t('drafts-turn', { to: other }), callback_data: `drafts:${other}` }
    return { text: t('drafts-choose', { chosen }), buttons: [[turn]] }
  },
}

/**
 * Has replies in a private chat grow in drafts of Telegram's (`on`), or in messages (`off`); without
 * either, shows which of them is chosen.
 */
export const draftsCommand: CommandDefinition<DraftsDeps> = {
  name: 'drafts',
  audience: 'everybody',
  usage: '[on|off]',
  create: (deps) => ({
    async handle(command) {
      const { user, argument, t, answer } = command
      const choice = argument.toLowerCase()
      if (choice !== 'on' && choice !== 'off') return answerStep(draftsStep, deps, command)
      await deps.users.chooseDrafts(user.id, choice === 'on')
      await answer(t(`drafts-${choice}`))
    },
    presses: [
      {
        data: DRAFTS_DATA,
        async press(press) {
          const [, choice = 'off'] = DRAFTS_DATA.exec(press.data) ?? []
          await deps.users.chooseDrafts(press.user.id, choice === 'on')
          await press.notify(press.t(`drafts-${choice}`))
          await editStep(draftsStep, deps, press)
        },
      },
    ],
  }),
}
