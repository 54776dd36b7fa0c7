import type { InlineKeyboardButton } from 'grammy/types'
import type { TextVariables } from '../locales/texts.ts'
import type { Command, Press } from './command.ts'

/** The user for whom a step is drawn, and the chat thread. */
export type StepReader = Pick<Command, 'chatId' | 'threadId' | 'user' | 'isAdmin' | 't'>

export interface StepView {
  text: string
  buttons: InlineKeyboardButton[][]
}

/**
 * Something that a message of buttons leads to, without its wiring: the button says how it stands, the step changes it
 * and leads back. Where there is a command for it, that shows the same step.
 */
export interface Step<Deps> {
  /** Its name in `callback_data`; the text `step-<name>` is on its button. */
  name: string
  /** True for what is a user's own: no group shows it. */
  isOwn: boolean
  state(deps: Deps, reader: StepReader): Promise<TextVariables>
  view(deps: Deps, reader: StepReader): Promise<StepView>
}

/** The data of the button that leads back to all settings, and the beginning of that of the steps. */
export const SETTINGS = 'settings'

/** Answers the command of a step with it; in a group, where it is a user's own, with a sentence. */
export async function answerStep<Deps>(
  step: Step<Deps>,
  deps: Deps,
  command: Command,
): Promise<void> {
  const { chatId, t, answer } = command
  if (step.isOwn && chatId < 0) return answer(t('command-private'))
  const { text, keyboard } = await drawStep(step, deps, command)
  await answer(text, { keyboard })
}

/** Draws a step, with the way back; a group, where it is a user's own, has none. */
export async function drawStep<Deps>(step: Step<Deps>, deps: Deps, reader: StepReader) {
  const { text, buttons } = await step.view(deps, reader)
  const back = { text: reader.t('steps-settings-back'), callback_data: SETTINGS }
  const hasWayBack = reader.chatId > 0 || !step.isOwn
  return { text, keyboard: { inline_keyboard: hasWayBack ? [...buttons, [back]] : buttons } }
}

/** Shows a step in the message of a button. */
export async function editStep<Deps>(
  step: Step<Deps>,
  deps: Deps,
  press: StepReader & Pick<Press, 'edit'>,
): Promise<void> {
  const { text, keyboard } = await drawStep(step, deps, press)
  await press.edit(text, { keyboard })
}

/** A button for a value; the one that holds is ticked. */
export function valueButton(
  text: string,
  { data, isChosen }: { data: string; isChosen: boolean },
): InlineKeyboardButton {
  return { text: isChosen ? `✓ ${text}` : text, callback_data: data }
}
