/** Answer to `?quote=true`: nothing was asked for, held or charged. */
export interface Quote {
  quote: {
    model: string
    /** What would be taken first. */
    estimate_rub: number
    /** The most that it may cost in the end. */
    most_rub: number
    /** As they are estimated, of a chat. */
    prompt_tokens?: number
    /** The most tokens of an answer. */
    max_tokens?: number
  }
}
