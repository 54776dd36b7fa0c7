import { type Audience, isAmong } from '../audience.ts'
import type { Command, CommandDefinition, CommandFacts } from '../command.ts'

interface HelpDeps {
  /** All there are, in their order. */
  commands: readonly CommandFacts[]
}

const HEADS = { viewers: 'help-viewer', admins: 'help-admin' } as const

/** Lists the commands, in private also those of the user's role: elsewhere they do not work. */
export const helpCommand: CommandDefinition<HelpDeps> = {
  name: 'help',
  audience: 'everybody',
  create: ({ commands }) => ({ handle: (command) => list(commands, command) }),
}

async function list(
  commands: readonly CommandFacts[],
  { chatId, user, t, answer }: Command,
): Promise<void> {
  const isPrivate = chatId > 0
  const paragraphs = [t('help'), linesFor('everybody')]
  for (const audience of ['viewers', 'admins'] as const) {
    if (!isPrivate || !isAmong(audience, user.role)) continue
    paragraphs.push(`${t(HEADS[audience])}\n${linesFor(audience)}`)
  }
  await answer(paragraphs.join('\n\n'))

  function linesFor(audience: Audience): string {
    return commands
      .filter((one) => one.audience === audience && !one.isHidden && one.name !== helpCommand.name)
      .map(({ name }) => `/${name} — ${t(`command-${name}`)}`)
      .join('\n')
  }
}
