import type { MediaKind } from '../../contract/media.ts'
import type { CommandFacts } from './command.ts'

/** The commands that Telegram's menu and `/help` list, by the kinds that are sold now. */
export function listShown(
  commands: readonly CommandFacts[],
  kinds: readonly MediaKind[] = [],
): readonly CommandFacts[] {
  const isSold = ({ about }: CommandFacts) =>
    about === undefined || about.some((kind) => kinds.includes(kind))
  return commands.filter((command) => !command.isHidden && isSold(command))
}
