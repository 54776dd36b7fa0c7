import { PageRefusal } from '../../../platform/http/page-refusal.ts'
import type { StoredChat } from '../../world/world.ts'
import { type Fields, readFields, readId } from '../http/read-fields.ts'
import { isIn } from '../to-wire/chat.ts'
import type { WebDeps } from '../web-deps.ts'

/** A person who does something, and the chat. */
export interface Entrance {
  userId: number
  chatId: number
  chat: StoredChat
}

type EnterDeps = Pick<WebDeps, 'world' | 'control'>

export interface ChatRequest {
  params: { id: string }
  body: unknown
}

/**
 * Finds who does something in which chat.
 *
 * For a person with curl the id of a private chat is enough: its user is made on first use.
 *
 * @throws {PageRefusal} 403 where they are not in the chat, 404 where there is none.
 */
export function enterChat(
  { params, body }: ChatRequest,
  deps: EnterDeps,
): Entrance & { body: Fields } {
  const fields = readFields(body)
  const chatId = readId(params.id)
  const userId = fields.ifGiven(fields.number, 'user_id') ?? chatId
  const firstName = fields.ifGiven(fields.text, 'first_name')
  return { ...enter({ chatId, userId, firstName }, deps), body: fields }
}

/** The same where ids come without a body. */
export function enter(
  { chatId, userId, firstName }: { chatId: number; userId: number; firstName?: string | undefined },
  { world, control }: EnterDeps,
): Entrance {
  if (userId <= 0) throw new PageRefusal(422, 'A group needs the user_id of who acts in it')
  if (userId === chatId) meet({ userId, firstName }, { world, control })
  const chat = world.chats.get(chatId)
  if (chat === undefined) throw new PageRefusal(404, `There is no chat ${chatId}`)
  if (!isIn(chat, userId)) throw new PageRefusal(403, `User ${userId} is not in chat ${chatId}`)
  return { userId, chatId, chat }
}

/** Makes a user on first use. @throws {PageRefusal} 422 for an id that is no person's. */
export function meet(
  { userId, firstName = `User ${userId}` }: { userId: number; firstName?: string | undefined },
  { world, control }: EnterDeps,
): void {
  if (userId <= 0 || userId === world.me.id)
    throw new PageRefusal(422, `${userId} is no person's id`)
  if (!control.hasUser(userId)) control.addUser({ id: userId, firstName })
}
