import {
  INSTRUCTION_CHARS_MAX,
  type Instructions,
} from '../../../talk/conversation/instructions.ts'
import type { Command, CommandDefinition, Press } from '../../command.ts'

/** The data of a press below the instruction. */
const SYSTEM_DATA = 'system-off'

interface SystemDeps {
  instructions: Instructions
}

/** Shows, changes and removes the instruction that the model heeds in a conversation. */
export const systemCommand: CommandDefinition<SystemDeps> = {
  name: 'system',
  audience: 'everybody',
  usage: '[text|off]',
  create: createInstructionEditor,
}

function createInstructionEditor({ instructions }: SystemDeps) {
  return { handle, presses: [{ data: SYSTEM_DATA, press }] }

  async function handle(command: Command): Promise<void> {
    const { chatId, threadId, user, argument, t, answer } = command
    const thread = { chatId, threadId }
    if (argument === '') return show(command)
    if (argument.toLowerCase() === 'off') {
      const wasThere = await instructions.set(thread, undefined)
      return answer(wasThere ? t('system-removed') : t('system-none'))
    }
    const length = [...argument].length
    const limit = INSTRUCTION_CHARS_MAX
    if (length > limit) return answer(t('system-too-long', { length, limit }))
    await instructions.set(thread, { content: argument, authorId: user.id })
    await answer(t('system-set'), { keyboard: removal(t) })
  }

  async function show({ chatId, threadId, t, answer }: Command): Promise<void> {
    const instruction = await instructions.read({ chatId, threadId })
    if (instruction === undefined) return answer(t('system-none'))
    await answer(`${t('system-is')}\n\n${instruction}`, { keyboard: removal(t) })
  }

  /** Every user who may talk in a thread may change how it is answered there. */
  async function press({ chatId, threadId, t, notify, edit }: Press): Promise<void> {
    await instructions.set({ chatId, threadId }, undefined)
    await notify()
    await edit(t('system-removed'))
  }
}

function removal(t: Command['t']) {
  return { inline_keyboard: [[{ text: t('system-remove'), callback_data: SYSTEM_DATA }]] }
}
