import { expect, test } from 'vitest'
import { createManualClock } from '../../../platform/time/manual-clock.ts'
import { openPlayground } from '../../open-playground.ts'

const GROUP = -1_000_000_000_054
const BASIC = -54

/** Ann made the groups, Bob is in them. */
async function openGroups() {
  const clock = createManualClock()
  const opened = await openPlayground({ clock })
  const { playground } = opened
  playground.addUser({ id: 6, firstName: 'Bob' })
  playground.addGroup({ id: GROUP, title: 'Team', members: [5, 6], botStatus: 'administrator' })
  playground.addGroup({ id: BASIC, title: 'Few', members: [5, 6] })
  return { ...opened, clock }
}

test('a banned person is out, cannot write, and may come back when it is over', async () => {
  const { api, playground, clock } = await openGroups()
  const write = () => playground.userSends({ userId: 6, chatId: GROUP, text: '/hi' })
  const until_date = Math.floor(clock.date().getTime() / 1000) + 3_600

  await api.banChatMember(GROUP, 6, { until_date })

  expect(await api.getChatMember(GROUP, 6)).toMatchObject({ status: 'kicked', until_date })
  expect(await api.getChatMemberCount(GROUP)).toBe(2)
  expect((await api.getUpdates())[0]?.message).toMatchObject({ left_chat_member: { id: 6 } })
  expect(write).toThrow('may not write in chat')
  clock.advance(3_600_000)
  expect((await api.getChatMember(GROUP, 6)).status).toBe('left')
  expect(write).not.toThrow()
})

test('the bot gets updates of members that change, if it asked for them', async () => {
  const { api, clock } = await openGroups()
  await api.getUpdates({ allowed_updates: ['chat_member'] })
  // The same offset again at once would be answered with one update.
  clock.advance(1_000)

  await api.banChatMember(GROUP, 6, { revoke_messages: true })
  await api.unbanChatMember(GROUP, 6)

  const changes = (await api.getUpdates()).map(({ chat_member: change }) => [
    change?.old_chat_member.status,
    change?.new_chat_member.status,
  ])
  expect(changes).toEqual([
    ['member', 'kicked'],
    ['kicked', 'left'],
  ])
})

test('a restricted person reads, and with every permission is a member again', async () => {
  const { api, playground } = await openGroups()
  const all = Object.fromEntries(
    Object.keys((await api.getChat(GROUP)).permissions ?? {}).map((name) => [name, true]),
  )

  await api.restrictChatMember(GROUP, 6, { can_send_messages: false })

  expect(await api.getChatMember(GROUP, 6)).toMatchObject({
    status: 'restricted',
    is_member: true,
    can_send_messages: false,
  })
  expect(() => playground.userSends({ userId: 6, chatId: GROUP, text: 'hi' })).toThrow()
  await api.restrictChatMember(GROUP, 6, all)
  expect((await api.getChatMember(GROUP, 6)).status).toBe('member')
})

test('the owner, foreign administrators and the bot itself cannot be put out', async () => {
  const { api, refusalOf, playground } = await openGroups()
  const ban = (user_id: number, chat_id = GROUP) => refusalOf('banChatMember', { chat_id, user_id })

  expect(await ban(5)).toBe("Bad Request: can't remove chat owner")
  expect(await ban(playground.me.id)).toBe("Bad Request: can't restrict self")
  expect(await ban(99)).toBe('Bad Request: PARTICIPANT_ID_INVALID')
  expect(await ban(0)).toBe('Bad Request: invalid user_id specified')
  expect(await ban(5, 5)).toBe("Bad Request: can't ban members in private chats")
  expect(await ban(6, BASIC)).toBe('Bad Request: CHAT_ADMIN_REQUIRED')
  await api.promoteChatMember(GROUP, 6, { can_pin_messages: true })
  expect(await refusalOf('kickChatMember', { chat_id: GROUP, user_id: 6 })).toBe('ok')
  playground.setBotStatus(GROUP, 'member')
  expect(await ban(6)).toBe('Bad Request: not enough rights to restrict/unrestrict chat member')
})

test('small groups refuse to restrict and to unban', async () => {
  const { refusalOf } = await openGroups()
  const call = (method: string) =>
    refusalOf(method, { chat_id: BASIC, user_id: 6, permissions: {} })

  expect(await call('restrictChatMember')).toBe(
    'Bad Request: method is available only for supergroups',
  )
  expect(await call('unbanChatMember')).toBe(
    'Bad Request: method is available for supergroup and channel chats only',
  )
})

test('unbanChatMember() puts a member out, unless only bans are meant', async () => {
  const { api } = await openGroups()
  const statusOf = async () => (await api.getChatMember(GROUP, 6)).status

  await api.unbanChatMember(GROUP, 6, { only_if_banned: true })
  expect(await statusOf()).toBe('member')
  await api.unbanChatMember(GROUP, 6)
  expect(await statusOf()).toBe('left')
})

test('a bot that left gets an update, and is no member any more', async () => {
  const { api, refusalOf } = await openGroups()

  await api.leaveChat(GROUP)

  const [message, change] = await api.getUpdates()
  expect(message?.message).toMatchObject({ left_chat_member: { is_bot: true } })
  expect(change?.my_chat_member).toMatchObject({
    old_chat_member: { status: 'administrator' },
    new_chat_member: { status: 'left' },
  })
  expect(await refusalOf('sendMessage', { chat_id: GROUP, text: 'a' })).toBe(
    'Forbidden: bot is not a member of the supergroup chat',
  )
  expect(await refusalOf('leaveChat', { chat_id: 5 })).toBe(
    "Bad Request: can't leave private chats",
  )
})
