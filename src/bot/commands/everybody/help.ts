import type { Texts } from '../../locales/texts.ts'
import { offerVariables } from '../../media/options/offer-texts.ts'
import type { MediaPrices } from '../../media/order/prices.ts'
import type { Command, CommandDefinition, CommandFacts } from '../command.ts'
import { pageTurns } from '../page-turns.ts'
import { listShown } from '../shown-commands.ts'

interface HelpDeps {
  commands: readonly CommandFacts[]
  prices: Pick<MediaPrices, 'kinds'>
  texts: Texts
}

/** Lists the commands of the menu for what is sold now, on half a phone's screen; its second page has hints and all others. */
export const helpCommand: CommandDefinition<HelpDeps> = {
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
  { commands, prices, texts }: HelpDeps,
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
