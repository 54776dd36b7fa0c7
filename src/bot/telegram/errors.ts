/**
 * Reads the errors of calls to Telegram.
 * In: errors of grammY. Out: the meaning of a failed call, and errors with a code for callers.
 * Invariant: no result holds a text of the call or the token.
 */
import { BotError, GrammyError, HttpError } from 'grammy'
import { type LoggedError, toLoggedError } from '../../platform/log.ts'
import { MendableError } from '../../platform/mendable.ts'

/** Telegram refuses what the operator has set. Trying again would not help. */
export class SettingRefusedError extends MendableError {
  override readonly name = 'SettingRefusedError'
  readonly code = 'setting_refused'

  constructor(setting: 'BOT_TOKEN' | 'PUBLIC_URL', reason: string) {
    super(`Cannot go on: Telegram refuses ${setting}: ${reason}`)
  }
}

export class UnansweredError extends Error {
  override readonly name = 'UnansweredError'
  /** False if no connection came about: nothing was done. */
  readonly isSent: boolean

  constructor(isSent: boolean, cause: unknown) {
    super(`Cannot tell what became of a call: ${isSent ? 'no answer came' : 'it was not sent'}`, {
      cause,
    })
    this.isSent = isSent
  }
}

export type TelegramErrorCode =
  /** The bot was blocked or may not write, or the account or chat does not exist. */
  | 'chat_unreachable'
  /** No answer came: the message may be in the chat. It is never sent again blindly. */
  | 'outcome_unknown'
  /** Telegram could not fetch the URL of a file, or the file is too big or of the wrong type. */
  | 'media_refused'
  /** The group became a supergroup: the old id takes nothing more. */
  | 'chat_migrated'
  /** Without formatting, or with less of it, Telegram may take the text. */
  | 'formatting_refused'
  | 'call_refused'

interface TelegramErrorFacts {
  code: TelegramErrorCode
  chatId: number
  reason: string
  status?: number
  newChatId?: number
  /** Formatting that the server does not know, or that may not be sent to the chat. */
  isUnsupported?: boolean
  isForbidden?: boolean
}

export class TelegramError extends Error {
  override readonly name = 'TelegramError'
  readonly code: TelegramErrorCode
  readonly facts: TelegramErrorFacts

  constructor(facts: TelegramErrorFacts) {
    const { code, chatId, status = '', reason } = facts
    super(`Cannot show something in chat ${chatId}: ${code}: ${status} ${reason}`)
    this.code = code
    this.facts = facts
  }
}

export function isTelegramError(
  error: unknown,
  ...codes: readonly TelegramErrorCode[]
): error is TelegramError {
  return error instanceof TelegramError && codes.includes(error.code)
}

export type CallFailure =
  /** 429: nothing was done, and nothing will be for that long. */
  | { type: 'flooded'; retryAfterMs: number }
  /** No connection came about: nothing was done. */
  | { type: 'not_sent'; reason: string }
  /** It was sent without a clear answer: it may have been done. */
  | { type: 'unknown'; reason: string }
  /** Telegram refuses it, and will refuse it again. */
  | { type: 'refused'; status: number; reason: string; migrateToChatId?: number | undefined }

const RETRY_AFTER_DEFAULT_S = 5

/** An apostrophe within a word quotes nothing. */
const OWN_WORDS = /^(?:[\w ,;/()-]|(?<=\w)'(?=\w))*/

/** @throws The error itself if it is not grammY's: a mistake of the program. */
export function readFailure(error: unknown): CallFailure {
  if (error instanceof GrammyError) return readRefusal(error)
  // The errors beneath it quote the URL.
  if (error instanceof HttpError) return readNetworkError(error.error)
  throw error
}

function readRefusal({ error_code: status, description, parameters }: GrammyError): CallFailure {
  if (status === 429) {
    return {
      type: 'flooded',
      retryAfterMs: (parameters.retry_after ?? RETRY_AFTER_DEFAULT_S) * 1000,
    }
  }
  const reason = toReason(description)
  if (status >= 500) return { type: 'unknown', reason: `${status} ${reason}` }
  return { type: 'refused', status, reason, migrateToChatId: parameters.migrate_to_chat_id }
}

/** Text after a colon or a quotation mark may be a piece of the text that was sent. */
function toReason(description: string): string {
  const [reason = ''] = OWN_WORDS.exec(description.replace(/^[A-Z][\w ]*: /, '')) ?? []
  return reason.trimEnd()
}

function readNetworkError(error: unknown): CallFailure {
  const isSent = !(error instanceof UnansweredError) || error.isSent
  const { code } = (error instanceof UnansweredError ? error.cause : error) as { code?: unknown }
  const reason = typeof code === 'string' ? code : 'no answer'
  return { type: isSent ? 'unknown' : 'not_sent', reason }
}

const MEANINGS = {
  notModified: ['message is not modified'],
  /** The message was deleted, or became something whose text cannot be edited. */
  gone: [
    'message to edit not found',
    "message can't be edited",
    'MESSAGE_ID_INVALID',
    'there is no text in the message',
  ],
  media: [
    'failed to get HTTP URL content',
    'wrong type of the web page content',
    'wrong HTTP URL specified',
    'wrong file identifier',
    'wrong remote file identifier',
    "can't use file of type",
    'file is too big',
    'file must be non-empty',
    'Request Entity Too Large',
    'IMAGE_PROCESS_FAILED',
    'PHOTO_',
    'AUDIO_',
    'VIDEO_',
    // One of an album.
    'failed to send message',
    // The chat takes texts and no files of this kind.
    'not enough rights to send photos',
    'not enough rights to send videos',
    'not enough rights to send audios',
    'not enough rights to send documents',
    'not enough rights to send media',
  ],
  formatting: [
    'RICH_MESSAGE_',
    'rich message must be',
    "can't parse",
    'entity ',
    'entities ',
    'ENTITY_',
    'ENTITIES_',
  ],
  richForbidden: ['not enough rights to send the rich message'],
  /** The server ignored the only content of an edit. */
  textMissing: ['message text is empty'],
  /** The topic was deleted; its chat is there. */
  topicGone: ['message thread not found', 'TOPIC_DELETED', 'TOPIC_ID_INVALID'],
  /** The account or the chat is gone, or bots may not write there. */
  unreachable: [
    'chat not found',
    'PEER_ID_INVALID',
    'not enough rights',
    'have no write access to the chat',
    'need administrator rights',
    'TOPIC_CLOSED',
    'CHAT_ADMIN_REQUIRED',
    'CHAT_FORBIDDEN',
    'CHAT_GUEST_SEND_FORBIDDEN',
    'CHAT_RESTRICTED',
    'CHAT_SEND_PLAIN_FORBIDDEN',
    'CHAT_WRITE_FORBIDDEN',
    'CHANNEL_',
    'USER_BANNED_IN_CHANNEL',
  ],
} as const

export function isRefusal(failure: CallFailure, meaning: keyof typeof MEANINGS): boolean {
  if (failure.type !== 'refused') return false
  return MEANINGS[meaning].some((beginning) => failure.reason.startsWith(beginning))
}

export function toSendError(failure: CallFailure, chatId: number, isMarkdown = false): Error {
  if (failure.type === 'flooded') return new TypeError('Cannot end a call that was flooded')
  const { reason } = failure
  if (failure.type !== 'refused') {
    return new TelegramError({ code: 'outcome_unknown', chatId, reason })
  }
  const { status, migrateToChatId: newChatId } = failure
  const facts = { chatId, status, reason }
  if (isRefusal(failure, 'media')) return new TelegramError({ code: 'media_refused', ...facts })
  if (newChatId !== undefined) {
    return new TelegramError({ code: 'chat_migrated', ...facts, newChatId })
  }
  const isForbidden = isRefusal(failure, 'richForbidden')
  // The bot was blocked or thrown out.
  const isShutOut = status === 403 || (!isForbidden && isRefusal(failure, 'unreachable'))
  if (isShutOut) return new TelegramError({ code: 'chat_unreachable', ...facts })
  // An older server does not know the method.
  const isUnknown = status === 404 || isRefusal(failure, 'textMissing')
  const isUnsupported = isUnknown && isMarkdown
  const isFormatting = status === 400 && isRefusal(failure, 'formatting')
  if (!isUnsupported && !isForbidden && !isFormatting) {
    return new TelegramError({ code: 'call_refused', ...facts })
  }
  return new TelegramError({ code: 'formatting_refused', ...facts, isUnsupported, isForbidden })
}

/** Returns what a log line may hold; of a Bot API error only the method and Telegram's reason, not the call. */
export function errorFacts(thrown: unknown): LoggedError {
  const error = thrown instanceof BotError ? thrown.error : thrown
  const facts = toLoggedError(error)
  if (!(error instanceof GrammyError)) return facts
  const { method, error_code, description } = error
  return { ...facts, message: `${method}: ${error_code} ${toReason(description)}` }
}
