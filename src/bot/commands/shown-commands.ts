import type { MediaKind } from '../../contract/tasks.ts'
import type { UserRole } from '../../platform/database/generated/enums.ts'
import { isAmong } from './audience.ts'
import type { CommandFacts } from './command.ts'

/** The reader of a list of commands, and where: in groups those of a role do not work. */
export interface ListReader {
  isPrivate: boolean
  role: UserRole | undefined
}

/** The commands that Telegram's menu and `/help` list, and others that work, by the kinds that are sold now. */
export interface ShownCommands {
  listed: readonly CommandFacts[]
  others: readonly CommandFacts[]
}

/** Parts the commands that work for a reader, in their order. */
export function listShown(
  commands: readonly CommandFacts[],
  kinds: readonly MediaKind[] = [],
  { isPrivate, role }: ListReader,
): ShownCommands {
  const works = ({ audience }: CommandFacts) =>
    isPrivate ? isAmong(audience, role) : audience === 'everybody'
  const isSold = ({ about }: CommandFacts) =>
    about === undefined || about.some((kind) => kinds.includes(kind))
  const isListed = ({ listed, unlessSold }: CommandFacts) =>
    (listed === 'everywhere' || (listed === 'in_private' && isPrivate)) &&
    (unlessSold === undefined || !kinds.includes(unlessSold))
  const shown = commands.filter((command) => works(command) && isSold(command))
  return {
    listed: shown.filter(isListed),
    others: shown.filter((command) => !isListed(command)),
  }
}
