import { expect, test } from 'vitest'
import { openPlayground } from '../../open-playground.ts'

const GROUP = -1_000_000_000_052

/** Ann made the group, Bob is in it, Cid is not. */
async function openGroup() {
  const opened = await openPlayground()
  const { playground } = opened
  playground.addUser({ id: 6, firstName: 'Bob' })
  playground.addUser({ id: 7, firstName: 'Cid' })
  playground.addGroup({ id: GROUP, title: 'Team', members: [5, 6], botStatus: 'administrator' })
  return opened
}

test('getChatMember() distinguishes the owner, a member, a stranger and the bot', async () => {
  const { api, playground } = await openGroup()
  const statusOf = async (userId: number) => (await api.getChatMember(GROUP, userId)).status

  expect(await statusOf(5)).toBe('creator')
  expect(await statusOf(6)).toBe('member')
  expect(await statusOf(7)).toBe('left')
  expect(await statusOf(playground.me.id)).toBe('administrator')
  expect(await api.getChatMember(5, 5)).toMatchObject({ status: 'member', user: { id: 5 } })
})

test('getChatMember() refuses ids that no user has', async () => {
  const { refusalOf } = await openGroup()
  const find = (chat_id: number, user_id?: unknown) =>
    refusalOf('getChatMember', { chat_id, user_id })

  expect(await find(GROUP)).toBe('Bad Request: invalid user_id specified')
  expect(await find(GROUP, 'x')).toBe('Bad Request: invalid user_id specified')
  expect(await find(GROUP, 99)).toBe('Bad Request: PARTICIPANT_ID_INVALID')
  expect(await find(5, 99)).toBe('Bad Request: user not found')
})

test('administrators are the owner, those with rights, and the bot', async () => {
  const { api, refusalOf } = await openGroup()
  const admins = async () =>
    (await api.getChatAdministrators(GROUP)).map(({ status, user }) => [status, user.first_name])

  expect(await admins()).toEqual([
    ['creator', 'Ann'],
    ['administrator', 'Kopeck'],
  ])
  await api.promoteChatMember(GROUP, 6, { can_pin_messages: true })
  expect(await admins()).toContainEqual(['administrator', 'Bob'])
  expect(await api.getChatMemberCount(GROUP)).toBe(3)
  expect(await api.getChatMemberCount(5)).toBe(2)
  expect(await refusalOf('getChatAdministrators', { chat_id: 5 })).toBe(
    'Bad Request: there are no administrators in the private chat',
  )
})

test('the members of a channel are seen by its administrators alone', async () => {
  const { refusalOf, playground } = await openGroup()
  const channel = -1_000_000_000_053
  playground.addChannel({ id: channel, title: 'News', members: [5] })
  const find = (user_id: number) => refusalOf('getChatMember', { chat_id: channel, user_id })

  expect(await find(5)).toBe('ok')
  playground.setBotStatus(channel, 'member')
  expect(await find(5)).toBe('Bad Request: member list is inaccessible')
  expect(await find(playground.me.id)).toBe('ok')
})

test('an administrator that the bot made can be given a title', async () => {
  const { api, refusalOf } = await openGroup()
  const title = (user_id: number) =>
    refusalOf('setChatAdministratorCustomTitle', {
      chat_id: GROUP,
      user_id,
      custom_title: 'Captain',
    })

  expect(await title(5)).toBe('Bad Request: only creator can edit their custom title')
  expect(await title(6)).toBe('Bad Request: user is not an administrator')
  await api.promoteChatMember(GROUP, 6, { can_pin_messages: true })
  expect(await title(6)).toBe('ok')
  expect(await api.getChatMember(GROUP, 6)).toMatchObject({ custom_title: 'Captain' })
})
