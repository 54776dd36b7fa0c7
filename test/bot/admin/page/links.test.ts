import { Api } from 'grammy'
import { expect, test } from 'vitest'
import { createMenuButtons, toPageAddress } from '../../../../src/bot/admin/page/links.ts'
import { createTexts } from '../../../../src/bot/texts/texts.ts'
import { openPlayground } from '../../../playground/open-playground.ts'

const [ADA, BORIS] = [1, 2]

const ADMIN = { userId: ADA, role: 'admin', languageCode: 'en' } as const
const VIEWER = { userId: BORIS, role: 'viewer', languageCode: 'ru' } as const
const URL = 'https://bot.example.org'

/** Ada and Boris, who wrote to the bot. */
async function setUp() {
  const { playground, apiRoot } = await openPlayground()
  playground.addUser({ id: ADA, firstName: 'Ada' })
  playground.addUser({ id: BORIS, firstName: 'Boris' })
  const buttons = createMenuButtons({
    api: new Api(playground.token, { apiRoot }),
    texts: createTexts(),
    page: toPageAddress({ publicUrl: URL, localRoot: 'http://127.0.0.1:3000' }),
  })
  const textOf = (userId: number) => {
    const button = playground.menuButton(userId)
    return button.type === 'web_app' ? `${button.text} ${button.web_app.url}` : button.type
  }
  return { buttons, textOf }
}

test('admins and viewers have a button that opens the page, in their language', async () => {
  const { buttons, textOf } = await setUp()

  await buttons.show(ADMIN)
  await buttons.show(VIEWER)

  expect(textOf(ADA)).toBe(`Spend ${URL}/admin/`)
  expect(textOf(BORIS)).toBe(`Расходы ${URL}/admin/`)
})

test('the button goes with the role', async () => {
  const { buttons, textOf } = await setUp()
  await buttons.show(ADMIN)

  await buttons.show({ userId: ADA, role: undefined })

  expect(textOf(ADA)).toBe('default')
})
