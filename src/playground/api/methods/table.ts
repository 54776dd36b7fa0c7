import * as callbackQueries from './answer-callback-query.ts'
import * as commands from './commands.ts'
import * as edits from './edits.ts'
import * as files from './get-file.ts'
import type { Method } from './method.ts'
import * as sends from './send-messages.ts'
import * as updates from './updates.ts'
import * as whileWriting from './while-writing.ts'

const getMe: Method = (_call, { world }) => ({ result: world.me })

/** The methods that are built, by their names in lower case: case does not matter, spelling does. */
const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries<Method>({
    getMe,
    ...callbackQueries,
    ...commands,
    ...edits,
    ...files,
    ...sends,
    ...updates,
    ...whileWriting,
  }).map(([name, method]) => [name.toLowerCase(), method]),
)

export function findMethod(name: string): Method | undefined {
  return METHODS.get(name.toLowerCase())
}
