import type { Composer } from 'grammy'
import type { PrismaClient } from '../../database/generated/client.ts'
import type { Access } from '../access/access.ts'
import type { BotContext } from '../addressing/sender.ts'
import {
  type ConversationSizesDeps,
  createConversationSizes,
} from '../conversation/conversation-size.ts'
import { createInstructions } from '../conversation/instructions.ts'
import { createTranscripts } from '../conversation/transcript.ts'
import { createEraseUser, type EraseUserDeps } from '../erase/erase-user.ts'
import { createCostNote } from '../spend/cost-note.ts'
import { createSpendReports } from '../spend/reports.ts'
import { type DispatchDeps, dispatchCommands } from './dispatch.ts'
import type { ClipPrices } from './everybody/video.ts'
import { type AllCommandDeps, COMMANDS } from './list.ts'

/** What the commands share and `createCommands()` makes for them. */
type Made =
  | 'clipPricesMicroRub'
  | 'commands'
  | 'costNote'
  | 'eraseUser'
  | 'instructions'
  | 'now'
  | 'reports'
  | 'sizes'
  | 'timeZone'
  | 'transcripts'

export type CommandsDeps = Omit<AllCommandDeps, Made> &
  Omit<DispatchDeps, 'isAdmin'> &
  EraseUserDeps & {
    prisma: PrismaClient
    models: ConversationSizesDeps['models']
    access: Access
    settings: {
      systemPrompt?: string | undefined
      timeZone: string
      clipPricesMicroRub?: ClipPrices | undefined
    }
    now?: () => Date
  }

/** Wires every command on the list. */
export function createCommands(deps: CommandsDeps): Composer<BotContext> {
  const { prisma, access, settings, now = () => new Date() } = deps
  const { timeZone, systemPrompt, clipPricesMicroRub } = settings
  const all = {
    ...deps,
    commands: COMMANDS,
    costNote: createCostNote(prisma),
    eraseUser: createEraseUser(deps),
    instructions: createInstructions(prisma),
    reports: createSpendReports({ prisma, timeZone, now }),
    sizes: createConversationSizes({ ...deps, systemPrompt }),
    transcripts: createTranscripts(prisma),
    timeZone,
    clipPricesMicroRub,
    now,
  }
  const commands = COMMANDS.map((definition) => ({ ...definition, ...definition.create(all) }))
  return dispatchCommands(commands, { ...deps, isAdmin: access.isAdmin })
}
