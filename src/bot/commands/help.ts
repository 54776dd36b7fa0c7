import type { MediaKind } from '../../contract/tasks.ts'
import type { UserRole } from '../../platform/database/generated/enums.ts'
import { offerVariables } from '../media/option-texts.ts'
import type { MediaPrices } from '../media/prices.ts'
import type { Texts } from '../texts/texts.ts'
import { type Command, type CommandDefinition, type CommandFacts, isAmong } from './command.ts'
import { pageTurns } from './views.ts'

/** The reader of a list of commands. Commands of a role do not work in groups. */
export interface ListReader {
  isPrivate: boolean
  role: UserRole | undefined
}

/** The commands for what is sold now: `listed` by Telegram's menu and `/help`, and others that work. */
export interface ShownCommands {
  listed: readonly CommandFacts[]
  others: readonly CommandFacts[]
}

interface HelpApp {
  commands: readonly CommandFacts[]
  prices: Pick<MediaPrices, 'kinds'>
  texts: Texts
}

/** Lists the commands for what is sold now on half a phone's screen; the second page has hints and the rest. */
export const helpCommand: CommandDefinition<HelpApp> = {
  name: 'help',
  audience: 'everybody',
  listed: 'everywhere',
  async handle(app, command) {
    const { text, keyboard } = pageOf(0, app, command)
    await command.answer(text, { keyboard })
  },
  presses: [
    {
      data: /^help:([01])$/,
      async press(app, press) {
        await press.notify()
        const { text, keyboard } = pageOf(press.match[1] === '1' ? 1 : 0, app, press)
        await press.edit(text, { keyboard })
      },
    },
  ],
}

function pageOf(
  page: 0 | 1,
  { commands, prices, texts }: HelpApp,
  { chatId, user, t }: Pick<Command, 'chatId' | 'user' | 't'>,
) {
  const isPrivate = chatId > 0
  const kinds = prices.kinds()
  const offers = offerVariables(kinds, { ...user, texts })
  const { listed, others } = listShown(commands, kinds, { isPrivate, role: user.role })
  const shown = page === 0 ? listed.filter(({ name }) => name !== helpCommand.name) : others
  const forAll = linesOf(shown.filter(({ audience }) => audience === 'everybody'))
  const forRole = linesOf(shown.filter(({ audience }) => audience !== 'everybody'))
  const place = isPrivate ? 'private' : 'group'
  const paragraphs = [
    ...(page === 0 ? [t('help', { place })] : [t('help-hints'), t('help-others')]),
    forAll,
    ...(forRole === '' ? [] : [`${t('help-role', { role: user.role ?? '' })}\n${forRole}`]),
  ]
  const turns = pageTurns({ page, hasMore: page === 0, t }, (to) => `help:${to}`)
  return { text: paragraphs.join('\n\n'), keyboard: { inline_keyboard: turns } }

  function linesOf(some: readonly CommandFacts[]): string {
    return some.map(({ name }) => `/${name} — ${t(`command-${name}`, offers)}`).join('\n')
  }
}

export function listShown(
  commands: readonly CommandFacts[],
  kinds: readonly MediaKind[] = [],
  { isPrivate, role }: ListReader,
): ShownCommands {
  const works = ({ audience }: CommandFacts) =>
    isPrivate ? isAmong(audience, role) : audience === 'everybody'
  const isSold = ({ about }: CommandFacts) =>
    about === undefined || about.some((kind) => kinds.includes(kind))
  const isListed = ({ listed }: CommandFacts) =>
    listed === 'everywhere' || (listed === 'in_private' && isPrivate)
  const shown = commands.filter((command) => works(command) && isSold(command))
  return {
    listed: shown.filter(isListed),
    others: shown.filter((command) => !isListed(command)),
  }
}
