import { answerCallbackQuery } from './answer-callback-query.ts'
import { deleteMyCommands, getMyCommands, setMyCommands } from './commands.ts'
import { deleteMessage } from './delete-message.ts'
import { sendMessageDraft, sendRichMessageDraft } from './drafts.ts'
import { editMessageMedia, editMessageReplyMarkup, editMessageText } from './edits.ts'
import { getFile } from './get-file.ts'
import type { Method } from './method.ts'
import { sendChatAction } from './send-chat-action.ts'
import {
  sendAudio,
  sendDocument,
  sendMessage,
  sendPhoto,
  sendRichMessage,
  sendVideo,
} from './send-messages.ts'
import { deleteWebhook, getUpdates, getWebhookInfo, setWebhook } from './updates.ts'

/** The methods that are built. */
const METHODS: Readonly<Record<string, Method>> = {
  answerCallbackQuery,
  deleteMessage,
  deleteMyCommands,
  deleteWebhook,
  editMessageMedia,
  editMessageReplyMarkup,
  editMessageText,
  getFile,
  getMe: (_call, { world }) => ({ result: world.me }),
  getMyCommands,
  getUpdates,
  getWebhookInfo,
  sendAudio,
  sendChatAction,
  sendDocument,
  sendMessage,
  sendMessageDraft,
  sendPhoto,
  sendRichMessage,
  sendRichMessageDraft,
  sendVideo,
  setMyCommands,
  setWebhook,
}

const BY_LOWER_CASE = new Map(
  Object.entries(METHODS).map(([name, method]) => [name.toLowerCase(), method]),
)

/** Case does not matter, spelling does. */
export function findMethod(name: string): Method | undefined {
  return BY_LOWER_CASE.get(name.toLowerCase())
}
