import type { Composer } from 'grammy'
import { readTime } from '../../platform/database/read-time.ts'
import type { Calendar } from '../spend/calendar.ts'
import { createInstructions } from '../talk/conversation/instructions.ts'
import { createTranscripts } from '../talk/conversation/transcript.ts'
import { createEraseUser, type EraseUserDeps } from '../talk/erase/erase-user.ts'
import type { BotContext } from '../telegram/addressing/sender.ts'
import { type DispatchDeps, dispatchCommands } from './dispatch.ts'
import { type AllCommandDeps, COMMANDS } from './list.ts'

interface SharedDeps extends EraseUserDeps {
  calendar: Calendar
  settings: {
    systemPrompt?: string | undefined
    timeZone: string
  }
  /** The database's time by default. */
  now?: () => Promise<Date>
}

export type CommandsDeps = Omit<AllCommandDeps, keyof ReturnType<typeof createShared>> &
  DispatchDeps &
  SharedDeps

/** Wires every command on the list. */
export function createCommands(deps: CommandsDeps): Composer<BotContext> {
  const all = { ...deps, ...createShared(deps) }
  const commands = COMMANDS.map((definition) => ({ ...definition, ...definition.create(all) }))
  return dispatchCommands(commands, deps)
}

/** What several commands need. */
function createShared(deps: SharedDeps) {
  const { prisma, now = () => readTime(prisma) } = deps
  const { timeZone, systemPrompt } = deps.settings
  return {
    commands: COMMANDS,
    eraseUser: createEraseUser(deps),
    instructions: createInstructions(prisma),
    transcripts: createTranscripts(prisma),
    systemPrompt,
    timeZone,
    now,
  }
}
