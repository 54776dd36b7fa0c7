import type { Command, CommandDefinition, CommandFacts } from '../command.ts'

interface HelpDeps {
  /** All there are, in their order. */
  commands: readonly CommandFacts[]
}

/** Lists the commands, for an admin in private the admins' ones as well: elsewhere they do not work. */
export const helpCommand: CommandDefinition<HelpDeps> = {
  name: 'help',
  audience: 'everybody',
  create: ({ commands }) => ({ handle: (command) => list(commands, command) }),
}

async function list(
  commands: readonly CommandFacts[],
  { chatId, t, answer, isAdmin }: Command,
): Promise<void> {
  const isPrivate = chatId > 0
  const paragraphs = [t('help'), linesFor('everybody')]
  if (isAdmin && isPrivate) paragraphs.push(`${t('help-admin')}\n${linesFor('admins')}`)
  await answer(paragraphs.join('\n\n'))

  function linesFor(audience: CommandFacts['audience']): string {
    return commands
      .filter((one) => one.audience === audience && !one.isHidden && one.name !== helpCommand.name)
      .map(({ name }) => `/${name} — ${t(`command-${name}`)}`)
      .join('\n')
  }
}
