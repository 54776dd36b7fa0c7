import { expect, test } from 'vitest'
import { database, setUp, useCommands } from '../../commands-setup.ts'

useCommands()

test.each([
  ['en', 'Drafts are off.', 'Drafts are on.'],
  ['ru', 'Черновики выключены.', 'Черновики включены.'],
])(
  '/drafts says in %s what is chosen, also to what it does not know',
  async (languageCode, off, on) => {
    const { send, answerTo } = await setUp()
    const userId = await send('hello', { languageCode })
    await database.prisma.user.create({ data: { id: userId, firstName: 'Anna', languageCode } })
    const answersTo = async (command: string) => answerTo(await send(command, { userId }))

    expect(await answersTo('/drafts')).toContain(`${off}\n\n`)
    await send('/drafts ON', { userId })
    expect(await answersTo('/drafts maybe')).toContain(`${on}\n\n`)
    await send('/drafts off', { userId })
    expect(await answersTo('/drafts')).toContain(off)
  },
)
