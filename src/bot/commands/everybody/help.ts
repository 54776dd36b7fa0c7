import type { Texts } from '../../locales/texts.ts'
import { offerVariables } from '../../media/options/offer-texts.ts'
import type { MediaPrices } from '../../media/order/prices.ts'
import { type Audience, isAmong } from '../audience.ts'
import type { Command, CommandDefinition, CommandFacts } from '../command.ts'
import { listShown } from '../shown-commands.ts'

interface HelpDeps {
  /** All there are, in their order. */
  commands: readonly CommandFacts[]
  prices: Pick<MediaPrices, 'kinds'>
  texts: Texts
}

const HEADS = { viewers: 'help-viewer', admins: 'help-admin' } as const

/** Lists the commands for what is sold now, in private also those of the user's role: elsewhere they do not work. */
export const helpCommand: CommandDefinition<HelpDeps> = {
  name: 'help',
  audience: 'everybody',
  create: (deps) => ({ handle: (command) => list(deps, command) }),
}

async function list(
  { commands, prices, texts }: HelpDeps,
  { chatId, user, t, answer }: Command,
): Promise<void> {
  const isPrivate = chatId > 0
  const kinds = prices.kinds()
  const offers = offerVariables(kinds, { ...user, texts })
  const shown = listShown(commands, kinds).filter(({ name }) => name !== helpCommand.name)
  const paragraphs = [t('help'), linesFor('everybody')]
  for (const audience of ['viewers', 'admins'] as const) {
    if (!isPrivate || !isAmong(audience, user.role)) continue
    paragraphs.push(`${t(HEADS[audience])}\n${linesFor(audience)}`)
  }
  await answer(paragraphs.join('\n\n'))

  function linesFor(audience: Audience): string {
    return shown
      .filter((one) => one.audience === audience)
      .map(({ name }) => `/${name} — ${t(`command-${name}`, offers)}`)
      .join('\n')
  }
}
