import { expect, test } from 'vitest'
import { ANNA, createBotSetup } from '../../../bot-setup.ts'
import { ended } from '../../turns/ended.ts'

const ANSWER = `# Title\n\n${'Some **bold** text. '.repeat(300)}`
/** A description that quotes the text, as those of some parsers do. */
const DESCRIPTION = 'RICH_MESSAGE_INVALID: Unsupported start tag "Some bold" at byte offset 9'

test.each([
  { kind: 'noRich' },
  { kind: 'refuseRich', description: DESCRIPTION, times: Number.POSITIVE_INFINITY },
] as const)(
  'without rich messages ($kind) the whole reply stands as formatted text',
  async (fault) => {
    const setup = await createBotSetup()
    const bot = await setup.startBot()
    setup.playground.fault(fault)
    setup.playground.userSends({ userId: ANNA, text: '?' })
    const completion = await setup.service.next()
    completion.answer(ANSWER)
    await ended(setup)

    const texts = setup.playground.transcript(ANNA).filter(({ from }) => from === 'bot')
    expect(
      texts
        .map(({ text }) => text)
        .join(' ')
        .match(/Some bold text\./g),
    ).toHaveLength(300)
    expect(texts.length).toBeGreaterThan(1)
    expect(texts[0]?.entities[0]).toMatchObject({ type: 'bold', offset: 0, length: 5 })
    expect(bot.logged()).toContain('formatting refused')
    expect(bot.logged()).not.toContain('Some bold')
  },
)
