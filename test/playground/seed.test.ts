import { expect, test } from 'vitest'
import { seed } from '../../src/playground/seed.ts'
import { openPlayground } from './open-playground.ts'
import { openPage } from './web/open-page.ts'

test('seed() brings in three people who have not met the bot, and a group with topics', async () => {
  const { api, apiRoot, playground } = await openPlayground()

  seed(playground)

  const { state } = await openPage(apiRoot, 'as=1001')
  const [own, team] = state.chats
  expect(own).toMatchObject({ chat: { id: 1001, first_name: 'Alex' }, is_started: false })
  expect(team).toMatchObject({
    chat: { title: 'Team', is_forum: true },
    members: [1001, 1002, 1003],
    bot_status: 'member',
    topics: [{ name: 'Ideas' }, { name: 'Clips' }],
  })
  await expect(api.sendMessage(1001, 'hello')).rejects.toThrow("bot can't initiate conversation")
})
