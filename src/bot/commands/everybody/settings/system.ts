import { LANGUAGES, type Texts } from '../../../locales/texts.ts'
import {
  INSTRUCTION_CHARS_MAX,
  type Instructions,
} from '../../../talk/conversation/instructions.ts'
import type { Command, CommandDefinition, Press } from '../../command.ts'
import { answerStep, drawStep, editStep, type Step } from '../../steps.ts'

const SYSTEM_DATA = /^system-(off|1|2)$/
const ASK_DATA = 'system-ask'
const CANCEL_DATA = /^system-cancel:(\d{1,16})$/
const EXAMPLES = [1, 2] as const

export interface SystemDeps {
  instructions: Instructions
  texts: Texts
}

/** Shows the instruction that the model heeds in a chat thread. Every user who may talk there may change it. */
export const systemStep: Step<SystemDeps> = {
  name: 'system',
  isOwn: false,
  async state({ instructions }, { chatId, threadId }) {
    return { isSet: String((await instructions.read({ chatId, threadId })) !== undefined) }
  },
  async view({ instructions }, { chatId, threadId, t }) {
    const instruction = await instructions.read({ chatId, threadId })
    if (instruction !== undefined) {
      const remove = { text: t('system-remove'), callback_data: 'system-off' }
      const another = { text: t('system-write-another'), callback_data: ASK_DATA }
      return { text: `${t('system-is')}\n\n${instruction}`, buttons: [[another], [remove]] }
    }
    const own = { text: t('system-write'), callback_data: ASK_DATA }
    const examples = EXAMPLES.map((number) => [
      { text: t(`system-example-${number}`), callback_data: `system-${number}` },
    ])
    return { text: t('system-none'), buttons: [...examples, [own]] }
  },
}

/** Shows, changes and removes the instruction. */
export const systemCommand: CommandDefinition<SystemDeps> = {
  name: 'system',
  audience: 'everybody',
  usage: '[text|off]',
  create: (deps) => ({
    handle: (command) => handle(deps, command),
    presses: [
      { data: SYSTEM_DATA, press: (press) => take(deps, press) },
      { data: ASK_DATA, press: (press) => ask(deps, press) },
      { data: CANCEL_DATA, press: (press) => cancel(deps, press) },
    ],
    reply: {
      isAsked: (text) =>
        LANGUAGES.some((language) => text.endsWith(deps.texts.t(language, 'system-ask-words'))),
      handle: (command) => handle(deps, command),
    },
  }),
}

async function handle(deps: SystemDeps, command: Command): Promise<void> {
  const { chatId, threadId, user, argument, t, answer } = command
  const { instructions } = deps
  const thread = { chatId, threadId }
  if (argument === '') return answerStep(systemStep, deps, command)
  if (argument.toLowerCase() === 'off') {
    const wasThere = await instructions.set(thread, undefined)
    return wasThere ? answer(t('system-removed')) : answerStep(systemStep, deps, command)
  }
  const length = [...argument].length
  const limit = INSTRUCTION_CHARS_MAX
  if (length > limit) return answer(t('system-too-long', { length, limit }))
  await instructions.set(thread, { content: argument, authorId: user.id })
  const { keyboard } = await drawStep(systemStep, deps, command)
  await answer(t('system-set'), { keyboard })
}

async function take(deps: SystemDeps, press: Press): Promise<void> {
  const { chatId, threadId, data, user, t, notify } = press
  const [, chosen] = SYSTEM_DATA.exec(data) ?? []
  const given =
    chosen === 'off' ? undefined : { content: t(`system-example-${chosen}`), authorId: user.id }
  await deps.instructions.set({ chatId, threadId }, given)
  await notify(t(given === undefined ? 'system-removed' : 'system-set'))
  await editStep(systemStep, deps, press)
}

async function ask(deps: SystemDeps, press: Press): Promise<void> {
  const { t } = press
  await press.notify()
  const askingId = await press.ask((name) => t('system-ask', { name }), t('system-ask-hint'))
  if (askingId === undefined) return
  const { text } = await systemStep.view(deps, press)
  const button = { text: t('system-ask-cancel'), callback_data: `system-cancel:${askingId}` }
  await press.edit(text, { keyboard: { inline_keyboard: [[button]] } })
}

async function cancel(deps: SystemDeps, press: Press): Promise<void> {
  const [, askingId] = CANCEL_DATA.exec(press.data) ?? []
  await press.notify()
  await press.unask(Number(askingId))
  await editStep(systemStep, deps, press)
}
