import type { AnswerFormat } from '../../../../platform/database/generated/enums.ts'
import type { Chats } from '../../../people/chats.ts'
import type { CommandDefinition } from '../../command.ts'
import { answerStep, editStep, type Step, valueButton } from '../../steps.ts'

/** All three are too wide for a row of a phone. */
const ROWS: readonly (readonly AnswerFormat[])[] = [['auto'], ['plain', 'rich']]
const FORMATS = ROWS.flat()

const FORMAT_DATA = new RegExp(`^format:(${FORMATS.join('|')})$`)

export interface FormatDeps {
  chats: Pick<Chats, 'format' | 'chooseFormat'>
}

/** Chooses how answers look in a chat; in a group everybody who may talk there does. */
export const formatStep: Step<FormatDeps> = {
  name: 'format',
  isOwn: false,
  async state({ chats }, { chatId }) {
    return { format: await chats.format(chatId) }
  },
  async view({ chats }, { chatId, t }) {
    const format = await chats.format(chatId)
    const buttons = ROWS.map((row) =>
      row.map((offered) =>
        valueButton(t('format-choice', { format: offered }), {
          data: `format:${offered}`,
          isChosen: offered === format,
        }),
      ),
    )
    return { text: t('format-is', { format }), buttons }
  },
}

/**
 * Has answers in a chat be plain text with formatting, and rich messages only where they need that (`auto`), never
 * (`plain`) or always (`rich`); without one of these, shows which of them is chosen.
 */
export const formatCommand: CommandDefinition<FormatDeps> = {
  name: 'format',
  audience: 'everybody',
  usage: '[auto|plain|rich]',
  async handle(deps, command) {
    const chosen = FORMATS.find((format) => format === command.argument.toLowerCase())
    if (chosen !== undefined) await deps.chats.chooseFormat(command.chatId, chosen)
    await answerStep(formatStep, deps, command)
  },
  presses: [
    {
      data: FORMAT_DATA,
      async press(deps, press) {
        const format = FORMATS.find((known) => press.match[1] === known) ?? 'auto'
        await deps.chats.chooseFormat(press.chatId, format)
        await press.notify()
        await editStep(formatStep, deps, press)
      },
    },
  ],
}
