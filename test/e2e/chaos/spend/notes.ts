const NOTE = /n\d+x\d+/

/** What a message of a run is known by, wherever it comes to: in a request, a row, an answer, a task. */
export function toNote(chat: number, index: number): string {
  return `n${Math.abs(chat)}x${index}`
}

/** @returns The first note in a text. */
export function findNote(text: string): string | undefined {
  return NOTE.exec(text)?.[0]
}
