import { COMMANDS } from '../../src/bot/commands/list.ts'
import { createTexts } from '../../src/bot/locales/texts.ts'
import { offerVariables } from '../../src/bot/media/options/offer-texts.ts'
import { MEDIA_KINDS } from '../../src/contract/media.ts'

const WHO = { everybody: 'everybody allowed', viewers: 'admins and viewers', admins: 'admins' }

/** The README's table of commands, between its marks. */
const TABLE =
  /(?<=<!-- npm run modules writes the commands -->\n).*?(?=<!-- end of the commands -->)/s

/** @returns The README with its table of commands written from the list of commands and the English texts. */
export function drawCommands(readme: string): string {
  const texts = createTexts()
  const offers = offerVariables(MEDIA_KINDS, { texts })
  const rows = COMMANDS.filter(({ isHidden }) => !isHidden).map(({ name, usage, audience }) => {
    const typed = ['/', name, usage === undefined ? '' : ` ${usage}`].join('')
    const cells = [`\`${typed}\``, WHO[audience], texts.t('en', `command-${name}`, offers)]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  const table = ['| command | who | what |', '| --- | --- | --- |', ...rows].join('\n')
  return readme.replace(TABLE, () => `${table}\n`)
}
