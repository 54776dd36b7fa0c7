import { COMMANDS } from '../../src/bot/commands/list.ts'
import { createTexts } from '../../src/bot/locales/texts.ts'
import { offerVariables } from '../../src/bot/media/options/offer-texts.ts'
import { MEDIA_KINDS } from '../../src/contract/media.ts'

const LISTED = { everywhere: 'everywhere', in_private: 'in private chats' }
const WHO = { everybody: 'everybody allowed', viewers: 'admins and viewers', admins: 'admins' }

/** The README's table of commands, between its marks. */
const TABLE =
  /(?<=<!-- npm run modules writes the commands -->\n).*?(?=<!-- end of the commands -->)/s

/** @returns The README with its table of commands written from the list of commands and the English texts. */
export function drawCommands(readme: string): string {
  const texts = createTexts()
  const offers = offerVariables(MEDIA_KINDS, { texts })
  const rows = COMMANDS.map(({ name, usage, audience, listed }) => {
    const typed = ['/', name, usage === undefined ? '' : ` ${usage}`].join('')
    const what = texts.t('en', `command-${name}`, offers)
    const cells = [`\`${typed}\``, WHO[audience], listed === undefined ? '' : LISTED[listed], what]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  const table = [
    '| command | who | in the menu | what |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
  return readme.replace(TABLE, () => `${table}\n`)
}
