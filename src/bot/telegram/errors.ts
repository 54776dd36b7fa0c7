import { MendableError } from '../../platform/mendable.ts'

/** Telegram refuses what the operator has set. Trying again would not help. */
export class SettingRefusedError extends MendableError {
  override readonly name = 'SettingRefusedError'
  readonly code = 'setting_refused'

  constructor(setting: 'BOT_TOKEN' | 'PUBLIC_URL', reason: string) {
    super(`Cannot go on: Telegram refuses ${setting}: ${reason}`)
  }
}

/** The chat will take nothing from the bot: it was blocked, may not write, or there is no such account or chat. */
export class ChatUnreachableError extends Error {
  override readonly name = 'ChatUnreachableError'
  readonly code = 'chat_unreachable'
  readonly chatId: number

  constructor(chatId: number, reason: string) {
    super(`Cannot reach chat ${chatId}: ${reason}`)
    this.chatId = chatId
  }
}

/** A message was sent and no answer came: it may stand in the chat. Never sent again blindly. */
export class SendOutcomeUnknownError extends Error {
  override readonly name = 'SendOutcomeUnknownError'
  readonly code = 'send_outcome_unknown'
  readonly chatId: number

  constructor(chatId: number, reason: string) {
    super(`Cannot tell whether a message to chat ${chatId} was sent: ${reason}`)
    this.chatId = chatId
  }
}

/** Telegram will not take a file: it could not fetch the URL, or the file is too big or of the wrong type. */
export class MediaRefusedError extends Error {
  override readonly name = 'MediaRefusedError'
  readonly code = 'media_refused'

  constructor(reason: string) {
    super(`Cannot show media: ${reason}`)
  }
}

/** A group became a supergroup: it lives on under a new id, and the old one takes nothing more. */
export class ChatMigratedError extends Error {
  override readonly name = 'ChatMigratedError'
  readonly code = 'chat_migrated'
  readonly chatId: number
  readonly newChatId: number

  constructor(chatId: number, newChatId: number) {
    super(`Cannot reach chat ${chatId}: it became chat ${newChatId}`)
    this.chatId = chatId
    this.newChatId = newChatId
  }
}

/** Telegram will not take the formatting of a text; without it, or with less of it, it may. */
export class FormattingRefusedError extends Error {
  override readonly name = 'FormattingRefusedError'
  readonly code = 'formatting_refused'
  readonly reason: string
  readonly isUnsupported: boolean
  readonly isForbidden: boolean

  constructor({
    reason,
    isUnsupported = false,
    isForbidden = false,
  }: {
    reason: string
    isUnsupported?: boolean
    isForbidden?: boolean
  }) {
    super(`Cannot show formatted text: ${reason}`)
    this.reason = reason
    this.isUnsupported = isUnsupported
    this.isForbidden = isForbidden
  }
}

/** A call that Telegram refused for an unexpected reason. It holds none of the call's texts. */
export class CallRefusedError extends Error {
  override readonly name = 'CallRefusedError'
  readonly code = 'call_refused'
  readonly method: string
  readonly status: number

  constructor({ method, status, reason }: { method: string; status: number; reason: string }) {
    super(`Cannot call ${method}: ${status} ${reason}`)
    this.method = method
    this.status = status
  }
}
