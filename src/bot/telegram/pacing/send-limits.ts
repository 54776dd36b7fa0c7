/**
 * The pace that Telegram bears, as far as it says: about one message a second in a chat and short bursts,
 * 20 a minute in a group, 30 a second in all. Edits count like messages.
 */
export interface SendLimits {
  overall: {
    calls: number
    windowMs: number
  }
  private: {
    everyMs: number
    /** How many calls that must arrive may come in a burst; interim ones never do. */
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
