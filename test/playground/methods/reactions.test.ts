import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

test('setMessageReaction() replaces the last reaction by another, or takes it back', async () => {
  const { api, playground } = await openPlayground()
  const { message_id } = playground.userSends({ userId: 5, text: 'hi' })
  const changes: string[] = []
  playground.onChange(({ kind }) => changes.push(kind))

  await api.setMessageReaction(5, message_id, [{ type: 'emoji', emoji: '👍' }])
  await api.setMessageReaction(5, message_id, [{ type: 'emoji', emoji: '❤‍🔥' }])
  await api.setMessageReaction(5, message_id, [])

  expect(changes.filter((kind) => kind === 'reacted')).toHaveLength(3)
})

test('a reaction is one of those that Telegram offers, on a message that is there', async () => {
  const { refusalOf, playground } = await openPlayground()
  const { message_id } = playground.userSends({ userId: 5, text: 'hi' })
  const react = (reaction: unknown, id = message_id) =>
    refusalOf('setMessageReaction', { chat_id: 5, message_id: id, reaction })
  const thumb = { type: 'emoji', emoji: '👍' }

  expect(await react('[')).toBe("Bad Request: can't parse reaction types JSON object")
  expect(await react({})).toBe('Bad Request: expected an Array of ReactionType')
  expect(await react([5])).toBe("Bad Request: can't parse ReactionType: expected an Object")
  expect(await react([{}])).toBe('Bad Request: can\'t parse ReactionType: Can\'t find field "type"')
  expect(await react([{ type: 'x' }])).toBe(
    "Bad Request: can't parse ReactionType: invalid reaction type specified",
  )
  expect(await react([thumb], 999)).toBe('Bad Request: message to react not found')
  expect(await react([thumb, thumb])).toBe('Bad Request: REACTIONS_TOO_MANY')
  expect(await react([{ type: 'emoji', emoji: '🚗' }])).toBe('Bad Request: REACTION_INVALID')
  expect(await react([{ type: 'custom_emoji', custom_emoji_id: '1' }])).toBe(
    'Bad Request: REACTION_INVALID',
  )
  expect(await react([thumb])).toBe('ok')
})
