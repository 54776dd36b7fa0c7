const OPENS: readonly string[] = ['<think>', '<thinking>', '<thought>', '[think]']
/** Blanks that are held back; more of them are text. */
const BLANKS_MAX = 1000

/** Splits a text that begins with a thought in tags, however both are cut into pieces. */
export class ThoughtSplitter {
  #state: 'start' | 'thought' | 'text' = 'start'
  #held = ''
  #close = ''
  #hasThought = false

  /** @param isEnd True if nothing follows: what was held back is returned. */
  read(words: string, isEnd = false): { text: string; reasoning: string } {
    if (this.#state === 'text') return { text: words, reasoning: '' }
    let rest = this.#held + words
    let reasoning = ''
    this.#held = ''
    for (;;) {
      if (this.#state === 'start') {
        const trimmed = rest.trimStart()
        const open = OPENS.find((tag) => trimmed.slice(0, tag.length).toLowerCase() === tag)
        if (this.#hasThought) rest = trimmed
        if (open === undefined) {
          const isOpen = OPENS.some((tag) => tag.startsWith(trimmed.toLowerCase()))
          if (isOpen && !isEnd && rest.length <= BLANKS_MAX) this.#held = rest
          else if (rest !== '') this.#state = 'text'
          return { text: this.#state === 'text' ? rest : '', reasoning }
        }
        this.#state = 'thought'
        this.#close = `${open[0]}/${open.slice(1)}`
        rest = trimmed.slice(open.length).trimStart()
      }
      if (!this.#hasThought) rest = rest.trimStart()
      const at = rest.search(new RegExp(this.#close.replace('[', '\\[').replace(']', '\\]'), 'i'))
      if (at === -1) {
        const shown = isEnd ? rest.length : this.#countShown(rest)
        this.#held = rest.slice(shown)
        this.#hasThought ||= shown > 0
        return { text: '', reasoning: reasoning + rest.slice(0, shown) }
      }
      reasoning += rest.slice(0, at).trimEnd()
      rest = rest.slice(at + this.#close.length)
      this.#state = 'start'
      this.#hasThought = true
    }
  }

  /** The end of a thought may be the beginning of its tag, and blanks before the tag are not shown. */
  #countShown(thought: string): number {
    const longest = Math.min(this.#close.length - 1, thought.length)
    const lengths = Array.from({ length: longest }, (_, index) => longest - index)
    const cut = lengths.find((length) =>
      this.#close.startsWith(thought.slice(-length).toLowerCase()),
    )
    const shown = thought.slice(0, thought.length - (cut ?? 0)).trimEnd().length
    return thought.length - shown > BLANKS_MAX ? thought.length : shown
  }
}
