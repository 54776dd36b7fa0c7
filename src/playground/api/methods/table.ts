import { answerCallbackQuery } from './answer-callback-query.ts'
import { commandMethods } from './commands.ts'
import { editMethods } from './edits.ts'
import { getFile } from './get-file.ts'
import type { Method } from './method.ts'
import { sendMethods } from './send-messages.ts'
import { updateMethods } from './updates.ts'
import { whileWritingMethods } from './while-writing.ts'

const getMe: Method = (_call, { world }) => ({ result: world.me })

/** The methods that are built, by their names in lower case: case does not matter, spelling does. */
const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries<Method>({
    answerCallbackQuery,
    getFile,
    getMe,
    ...commandMethods,
    ...editMethods,
    ...sendMethods,
    ...updateMethods,
    ...whileWritingMethods,
  }).map(([name, method]) => [name.toLowerCase(), method]),
)

export function findMethod(name: string): Method | undefined {
  return METHODS.get(name.toLowerCase())
}
