import type { InlineKeyboardButton } from 'grammy/types'
import type { TextVariables } from '../locales/texts.ts'
import type { Command, CommandHandlers, Press } from './command.ts'

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
  state(deps: Deps, reader: StepReader): Promise<TextVariables | undefined>
  view(deps: Deps, reader: StepReader): Promise<StepView>
}

/** The data of the button that leads back to all settings, and the beginning of that of the steps. */
const SETTINGS = 'settings'

/** Makes the command that shows a message of buttons, one for each step. */
export function createSteps<Deps>(
  steps: readonly Step<Deps>[],
  deps: Deps,
): Required<Pick<CommandHandlers, 'handle' | 'presses'>> {
  const stepData = new RegExp(`^${SETTINGS}:(\\w+)$`)
  const presses = [
    { data: SETTINGS, press: goBack },
    { data: stepData, press: open },
  ]
  return { handle, presses }

  async function handle(command: Command): Promise<void> {
    const { text, keyboard } = await overview(command)
    await command.answer(text, { keyboard })
  }

  async function goBack(press: Press): Promise<void> {
    await press.notify()
    const { text, keyboard } = await overview(press)
    await press.edit(text, { keyboard })
  }

  async function open(press: Press): Promise<void> {
    const [, asked] = stepData.exec(press.data) ?? []
    const step = shownTo(press).find((one) => one.name === asked)
    if (step === undefined) return press.notify(press.t('button-stale'))
    await press.notify()
    await editStep(step, deps, press)
  }

  async function overview(reader: StepReader) {
    const { chatId, t } = reader
    const rows: InlineKeyboardButton[][] = []
    for (const step of shownTo(reader)) {
      const state = await step.state(deps, reader)
      if (state === undefined) continue
      rows.push([
        { text: t(`step-${step.name}`, state), callback_data: `${SETTINGS}:${step.name}` },
      ])
    }
    const text = t('steps-settings', { place: chatId < 0 ? 'group' : 'private' })
    return { text, keyboard: { inline_keyboard: rows } }
  }

  function shownTo({ chatId }: StepReader): readonly Step<Deps>[] {
    return steps.filter(({ isOwn }) => chatId > 0 || !isOwn)
  }
}

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
