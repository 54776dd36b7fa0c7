import { checkMarkupInChat } from '../../../content/markup.ts'
import type { MethodAnswer } from '../../../wire/envelope.ts'
import type { Content, StoredMessage } from '../../../world/message.ts'
import { toMessage } from '../../../world/to-message.ts'
import type { NewMessage } from '../../../world/world.ts'
import type { MethodCall, MethodDeps } from '../method.ts'
import { checkRecipient, type Target } from './target.ts'

/** Sends checked content: flood control, what only the server knows, then the message itself. */
export async function deliver(
  call: MethodCall,
  deps: MethodDeps,
  target: Target,
  makeContent: () => Content | Promise<Content>,
): Promise<MethodAnswer> {
  const { chat, replyMarkup } = target
  await call.passFloodControl('send', chat)
  checkMarkupInChat(replyMarkup, chat.type === 'private')
  checkRecipient(chat, deps.world)
  const message = append(deps, target, { content: await makeContent() })
  return { result: toMessage(message, deps.world) }
}

/** Stores a message of the bot, in the place of its draft and of what it seemed to be doing. */
export function append(
  { world, drafts }: Pick<MethodDeps, 'world' | 'drafts'>,
  { chat, threadId, isProtected, ...more }: Target,
  given: Pick<NewMessage, 'content' | 'mediaGroupId' | 'forwardOrigin'>,
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
