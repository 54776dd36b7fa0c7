/** How a model writes an answer. */
export interface AnswerShape {
  /** From the whole request to the first delta: the time that a model thinks. */
  firstDeltaAfterMs: number
  deltas: number
  intervalMs: number
}
