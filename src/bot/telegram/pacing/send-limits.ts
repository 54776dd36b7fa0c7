/**
 * What Telegram bears, as far as it tells: about one message a second in a chat and short bursts,
 * 20 a minute in a group, 30 a second in all. Edits count like messages.
 */
export interface SendLimits {
  /** To all chats together, by all instances together. */
  overall: {
    calls: number
    windowMs: number
  }
  private: {
    everyMs: number
    /** What must arrive may come in a burst; what is not final never does. */
    burst: number
  }
  group: {
    calls: number
    windowMs: number
  }
}

export const SEND_LIMITS: SendLimits = {
  overall: { calls: 30, windowMs: 1000 },
  private: { everyMs: 1000, burst: 3 },
  group: { calls: 20, windowMs: 60_000 },
}
