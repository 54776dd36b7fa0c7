import { deleteMyCommands, getMyCommands, setMyCommands } from './commands.ts'
import { sendMessageDraft, sendRichMessageDraft } from './drafts.ts'
import { editMessageMedia, editMessageReplyMarkup, editMessageText } from './edits.ts'
import { sendAudio, sendDocument, sendPhoto, sendVideo } from './media-messages.ts'
import type { Method } from './method.ts'
import { getUpdates } from './receiving.ts'
import { sendRichMessage } from './rich-messages.ts'
import { answerCallbackQuery, deleteMessage, getFile, getMe, sendChatAction } from './small.ts'
import { sendMessage } from './text-messages.ts'
import { deleteWebhook, getWebhookInfo, setWebhook } from './webhooks.ts'

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
  getMe,
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
