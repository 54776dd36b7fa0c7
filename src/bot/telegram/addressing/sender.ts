import type { Context } from 'grammy'
import type { UserRole } from '../../../platform/database/generated/enums.ts'

/** A user who writes to the bot, or a group whose admin writes in its name. */
export interface Sender {
  /** A group's is negative. */
  id: number
  firstName: string
  username?: string | undefined
  /** The language of every text for them: the one they chose, otherwise Telegram's. */
  languageCode?: string | undefined
  role?: UserRole | undefined
  openCardId?: bigint | undefined
}

/** The context of an update once it is known who sent it. */
export type BotContext = Context & { sender: Sender }

/** Telegram's stand-in for the admins of groups who write anonymously. */
const ANONYMOUS_ADMIN_ID = 1_087_968_824

/** Checks whether an update has a sender who could be answered, and gives it to the handlers. */
export function hasSender(ctx: Context): ctx is BotContext {
  const sender = readSender(ctx)
  if (sender === undefined) return false
  Object.assign(ctx, { sender })
  return true
}

/**
 * Reads who sent an update; undefined where the sender cannot be answered: another bot, a
 * channel, or what a group forwards from its channel by itself.
 *
 * An anonymous admin is the group: Telegram does not say which of its admins it was.
 */
function readSender(ctx: Context): Sender | undefined {
  const { from, chat } = ctx
  // A press stands on a message that the bot sent; who pressed is another matter.
  const message = ctx.callbackQuery === undefined ? ctx.msg : undefined
  if (message?.is_automatic_forward) return undefined
  if (message?.sender_chat !== undefined) {
    const isOwnGroup = chat !== undefined && message.sender_chat.id === chat.id
    if (!isOwnGroup || from?.id !== ANONYMOUS_ADMIN_ID) return undefined
    return { id: chat.id, firstName: chat.title ?? '' }
  }
  if (from === undefined || from.is_bot) return undefined
  const { id, first_name: firstName, username, language_code: languageCode } = from
  return { id, firstName, username, languageCode }
}
