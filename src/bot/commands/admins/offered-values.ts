import type { Press, PressHandling } from '../command.ts'
import { editStep, type Step, type StepReader, type StepView, valueButton } from '../steps.ts'

const BUTTONS_IN_ROW = 3

/** Settings that a step shows together, each by a word; their values are written as after the command. */
export interface OfferedValues<Deps> {
  /** The command by which any other value is set. It begins the data of the buttons. */
  command: string
  /** The values that buttons offer of each. */
  values: Readonly<Record<string, readonly string[]>>
  /** Reads the values that hold, by their words. */
  read(deps: Deps): Promise<Readonly<Record<string, string>>>
  set(deps: Deps, given: { word: string; value: string }, by: { adminId: number }): Promise<void>
  /** Says how to set it by typing. */
  hint(word: string, t: StepReader['t']): string
  /** Names a value on its button. */
  label(word: string, value: string, reader: StepReader): string
}

/** The buttons of a step that lead to the values of each of its settings, two in a row. */
export function wordButtons<Deps>(
  { command, values }: OfferedValues<Deps>,
  t: StepReader['t'],
): StepView['buttons'] {
  const buttons = Object.keys(values).map((word) => ({
    text: t(`${command}-button`, { setting: word }),
    callback_data: `${command}:${word}`,
  }))
  return inRows(buttons, 2)
}

/** Handles those buttons, and the ones of the values: a press sets what typing would, and shows the step again. */
export function valuePresses<Deps>(
  offered: OfferedValues<Deps>,
  step: Step<Deps>,
  deps: Deps,
): PressHandling {
  const { command, values, read, set, hint, label } = offered
  const data = new RegExp(`^${command}:(${Object.keys(values).join('|')})(?::(\\w{1,6}))?$`)
  return { data, press }

  async function press(pressed: Press): Promise<void> {
    const [, word = '', value] = data.exec(pressed.data) ?? []
    const { user, t, notify, edit } = pressed
    if (value === undefined) {
      await notify()
      const { text, buttons } = await askFor(word, pressed)
      return edit(text, { keyboard: { inline_keyboard: buttons } })
    }
    // A client can send what no button says.
    if (!values[word]?.includes(value)) return notify(t('button-stale'))
    await set(deps, { word, value }, { adminId: user.id })
    await notify()
    await editStep(step, deps, pressed)
  }

  async function askFor(word: string, reader: StepReader): Promise<StepView> {
    const chosen = (await read(deps))[word]
    const buttons = (values[word] ?? []).map((value) =>
      valueButton(label(word, value, reader), {
        data: `${command}:${word}:${value}`,
        isChosen: value === chosen,
      }),
    )
    const back = { text: reader.t('page-previous'), callback_data: `${step.of}:${step.name}` }
    return { text: hint(word, reader.t), buttons: [...inRows(buttons, BUTTONS_IN_ROW), [back]] }
  }
}

function inRows<T>(buttons: readonly T[], size: number): T[][] {
  const rows = Math.ceil(buttons.length / size)
  return Array.from({ length: rows }, (_, row) => buttons.slice(row * size, (row + 1) * size))
}
