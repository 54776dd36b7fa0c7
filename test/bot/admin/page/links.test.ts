import { Api } from 'grammy'
import { expect, onTestFinished, test } from 'vitest'
import { createMenuButtons, toPageAddress } from '../../../../src/bot/admin/page/links.ts'
import { createTexts } from '../../../../src/bot/texts/texts.ts'
import { openTestDatabase } from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { openPlayground } from '../../../playground/open-playground.ts'

const [ADA, BORIS] = [1, 2]

const ADMIN = { userId: ADA, role: 'admin', languageCode: 'en' } as const
const VIEWER = { userId: BORIS, role: 'viewer', languageCode: 'ru' } as const
const URL = 'https://bot.example.org'

/** Ada and Boris, who wrote to the bot, and processes of it that come one after the other. */
async function setUp() {
  const { playground, apiRoot } = await openPlayground()
  playground.addUser({ id: ADA, firstName: 'Ada' })
  playground.addUser({ id: BORIS, firstName: 'Boris' })
  const database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(() => database.close())
  const buttonsAt = (publicUrl?: string) =>
    createMenuButtons({
      api: new Api(playground.token, { apiRoot }),
      prisma: database.prisma,
      texts: createTexts(),
      page: toPageAddress({ publicUrl, localRoot: 'http://127.0.0.1:3000' }),
    })
  const textOf = (userId: number) => {
    const button = playground.menuButton(userId)
    return button.type === 'web_app' ? `${button.text} ${button.web_app.url}` : button.type
  }
  return { playground, buttonsAt, textOf }
}

test('admins and viewers have a button that opens the page, in their language', async () => {
  const { buttonsAt, textOf } = await setUp()

  await buttonsAt(URL).showAll([ADMIN, VIEWER])

  expect(textOf(ADA)).toBe(`Spend ${URL}/admin/`)
  expect(textOf(BORIS)).toBe(`Расходы ${URL}/admin/`)
})

test('the button goes with the role, also of who lost it while no process ran', async () => {
  const { buttonsAt, textOf } = await setUp()
  await buttonsAt(URL).showAll([ADMIN, VIEWER])

  await buttonsAt(URL).show({ userId: ADA, role: undefined })
  await buttonsAt(URL).showAll([])

  expect([textOf(ADA), textOf(BORIS)]).toEqual(['default', 'default'])
})
