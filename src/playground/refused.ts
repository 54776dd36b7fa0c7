/** A playground that cannot be opened, for a reason that who starts it can mend. Told in one sentence. */
export class PlaygroundRefusedError extends Error {
  override readonly name = 'PlaygroundRefusedError'
}
