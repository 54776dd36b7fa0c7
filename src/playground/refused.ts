/** The playground cannot be opened, for a reason that the person who starts it can mend. The message is one sentence. */
export class PlaygroundRefusedError extends Error {
  override readonly name = 'PlaygroundRefusedError'
}
