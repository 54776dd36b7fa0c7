import type { ChatThread } from '../addressing/chat-thread.ts'
import type { Sender } from '../addressing/sender.ts'
import type { TextVariables } from '../locales/texts.ts'
import type { TextBody } from '../telegram/outbox/body.ts'
import type { Extras, MessageRef, OutgoingDocument } from '../telegram/outbox/outbox.ts'

/** A command as somebody typed it. */
export interface Command extends ChatThread {
  messageId: number
  user: Sender
  isAdmin: boolean
  /** What stands behind the command's name, trimmed. */
  argument: string
  /** A text in the user's language. */
  t(key: string, variables?: TextVariables): string
  answer(
    text: string,
    extras?: Pick<Extras, 'keyboard'> & Pick<TextBody, 'entities'>,
  ): Promise<void>
  answerFile(file: Pick<OutgoingDocument, 'fileName' | 'bytes'>): Promise<void>
}

export type CommandHandler = (command: Command) => Promise<void>

/** A button below a command's answer, pressed by whomever. */
export interface Press extends ChatThread {
  callbackQueryId: string
  data: string
  /** What the button stands below. */
  message: MessageRef
  user: Sender
  t: Command['t']
}
