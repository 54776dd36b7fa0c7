import { GrammyError, HttpError } from 'grammy'
import {
  CallRefusedError,
  ChatMigratedError,
  ChatUnreachableError,
  FormattingRefusedError,
  MediaRefusedError,
  SendOutcomeUnknownError,
} from './errors.ts'
import { UnansweredError } from './telegram-fetch.ts'

/** The meaning of a failed call to Telegram for its caller. */
export type CallFailure =
  /** 429: nothing was done, and nothing will be for that long. */
  | { type: 'flooded'; retryAfterMs: number }
  /** No connection came about: nothing was done. */
  | { type: 'not_sent'; reason: string }
  /** It went out and no answer came, or one that says nothing: it may have been done. */
  | { type: 'unknown'; reason: string }
  /** Telegram said no, and will again. */
  | CallRefusal

export interface CallRefusal {
  type: 'refused'
  method: string
  status: number
  reason: string
  migrateToChatId?: number
}

const RETRY_AFTER_DEFAULT_S = 5

/** An apostrophe within a word quotes nothing. */
const OWN_WORDS = /^(?:[\w ,;/()-]|(?<=\w)'(?=\w))*/

/**
 * Reads an error that grammY threw. What comes back holds no text of the call and no token: the
 * errors beneath `HttpError` quote the URL.
 *
 * @throws The error itself if it is none of grammY's: a mistake of the program.
 */
export function readFailure(error: unknown): CallFailure {
  if (error instanceof GrammyError) return readRefusal(error)
  if (error instanceof HttpError) return readNetworkError(error.error)
  throw error
}

function readRefusal({ method, error_code, description, parameters }: GrammyError): CallFailure {
  if (error_code === 429) {
    const statedSeconds =
      parameters.retry_after ?? Number(/retry after (\d+)/.exec(description)?.[1])
    const seconds = Number.isFinite(statedSeconds) ? statedSeconds : RETRY_AFTER_DEFAULT_S
    return { type: 'flooded', retryAfterMs: seconds * 1000 }
  }
  const reason = toReason(description)
  if (error_code >= 500) return { type: 'unknown', reason: `${error_code} ${reason}` }
  const { migrate_to_chat_id: migrateToChatId } = parameters
  return {
    type: 'refused',
    method,
    status: error_code,
    reason,
    ...(migrateToChatId !== undefined && { migrateToChatId }),
  }
}

/**
 * Takes the words that are Telegram's own from a refusal, without the name of the status in front. What
 * follows a colon or a quotation mark may be a piece of the text that was sent.
 */
export function toReason(description: string): string {
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
  /** The server is older than a kind of formatting. */
  entityUnknown: ["can't parse MessageEntity"],
  richForbidden: ['not enough rights to send the rich message'],
  /** The server passed over the only thing that an edit brought. */
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
    'CHANNEL_INVALID',
    'CHANNEL_PRIVATE',
    'USER_BANNED_IN_CHANNEL',
  ],
} as const

/** Checks whether a failure is a refusal of that meaning. */
export function isRefusal(
  failure: CallFailure,
  meaning: keyof typeof MEANINGS,
): failure is CallRefusal {
  if (failure.type !== 'refused') return false
  return MEANINGS[meaning].some((beginning) => failure.reason.startsWith(beginning))
}

/** Makes the error by which callers know why a message is not shown, or that its outcome is unknown. */
export function toSendError(failure: CallFailure, chatId: number, isMarkdown = false): Error {
  if (failure.type === 'flooded') return new TypeError('Cannot end a call that was flooded')
  const { reason } = failure
  if (failure.type !== 'refused') return new SendOutcomeUnknownError(chatId, reason)
  const { status, migrateToChatId } = failure
  if (isRefusal(failure, 'media')) return new MediaRefusedError(reason)
  if (migrateToChatId !== undefined) return new ChatMigratedError(chatId, migrateToChatId)
  const isForbidden = isRefusal(failure, 'richForbidden')
  // The bot was blocked or thrown out.
  const isShutOut = status === 403 || (!isForbidden && isRefusal(failure, 'unreachable'))
  if (isShutOut) return new ChatUnreachableError(chatId, reason)
  // A method that the server does not know is younger than it.
  const isUnknown = status === 404 || isRefusal(failure, 'textMissing')
  const isUnsupported = isUnknown && isMarkdown
  if (isUnsupported || isForbidden || (status === 400 && isRefusal(failure, 'formatting'))) {
    return new FormattingRefusedError({ reason, isUnsupported, isForbidden })
  }
  return new CallRefusedError(failure)
}
