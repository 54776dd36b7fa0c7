/** JSON over several lines; what is none, or was shortened in its middle, as it is. */
export function toReadable(value: string): string {
  if (!/^[[{]/.test(value)) return value
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    // Shortened: it is read as it is.
    return value
  }
}
