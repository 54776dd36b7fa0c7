/** Writes an instant for people, to the second: `2026-11-22 16:55:57`. */
export function writeTime(at: Date, timeZone: string): string {
  // Of all languages Swedish writes a date so.
  const format = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const
  return new Intl.DateTimeFormat('sv-SE', format).format(at)
}
