import { checkMarkupInChat } from '../../content/markup.ts'
import type { MethodAnswer } from '../../wire/envelope.ts'
import type { Content, StoredMessage } from '../../world/message.ts'
import { toMessage } from '../../world/to-message.ts'
import type { NewMessage } from '../../world/world.ts'
import type { MethodCall, MethodDeps } from '../method.ts'
import { checkRecipient, type Target } from './target.ts'

/** The parts of a message that is sent to a target. */
export type Sent = Pick<NewMessage, 'content' | 'mediaGroupId' | 'forwardOrigin'>

/** Sends checked content and answers with its message. */
export async function deliver(
  call: MethodCall,
  deps: MethodDeps,
  target: Target,
  makeContent: () => Content | Promise<Content>,
): Promise<MethodAnswer> {
  const message = await send(call, deps, target, async () => ({ content: await makeContent() }))
  return { result: toMessage(message, deps.world) }
}

/** Flood control, what only the server knows, then the message itself. */
export async function send(
  call: MethodCall,
  deps: MethodDeps,
  target: Target,
  make: () => Sent | Promise<Sent>,
): Promise<StoredMessage> {
  const { chat, replyMarkup } = target
  await call.passFloodControl('send', chat)
  checkMarkupInChat(replyMarkup, chat.type === 'private')
  checkRecipient(chat, deps.world)
  return append(deps, target, await make())
}

/** Stores a message of the bot, and ends its draft and its chat action. */
export function append(
  { world, drafts }: Pick<MethodDeps, 'world' | 'drafts'>,
  { chat, threadId, isProtected, ...more }: Target,
  given: Sent,
): StoredMessage {
  delete chat.action
  drafts.clear(chat.id, threadId)
  return world.append({
    ...more,
    ...given,
    ...(isProtected && { isProtected }),
    chatId: chat.id,
    userId: world.bot.id,
    threadId: threadId || undefined,
    senderChat: chat.type === 'channel' ? chat.shown : undefined,
  })
}
