import type { InlineKeyboardButton } from 'grammy/types'
import type { Command, Press } from './command.ts'

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

/** The data of the button that leads back to all settings, and the prefix of the steps' data. */
export const SETTINGS_DATA = 'settings'

export async function answerStep<App>(step: Step<App>, app: App, command: Command): Promise<void> {
  const { text, keyboard } = await drawStep(step, app, command)
  await command.answer(text, { keyboard })
}

/** Draws a step; in private chats with a button back. */
export async function drawStep<App>(step: Step<App>, app: App, reader: StepReader) {
  const { text, buttons } = await step.view(app, reader)
  const back = { text: reader.t('steps-settings-back'), callback_data: SETTINGS_DATA }
  const rows = reader.chatId > 0 ? [...buttons, [back]] : buttons
  return { text, keyboard: { inline_keyboard: rows } }
}

export async function editStep<App>(
  step: Step<App>,
  app: App,
  press: StepReader & Pick<Press, 'edit'>,
): Promise<void> {
  const { text, keyboard } = await drawStep(step, app, press)
  await press.edit(text, { keyboard })
}

/** A button for a value, ticked if the value is current. */
export function valueButton(
  text: string,
  { data, isChosen }: { data: string; isChosen: boolean },
): InlineKeyboardButton {
  return { text: isChosen ? `✓ ${text}` : text, callback_data: data }
}

/**
 * The buttons that turn the pages of a list, as rows of a keyboard; no row for a single page.
 *
 * @param dataOf The `callback_data` of a page, counted from 0.
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
