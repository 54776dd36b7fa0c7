import type { InlineKeyboardButton } from 'grammy/types'
import type { Command, Press } from './command.ts'

/** The user for whom a step is drawn, and the chat thread. */
export type StepReader = Pick<Command, 'chatId' | 'threadId' | 'user' | 'isAdmin' | 't'>

export interface StepView {
  text: string
  buttons: InlineKeyboardButton[][]
}

/** A setting with its buttons: shown by its command, and in private chats by a button of `/settings`. */
export interface Step<App> {
  /** Its name in `callback_data`; the text `step-<name>` is on its button. */
  name: string
  view(app: App, reader: StepReader): Promise<StepView>
}

/** The data of the button that leads back to all settings, and the beginning of that of the steps. */
export const SETTINGS = 'settings'

/** Answers the command of a step with it. */
export async function answerStep<App>(step: Step<App>, app: App, command: Command): Promise<void> {
  const { text, keyboard } = await drawStep(step, app, command)
  await command.answer(text, { keyboard })
}

/** Draws a step, in private chats with the way back. */
export async function drawStep<App>(step: Step<App>, app: App, reader: StepReader) {
  const { text, buttons } = await step.view(app, reader)
  const back = { text: reader.t('steps-settings-back'), callback_data: SETTINGS }
  const rows = reader.chatId > 0 ? [...buttons, [back]] : buttons
  return { text, keyboard: { inline_keyboard: rows } }
}

/** Shows a step in the message of a button. */
export async function editStep<App>(
  step: Step<App>,
  app: App,
  press: StepReader & Pick<Press, 'edit'>,
): Promise<void> {
  const { text, keyboard } = await drawStep(step, app, press)
  await press.edit(text, { keyboard })
}

/** A button for a value; the one that holds is ticked. */
export function valueButton(
  text: string,
  { data, isChosen }: { data: string; isChosen: boolean },
): InlineKeyboardButton {
  return { text: isChosen ? `✓ ${text}` : text, callback_data: data }
}

/**
 * The buttons that turn the pages of a list, as rows of a keyboard: none where there is one page.
 *
 * @param dataOf The `callback_data` that stands for a page, which are counted from 0.
 */
export function pageTurns(
  { page, hasMore, t }: { page: number; hasMore: boolean; t: Command['t'] },
  dataOf: (page: number) => string,
): InlineKeyboardButton[][] {
  const turns = [
    ...(page > 0 ? [{ text: t('page-previous'), callback_data: dataOf(page - 1) }] : []),
    ...(hasMore ? [{ text: t('page-next'), callback_data: dataOf(page + 1) }] : []),
  ]
  return turns.length > 0 ? [turns] : []
}
