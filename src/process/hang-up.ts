import { isatty } from 'node:tty'

/** Standard input, output and error. */
const STREAMS = [0, 1, 2]

export interface HangUpDeps {
  /** Told that the terminal of the process is gone. */
  stop: () => void
  /** Told that somebody sent the signal. */
  reload: () => void
  /** Whether a stream is a terminal just now: one that was closed is none any more. */
  isTerminal?: (stream: number) => boolean
}

/**
 * Says what SIGHUP means. Its name says that a terminal was closed, and a person who closes one means to end what runs
 * in it. Daemons have no terminal, so for them it has come to mean: read your configuration again. Both are kept apart
 * by the streams that the process began with: if one of them was a terminal and is none any more, that was closed.
 * A process begun by `nohup` has none of them, and lives on.
 *
 * @returns To be called for each SIGHUP.
 */
export function createHangUp({ stop, reload, isTerminal = isatty }: HangUpDeps): () => void {
  const terminals = STREAMS.filter(isTerminal)
  return () => {
    if (terminals.every(isTerminal)) reload()
    else stop()
  }
}
