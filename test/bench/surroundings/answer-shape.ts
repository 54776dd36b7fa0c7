/** How a model writes an answer. */
export interface AnswerShape {
  /** The time from the whole request to the first delta, in which a model thinks. */
  firstDeltaAfterMs: number
  deltas: number
  intervalMs: number
}
