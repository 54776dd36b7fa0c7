/** The conversation a chat is in. */
export interface CurrentConversation {
  id: bigint
  /** The model chosen for it; null means the default. */
  model: string | null
}

/** Where a conversation is held: a chat, or one topic in it (0 where there are none). */
export interface Place {
  chatId: number
  threadId: number
}

export interface Conversations {
  /** The newest conversation of the place; the first one is made here. */
  current(place: Place): Promise<CurrentConversation>
  /** Begins a new conversation with the model of the one before. */
  begin(place: Place): Promise<CurrentConversation>
  /** Changes the model of the current conversation; null is the default. */
  chooseModel(place: Place, model: string | null): Promise<void>
}
