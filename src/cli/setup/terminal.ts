import { createInterface } from 'node:readline/promises'
import { Transform, type TransformCallback, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'

/** A person who is asked one question after the other. */
export interface Conversation {
  say(text: string): void
  ask(question: string): Promise<string>
  askSecret(question: string): Promise<string>
}

/** The person broke off: by Ctrl-C, Ctrl-D, or by closing the terminal. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'

  constructor() {
    super('The person broke off')
  }
}

export interface Terminal extends Conversation {
  /** Aborted with a {@link CancelledError} when the person breaks off, also while nothing is asked. */
  signal: AbortSignal
  close(): void
}

const ESCAPE = '\u001b'
const MARKS_PASTES = `${ESCAPE}[?2004h`
const MARKS_NO_PASTES = `${ESCAPE}[?2004l`
const PASTE_BEGINS = `${ESCAPE}[200~`
const PASTE_ENDS = `${ESCAPE}[201~`
const PASTE_MARKS = new RegExp(`(${ESCAPE}\\[20[01]~)`)

/**
 * Opens the terminal of this process for a conversation.
 *
 * What is typed while nothing is asked is no answer to the next question. The ends of lines in what is pasted are
 * spaces, where the terminal marks pastes: a key is often copied with one before it, which would be an empty answer.
 */
export function openTerminal({
  input,
  output,
  isDumb,
}: {
  input: ReadStream
  output: WriteStream
  isDumb: boolean
}): Terminal {
  const stopping = new AbortController()
  const { signal } = stopping
  const cancel = () => stopping.abort(new CancelledError())
  const screen = new Screen(output)
  const keyboard = new Keyboard(input)
  input.setEncoding('utf8').pipe(keyboard)
  // A history would show a key to whoever presses the arrow up.
  const lines = createInterface({ input: keyboard, output: screen, terminal: true, historySize: 0 })
  lines.on('SIGINT', cancel)
  lines.on('close', cancel)
  if (!isDumb) output.write(MARKS_PASTES)
  return { say, ask, askSecret, signal, close }

  function say(text: string): void {
    output.write(`${text}\n`)
  }

  async function ask(question: string): Promise<string> {
    forgetTyped()
    screen.isShown = true
    try {
      return await read(question)
    } finally {
      screen.isShown = false
    }
  }

  async function askSecret(question: string): Promise<string> {
    forgetTyped()
    output.write(question)
    try {
      return await read('')
    } finally {
      output.write('\n')
    }
  }

  async function read(question: string): Promise<string> {
    signal.throwIfAborted()
    try {
      return (await lines.question(question, { signal })).trim()
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
  }

  function forgetTyped(): void {
    lines.write(null, { ctrl: true, name: 'e' })
    lines.write(null, { ctrl: true, name: 'u' })
  }

  function close(): void {
    lines.close()
    input.unpipe(keyboard)
    input.pause()
    if (!isDumb) output.write(MARKS_NO_PASTES)
  }
}

class Screen extends Writable {
  isShown = false
  readonly #output: WriteStream

  constructor(output: WriteStream) {
    super({ decodeStrings: false })
    this.#output = output
  }

  /** The reader of lines goes by it where a line is longer. */
  get columns(): number {
    return this.#output.columns
  }

  override _write(text: string, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.isShown) this.#output.write(text)
    done()
  }
}

class Keyboard extends Transform {
  #isPasting = false
  readonly #input: ReadStream

  constructor(input: ReadStream) {
    super({ decodeStrings: false, encoding: 'utf8' })
    this.#input = input
  }

  /** The reader of lines turns the echo of the system off by it. */
  setRawMode(isRaw: boolean): this {
    this.#input.setRawMode(isRaw)
    return this
  }

  override _transform(typed: string, _encoding: BufferEncoding, done: TransformCallback): void {
    // Every second part is a mark.
    const parts = typed.split(PASTE_MARKS)
    done(null, parts.map((part) => this.#take(part)).join(''))
  }

  #take(part: string): string {
    if (part === PASTE_BEGINS || part === PASTE_ENDS) {
      this.#isPasting = part === PASTE_BEGINS
      return ''
    }
    return this.#isPasting ? part.replaceAll(/\s+/g, ' ') : part
  }
}
