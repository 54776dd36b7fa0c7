import type { AnswerRowSetting } from '../../talk/reply/answer-row-setting.ts'
import type { CommandDefinition } from '../command.ts'
import { answerStep, editStep, type Step, valueButton } from '../steps.ts'

/** The data of the buttons that turn the row on or off. */
const BUTTONS_DATA = /^buttons:(on|off)$/

export interface ButtonsDeps {
  rowSetting: Pick<AnswerRowSetting, 'read' | 'set'>
}

/** Shows and changes whether answers have their row of buttons, for everybody. */
export const buttonsStep: Step<ButtonsDeps> = {
  of: 'admin',
  name: 'buttons',
  isOwn: false,
  state: async ({ rowSetting }) => ({ isShown: String(await rowSetting.read()) }),
  async view({ rowSetting }, { t }) {
    const isShown = await rowSetting.read()
    const choices = (['on', 'off'] as const).map((choice) =>
      valueButton(t(`value-${choice}`), {
        data: `buttons:${choice}`,
        isChosen: isShown === (choice === 'on'),
      }),
    )
    return { text: t('buttons-are', { isShown: String(isShown) }), buttons: [choices] }
  },
}

/** Shows admins whether answers have their row of buttons, and lets them change it. */
export const buttonsCommand: CommandDefinition<ButtonsDeps> = {
  name: 'buttons',
  audience: 'admins',
  usage: '[on|off]',
  create: (deps) => ({
    async handle(command) {
      const choice = command.argument.toLowerCase()
      if (choice === 'on' || choice === 'off') {
        await deps.rowSetting.set(choice === 'on', { adminId: command.user.id })
      }
      await answerStep(buttonsStep, deps, command)
    },
    presses: [
      {
        data: BUTTONS_DATA,
        async press(press) {
          const [, choice] = BUTTONS_DATA.exec(press.data) ?? []
          await deps.rowSetting.set(choice === 'on', { adminId: press.user.id })
          await press.notify()
          await editStep(buttonsStep, deps, press)
        },
      },
    ],
  }),
}
