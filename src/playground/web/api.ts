import type {
  BotCommand,
  Chat,
  ForceReply,
  MenuButton,
  Message,
  MessageEntity,
  User,
  UserFromGetMe,
} from 'grammy/types'

/**
 * The wire format between the playground's page and its server: JSON in `snake_case`, with the Bot API's own
 * objects inside. Every path is below `/playground`. The page imports no other file of the server.
 */

/** A message as somebody's client has it. */
export interface WireMessage {
  message: Message
  /** A reply that the bot asks for; the Bot API itself never shows it to a bot. */
  keyboard?: ForceReply
}

/** A chat without its messages, as the person sees it. */
export interface WireChat {
  chat: Chat
  /** The topics without General. */
  topics: { thread_id: number; name: string }[]
  members: number[]
  /** True if the person pressed Start once, and in every chat that is not private. */
  is_started: boolean
  /** True if the person blocked the bot in their private chat. */
  is_blocked: boolean
  /** The bot's membership. */
  bot_status: 'member' | 'administrator' | 'restricted' | 'left' | 'kicked'
  /** The list that this person is suggested here. */
  commands: BotCommand[]
  /** The button beside the field for a message; private chats only. */
  menu_button: MenuButton
  /** The topics in which the bot is typing; 0 is General, and every chat without topics. */
  typing: number[]
}

export interface WireBot {
  me: UserFromGetMe
  /** Before Start, in the person's language. */
  description: string
  /** Bytes that a person may send in one file. */
  file_bytes_max: number
  /** What a person types to go on with a key of theirs, while demo models answer. */
  setup_command: string | null
}

/**
 * The events of `GET /live?as=USER_ID[&panel=1]`, by name; the data of each is JSON of this shape. Without `as`, or
 * with an id that no person has, it is the first person's: the `as` of the state is their id.
 */
export interface LiveEvents {
  /** Comes first on every connection, and whole again after each change. */
  state: {
    /** An id of the server's start. */
    build: string
    bot: WireBot
    as: number
    people: User[]
    /** The chats that the person is in. */
    chats: WireChat[]
  }
  /** The last messages of a chat, once on a connection and before any other message of the chat. */
  history: HistoryAnswer & { chat_id: number }
  /** A new message, or a known one that has changed. */
  message: { chat_id: number; message: WireMessage }
  deleted: { chat_id: number; message_ids: number[] }
  /** How the bot answered this person's press of a button. */
  answer: { chat_id: number; message_id: number; text: string }
  /** A sign of life at least each 15 s, by which a dead connection is noticed. */
  ping: object
  /** Only with `panel=1`: first the whole list, then what is new. */
  flow: WireFlow[]
}

/** A movement of money in the embedded service. */
export interface WireFlow {
  seq: number
  at: number
  kind: 'hold' | 'settle' | 'release' | 'keep' | 'debit' | 'refund'
  /** The reference that a hold and its settlement share. */
  reference: string
  account: string
  /** The model or the label. */
  text: string
  /** Decimal roubles: what is held, settled, given back. */
  amount_rub?: string
  /** The amount that was held before a settlement. */
  held_rub?: string
}

/**
 * The person's steps, each a `POST` with JSON. `user_id` is the person. A step that no client allows is
 * refused with 4xx and `{ detail }` in plain words.
 */
export interface Actions {
  /** A text of any length, which is split as clients split it. */
  '/chats/:id/messages': {
    body: {
      user_id: number
      text: string
      entities?: MessageEntity[]
      thread_id?: number
      reply_to_message_id?: number
      quote?: string
    }
    answer: { messages: WireMessage[] }
  }
  '/chats/:id/edits': {
    body: { user_id: number; message_id: number; text: string }
    answer: { message: WireMessage }
  }
  '/chats/:id/deletions': { body: { user_id: number; message_ids: number[] }; answer: object }
  /** Presses a button, which is named by its data. */
  '/chats/:id/presses': {
    body: { user_id: number; message_id: number; data: string }
    answer: { callback_query_id: string }
  }
  /** Start, block and unblock the bot. */
  '/chats/:id/starts': { body: { user_id: number; payload?: string }; answer: object }
  '/chats/:id/blocks': { body: { user_id: number; is_blocked: boolean }; answer: object }
  '/chats/:id/topics': {
    body: { user_id: number; name: string }
    answer: { thread_id: number }
  }
  /** Opens the Mini App of a menu button or of a `web_app` button. */
  '/chats/:id/web-apps': { body: { user_id: number; url: string }; answer: { init_data: string } }
  /** Changes the language that the bot gets. */
  '/people/:id': { body: { language_code: string }; answer: User }
  '/people': { body: { first_name: string; language_code?: string }; answer: User }
}

/**
 * `GET /chats/:id/history?as=USER_ID&before=MESSAGE_ID`: older messages of all topics, oldest first.
 */
export interface HistoryAnswer {
  messages: WireMessage[]
  has_more: boolean
}

/**
 * `POST /chats/:id/files?user_id=&file_name=&kind=photo|document|voice|video|audio&caption=&thread_id=
 * &reply_to_message_id=&media_group_id=&mime=`: the body is the file's bytes, of `application/octet-stream` always,
 * since `text/plain` could come from a form of any site. `mime` is the file's own type.
 */
export interface FileAnswer {
  messages: WireMessage[]
}

/** `GET /files/FILE_ID`, with ranges: the bytes of any photo, video, audio, voice or document that a message shows. */

/** How a request is refused. */
export interface RefusalAnswer {
  detail: string
}
