const TAG = /n\d+x\d+/

/** Makes the tag by which a message of a run is known in a request, a row, an answer, a task. */
export function toTag(chat: number, index: number): string {
  return `n${Math.abs(chat)}x${index}`
}

/** @returns The first tag in a text. */
export function findTag(text: string): string | undefined {
  return TAG.exec(text)?.[0]
}
