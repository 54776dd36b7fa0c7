/** `/system`: the instruction that the model reads first in a thread. */
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import {
  INSTRUCTION_CHARS_MAX,
  readInstruction,
  setInstruction,
} from '../conversations/conversations.ts'
import type { Command, CommandDefinition, Press } from './command.ts'
import { answerStep, drawStep, editStep, type Step } from './views.ts'

const EXAMPLES = [1, 2] as const

export interface SystemApp {
  prisma: PrismaClient
}

/** Shows the instruction of a chat thread. Every user who may talk there may change it. */
export const systemStep: Step<SystemApp> = {
  name: 'system',
  async view(app, reader) {
    const { t } = reader
    const instruction = await readInstruction(app, reader)
    if (instruction !== undefined) {
      const remove = { text: t('system-remove'), callback_data: 'system-off' }
      return { text: `${t('system-is')}\n\n${instruction}`, buttons: [[remove]] }
    }
    const buttons = EXAMPLES.map((number) => [
      { text: t(`system-example-${number}`), callback_data: `system-${number}` },
    ])
    return { text: t('system-none'), buttons }
  },
}

export const systemCommand: CommandDefinition<SystemApp> = {
  name: 'system',
  audience: 'everybody',
  usage: '[text|off]',
  handle,
  presses: [{ data: /^system-(off|1|2)$/, press: take }],
}

async function handle(app: SystemApp, command: Command): Promise<void> {
  const { user, argument, t, answer } = command
  if (argument === '') return answerStep(systemStep, app, command)
  if (argument.toLowerCase() === 'off') {
    const wasThere = await setInstruction(app, command, undefined)
    return wasThere ? answer(t('system-removed')) : answerStep(systemStep, app, command)
  }
  const length = [...argument].length
  const limit = INSTRUCTION_CHARS_MAX
  if (length > limit) return answer(t('system-too-long', { length, limit }))
  await setInstruction(app, command, { content: argument, authorId: user.id })
  const { keyboard } = await drawStep(systemStep, app, command)
  await answer(t('system-set'), { keyboard })
}

async function take(app: SystemApp, press: Press): Promise<void> {
  const { match, user, t, notify } = press
  const [, chosen] = match
  const given =
    chosen === 'off' ? undefined : { content: t(`system-example-${chosen}`), authorId: user.id }
  await setInstruction(app, press, given)
  await notify(t(given === undefined ? 'system-removed' : 'system-set'))
  await editStep(systemStep, app, press)
}
