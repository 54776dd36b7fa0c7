/** A mistake of a bot that the server lets pass, or refuses for now. */
export type LintRule =
  /** More than 5 edits in 5 s in a private chat, or more than 18 messages and edits a minute in a group. */
  | 'edit-too-often'
  /** An edit that changes nothing. */
  | 'identical-edit'
  /** Before the time named in a 429 is over. */
  | 'call-during-ban'
  /** A message to a chat that refused the bot and has not taken it back. */
  | 'send-after-403'
  /** The draft had faded before its next frame. */
  | 'draft-gap'
  /** A frame of a draft that its reader has stopped. */
  | 'draft-after-stop'
  /** A draft that can be stopped, by a bot that does not ask for the update. */
  | 'stop-unheard'
  /** The same message twice within 10 s, after the first one's answer got lost or failed. */
  | 'double-send'
  /** A rich message without `skip_entity_detection`. */
  | 'entity-detection-on'
